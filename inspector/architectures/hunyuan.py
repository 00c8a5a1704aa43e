"""Hunyuan V1: dense, and a mixture of experts in every layer; HY V3.

modeling_hunyuan_v1_dense.py, modeling_hunyuan_v1_moe.py: queries and keys are normed per head by `query_layernorm` and
`key_layernorm`; `attention_bias` reaches o too; the router is `mlp.gate.wg`; shared MLP and experts are equally wide.
modeling_hy_v3.py: without `mlp_layer_types` only the first layer is dense; `mlp_bias` does not reach routed experts.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    GQA,
    PRE_NORMS,
    QK_NORM,
    SHARED,
    SWIGLU,
)
from inspector.notation.card import Architecture, Dims, part, rows, under
from inspector.notation.kinds import buffer, linear, scale

ATTENTION = under("self_attn", GQA,
    part("query_layernorm", "norm.query", scale("dh")),
    part("key_layernorm",   "norm.key",   scale("dh")), b="attention_bias", bo="attention_bias")
HUNYUAN_V1_DENSE = Architecture("hunyuan_v1_dense hunyuan_vl_text", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | false",
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION, under("mlp", SWIGLU))))
HUNYUAN_V1_MOE = Architecture("hunyuan_v1_moe", dims=DECODER | Dims(E="num_experts"), heads=CAUSAL,
    ties="tie_word_embeddings | false",
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION,
            under("mlp",
                part("gate.wg", "router", linear("d -> E")),
                under("shared_mlp", SHARED),
                EXPERTS))))
HY_V3 = Architecture("hy_v3", heads=CAUSAL, ties="tie_word_embeddings | false",
    dims=DECODER | Dims(E="num_experts", fe="moe_intermediate_size", S="num_shared_experts",
              M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[1:]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias")),
        under("layers.{D}.mlp", SWIGLU, b="mlp_bias"),
        under("layers.{M}.mlp",
            part("router.gate", "router",            linear("d -> E")),
            part("expert_bias", "router.correction", buffer("E")),
            under("shared_mlp", SHARED, ff="fe*S", b="mlp_bias"),
            rows(EXPERTS, ff="fe"))))
