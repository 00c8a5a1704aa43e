"""Gemma, Gemma 2, 3 and 4 (text), EmbeddingGemma 2 (text), VaultGemma.

Tied by class default, usually without the key. modeling_gemma2.py, modeling_gemma3.py: four norms a layer;
`post_attention_layernorm` follows the attention and `pre_feedforward_layernorm` precedes the MLP. Gemma 3 norms
queries and keys per head. `layer_types` moves no shape before Gemma 4.
modeling_gemma4.py, configuration_gemma4.py: full-attention layers have their own head width and, with
`attention_k_eq_v`, their own number of key heads and no v_proj (`per_layer_config`, made from `global_head_dim` and
`num_global_key_value_heads` when a config lacks it; the last layer is always full attention). The last
`num_kv_shared_layers` layers have no keys and values (files may hold them: ignored on load) and, with
`use_double_wide_mlp`, twice the width. `layer_scalar` is a buffer. With `hidden_size_per_layer_input` 0 the
per-layer rows vanish, unlike Gemma 3n's. modeling_embedding_gemma2.py: Gemma 4's layers without its switches, all
with per-layer inputs (from the projection alone, without a table), and a projection to `embedding_dim` at the end.
modeling_vaultgemma.py: only the norms in front of each half.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, QK_NORM, SANDWICH, SWIGLU
from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rooted, rows, under
from inspector.notation.kinds import buffer, linear, param, scale, table

GEMMA = Architecture("gemma", dims=DECODER, heads=rooted(CAUSAL, "model."), ties="tie_word_embeddings | true",
                     parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS),
    under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
    under("layers.{L}.mlp", SWIGLU)))
GEMMA2 = Architecture("gemma2", dims=DECODER, heads=rooted(CAUSAL, "model."), ties="tie_word_embeddings | true",
                      parts=rows(
    ENDS,
    under("layers.{L}", SANDWICH),
    under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
    under("layers.{L}.mlp", SWIGLU)))
GEMMA3_TEXT = Architecture("gemma3_text rnj1", dims=DECODER, heads=rooted(CAUSAL, "model."),
                           ties="tie_word_embeddings | true",
    parts=rows(
        ENDS,
        under("layers.{L}", SANDWICH),
        under("layers.{L}.self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
        under("layers.{L}.mlp", SWIGLU)))
GEMMA4_TEXT = Architecture("gemma4_text gemma4_unified_text", heads=rooted(CAUSAL, "model."),
                           ties="tie_word_embeddings | true",
    dims=DECODER | Dims(
        full="L[layer_types == 'full_attention' or {L} == L - 1] when layer_types != null"
             " | L[({L}+1) % 6 == 0 or {L} == L - 1]",
        derived="per_layer_config == null",
        dh="per_layer_config[{L}].head_dim | (global_head_dim | 512) when derived and {L} in full | head_dim",
        kv="per_layer_config[{L}].num_key_value_heads"
           " | num_global_key_value_heads when derived and attention_k_eq_v and {L} in full"
           " | num_key_value_heads",
        shares="num_kv_shared_layers | 0", own="L[:L - shares]", shared="L - own",
        ff="2*intermediate_size when use_double_wide_mlp and {L} in shared | intermediate_size",
        p="hidden_size_per_layer_input", W="vocab_size_per_layer_input", E="num_experts", fe="moe_intermediate_size",
        valued="own - full when attention_k_eq_v | own"),
    parts=rows(
        ENDS,
        part("embed_tokens_per_layer",     "embed.layer",         table("W L*p"),     when="p"),
        part("per_layer_model_projection", "embed.layer.project", linear("d -> L*p"), when="p"),
        part("per_layer_projection_norm",  "norm.embed.layer",    scale("p"),         when="p"),
        under("layers.{L}", SANDWICH,
            part("layer_scalar",     "layer.scale",      buffer("1")),
            part("self_attn.q_proj", "attention.query",  linear("d -> h*dh", bias="attention_bias")),
            part("self_attn.q_norm", "norm.query",       scale("dh")),
            part("self_attn.o_proj", "attention.output", linear("h*dh -> d", bias="attention_bias")),
            under("mlp", SWIGLU)),
        under("layers.{L}",
            part("per_layer_input_gate",      "embed.layer.gate", linear("d -> p")),
            part("per_layer_projection",      "embed.layer.up",   linear("p -> d")),
            part("post_per_layer_input_norm", "norm.embed.layer.post", scale("d")), when="p"),
        under("layers.{L}",
            part("router.proj",             "router",        linear("d -> E")),
            part("router.scale",            "router.scale",  param("d")),
            part("router.per_expert_scale", "router.expert", param("E")),
            part("post_feedforward_layernorm_1", "norm.mlp.dense",        scale("d")),
            part("post_feedforward_layernorm_2", "norm.mlp.experts.post", scale("d")),
            part("pre_feedforward_layernorm_2",  "norm.mlp.experts",      scale("d")),
            either(
                under("experts",
                    part("gate_up_proj", "mlp.experts.gate_up",
                         linear("d -> fe + fe", each="E", bare=True, packs="gate up")),
                    part("down_proj",    "mlp.experts.down", linear("fe -> d", each="E", bare=True))),
                either(
                    under("experts.{E}",                            # as quantization tools divide them, for vLLM
                        part("gate_proj", "mlp.experts.gate", linear("d -> fe")),
                        part("up_proj",   "mlp.experts.up",   linear("d -> fe")),
                        part("down_proj", "mlp.experts.down", linear("fe -> d"))),
                    under("experts.switch_glu",                     # as mlx-lm and mlx-vlm stack them
                        part("gate_proj", "mlp.experts.gate", linear("d -> fe", each="E")),
                        part("up_proj",   "mlp.experts.up",   linear("d -> fe", each="E")),
                        part("down_proj", "mlp.experts.down", linear("fe -> d", each="E"))))),
            when="enable_moe_block"),
        under("layers.{own}.self_attn",
            part("k_proj", "attention.key",   linear("d -> kv*dh", bias="attention_bias")),
            part("k_norm", "norm.key",        scale("dh"))),
        part("layers.{valued}.self_attn.v_proj", "attention.value", linear("d -> kv*dh", bias="attention_bias")),
        under("layers.{shared}.self_attn",                              # ignored on load
            maybe("k_proj", "attention.key",   linear("d -> kv*dh", bias="attention_bias")),
            maybe("k_norm", "norm.key",        scale("dh")),
            maybe("v_proj", "attention.value", linear("d -> kv*dh", bias="attention_bias")))))
EMBEDDING_GEMMA2_TEXT = Architecture("embedding_gemma2_text", heads=(head("Model", ""),),
    dims=DECODER | Dims(
        pattern="sliding_window_pattern | 6",
        full="L[layer_types == 'full_attention' or {L} == L - 1] when layer_types != null"
             " | L[({L}+1) % pattern == 0 or {L} == L - 1]",
        derived="per_layer_config == null",
        dh="per_layer_config[{L}].head_dim | (global_head_dim | 512) when derived and {L} in full | head_dim",
        kv="per_layer_config[{L}].num_key_value_heads"
           " | (num_global_key_value_heads | 1) when derived and {L} in full | num_key_value_heads",
        p="hidden_size_per_layer_input"),
    parts=rows(
        ENDS,
        part("ple.per_layer_model_projection", "embed.layer.project", linear("d -> L*p")),
        part("ple.per_layer_projection_norm",  "norm.embed.layer",    scale("p")),
        part("embedding_projection",           "head.project",        linear("d -> embedding_dim")),
        under("layers.{L}", SANDWICH,
            part("layer_scalar", "layer.scale", buffer("1")),
            under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU),
            under("ple_block",
                part("per_layer_input_gate",      "embed.layer.gate",      linear("d -> p")),
                part("per_layer_projection",      "embed.layer.up",        linear("p -> d")),
                part("post_per_layer_input_norm", "norm.embed.layer.post", scale("d"))))))
VAULTGEMMA = Architecture("vaultgemma", dims=DECODER, heads=rooted(CAUSAL, "model."), ties="tie_word_embeddings | true",
    parts=rows(
        ENDS,
        under("layers.{L}",
            part("input_layernorm",           "norm.attention", scale("d")),
            part("pre_feedforward_layernorm", "norm.mlp",       scale("d")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU))))
