"""Hunyuan V1: dense, and a mixture of experts in every layer.

modeling_hunyuan_v1_dense.py, modeling_hunyuan_v1_moe.py: queries and keys are normed per head by `query_layernorm` and
`key_layernorm`; `attention_bias` reaches o too; the router is `mlp.gate.wg`; shared MLP and experts are equally wide.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, EXPERTS, GQA, PRE_NORMS, SHARED, SWIGLU
from inspector.notation.card import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, scale

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
