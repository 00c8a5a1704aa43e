"""StableLM, Persimmon and StarCoder2: layer norms with bias around Llama-like layers.

modeling_stablelm.py: `use_parallel_residual` removes `post_attention_layernorm`; `qk_layernorm` makes one norm module
per head, without bias; `use_qkv_bias` never reaches o. modeling_persimmon.py: q, k, v interleaved per head;
`qk_layernorm` norms have the width of a head and a bias. modeling_starcoder2.py: `use_bias` reaches every linear of a
layer; tied unless the config says otherwise.
"""

from inspector.architectures.blocks import (
    AFFINE_ENDS,
    AFFINE_PRE_NORMS,
    CAUSAL,
    DECODER,
    FOUR_H,
    FUSED_QKV,
    GQA,
    SWIGLU,
)
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, linear, scale, table

STABLELM = Architecture("stablelm stablelm_epoch", dims=DECODER | Dims(dh="d/h"), heads=CAUSAL,
    parts=rows(
        AFFINE_ENDS,
        under("layers.{L}",
            part("input_layernorm",          "norm.attention", affine("d")),
            part("post_attention_layernorm", "norm.mlp",       affine("d"), when="not use_parallel_residual"),
            under("self_attn", GQA, b="use_qkv_bias"),
            part("self_attn.q_layernorm.norms.{h}",  "norm.query", scale("dh"), when="qk_layernorm"),
            part("self_attn.k_layernorm.norms.{kv}", "norm.key",   scale("dh"), when="qk_layernorm"),
            under("mlp", SWIGLU))))
PERSIMMON = Architecture("persimmon", dims=DECODER | Dims(dh="d/h"), heads=CAUSAL,
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  affine("d")),
        under("layers.{L}", AFFINE_PRE_NORMS,
            under("self_attn", FUSED_QKV, b="true"),
            part("self_attn.q_layernorm", "norm.query", affine("dh"), when="qk_layernorm"),
            part("self_attn.k_layernorm", "norm.key",   affine("dh"), when="qk_layernorm"),
            under("mlp", FOUR_H, b="true"))))
STARCODER2 = Architecture("starcoder2", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | true",
    parts=rows(
        AFFINE_ENDS,
        under("layers.{L}", AFFINE_PRE_NORMS,
            under("self_attn", GQA, b="use_bias", bo="use_bias"),
            part("mlp.c_fc",   "mlp.up",   linear("d -> ff", bias="use_bias")),
            part("mlp.c_proj", "mlp.down", linear("ff -> d", bias="use_bias")))))
