"""Llama, models with exactly its layers, and the names and keys of Meta's own releases.

SmolLM 3 (modeling_smollm3.py) and, by code of their own, Aquila, XVERSE, Skywork, Solar and TeleFLM have Llama's
layers; XVERSE-MoE has a router of its own name and shared experts (SGLang's `solar.py`, `teleflm.py`, `xverse_moe.py`).
modeling_llama.py: `attention_bias` reaches q, k, v and o, `mlp_bias` all three of the MLP; `head_dim` is free
of `hidden_size`. Files older than transformers 4.32 hold `rotary_emb.inv_freq` in every layer.
Meta's model.py (params.json next to consolidated.*): the MLP's width is not written down but follows from
`dim`, `ffn_dim_multiplier` and `multiple_of`; `vocab_size` -1 means that the tokenizer knows; one `rope.freqs`.
modeling_mllama.py: the embedding has eight rows more than the head, which is not tied; cross-attention layers replace
the self attention at the indices of `cross_attention_layers` and have two gates.
modeling_seed_oss.py: o has a switch of its own, `attention_out_bias`. modeling_cwm.py: no bias in the attention.
modeling_hyperclovax.py: `use_post_norm` adds a norm behind each half. modeling_diffllama.py: four vectors a layer, each
as wide as a head, weigh two attentions against each other.
Nanbeige runs its layers in loops, which share their weights; TeleChat3 has Llama's names (mlx-lm's files of both).
MobileLLM's `share_embedding` ties its head, `layer_sharing` repeats layers that are stored once. IQuest-LoopCoder
(vLLM's `iquest_loopcoder.py`): a gate for each layer, over the query of each head.
By code of their own: Yi of the first weeks calls its norms ln1 and ln2; Orion has layer norms with bias.
"""

from inspector.architectures.blocks import (
    AFFINE_ENDS,
    AFFINE_PRE_NORMS,
    CAUSAL,
    DECODER,
    ENDS,
    GQA,
    PRE_NORMS,
    SHARED,
    SWIGLU,
)
from inspector.notation.definition import Architecture, Dims, maybe, part, rows, under
from inspector.notation.kinds import buffer, dense, linear, param, scale, table

LLAMA = Architecture("llama smollm3 granite_docling_text iquestcoder emu3_text_model Emu3 aquila xverse skywork solar"
                     " TeleFLM nanbeige telechat3", dims=DECODER, heads=CAUSAL,
    ignores="bskcn_1 bskcn_2 bskcn_3 bskcn_4 bskcn_tv input_mult max_sequence_length mup_scale_factor output_mult"
            " use_mup num_loops loop_loss_weights skip_loop_final_norm enable_double_loop_split loop_share_kv"
            " enable_depth_attention",
    parts=rows(
        ENDS,
        maybe("rope.freqs", "rotary.frequency", buffer("(dh+1)//2")),                 # Meta's files only
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("layers.{L}.mlp", SWIGLU, b="mlp_bias")))
XVERSE_MOE = Architecture("xverse_moe", heads=CAUSAL,
    dims=DECODER | Dims(E="num_experts", S="num_shared_experts | 0"),
    parts=rows(
        ENDS,                                  # no record exercises this definition
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA),
        under("layers.{L}.mlp",
            part("router", "router", linear("d -> E")),
            under("shared_experts", SHARED, ff="ff*S", when="S > 0"),
            under("experts.{E}", SWIGLU))))
SEED_OSS = Architecture("seed_oss", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        under("self_attn", GQA, b="attention_bias", bo="attention_out_bias"),
        under("mlp", SWIGLU, b="mlp_bias"))))
CWM = Architecture("cwm", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, under("self_attn", GQA), under("mlp", SWIGLU, b="mlp_bias"))))
HYPERCLOVAX = Architecture("hyperclovax", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        part("post_norm1", "norm.attention.post", scale("d"), when="use_post_norm"),
        part("post_norm2", "norm.mlp.post",       scale("d"), when="use_post_norm"),
        under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU, b="mlp_bias"))))
DIFFLLAMA = Architecture("diffllama", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
        part("self_attn.lambda_q1", "attention.lambda.query", param("dh")),
        part("self_attn.lambda_k1", "attention.lambda.key",     param("dh")),
        part("self_attn.lambda_q2", "attention.lambda.query", param("dh")),
        part("self_attn.lambda_k2", "attention.lambda.key",     param("dh")),
        under("mlp", SWIGLU))))
YI = Architecture("Yi", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,                                      # no record exercises this definition
    under("layers.{L}",
        part("ln1", "norm.attention", scale("d")),
        part("ln2", "norm.mlp",       scale("d")),
        under("self_attn", GQA),
        under("mlp", SWIGLU))))
MOBILELLM = Architecture("mobilellm", dims=DECODER, heads=CAUSAL, ties="share_embedding | true",
    ignores="layer_sharing",
    parts=rows(                                # no record exercises this definition
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU, b="mlp_bias"))))
LOOP_CODER = Architecture("iquestloopcoder", dims=DECODER, heads=CAUSAL, ignores="loop_num loop_window_size",
    parts=rows(                                # no record exercises this definition
        ENDS,
        part("gate_projections.{L}", "attention.gate", dense("dh -> h")),
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU, b="mlp_bias"))))
ORION = Architecture("orion", dims=DECODER, heads=CAUSAL, parts=rows(
    AFFINE_ENDS,                               # no record exercises this definition
    under("layers.{L}", AFFINE_PRE_NORMS, under("self_attn", GQA), under("mlp", SWIGLU))))
MLLAMA_TEXT = Architecture("mllama_text_model", heads=CAUSAL,
    dims=DECODER | Dims(dh="d//h", X="L & cross_attention_layers", A="L - X"),
    parts=rows(
        part("embed_tokens", "embed.token", table("V+8 d")),
        part("norm",         "norm.final",  scale("d")),
        under("layers.{L}", PRE_NORMS, under("mlp", SWIGLU)),
        under("layers.{A}.self_attn", GQA),
        under("layers.{X}",
            part("cross_attn.q_proj",    "cross.query",  linear("d -> h*dh")),
            part("cross_attn.k_proj",    "cross.key",    linear("d -> kv*dh")),
            part("cross_attn.v_proj",    "cross.value",  linear("d -> kv*dh")),
            part("cross_attn.o_proj",    "cross.output", linear("h*dh -> d")),
            part("cross_attn.q_norm",    "norm.cross.query", scale("dh")),
            part("cross_attn.k_norm",    "norm.cross.key",   scale("dh")),
            part("cross_attn_attn_gate", "cross.gate",   param("1")),
            part("cross_attn_mlp_gate",  "mlp.gate.cross", param("1")))))
