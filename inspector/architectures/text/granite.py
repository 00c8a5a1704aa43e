"""Granite, and its mixtures of experts: shared, hybrid, with sliding windows.

modeling_granite.py: Llama's layers. modeling_granitemoe.py: experts are stacked in modules, so their names end in
`.weight`; the router is `router.layer`. modeling_granitemoeshared.py: `shared_mlp` (gate and up fused) unless
`shared_intermediate_size` is 0. modeling_granitemoehybrid.py: `shared_mlp` always, experts only if there are any; a
layer is Mamba 2 where `layer_types` says `linear_attention` (5) or `mamba` (older), else attention; without the list
all are Mamba. `mamba_proj_bias` reaches both projections. modeling_granite_swa.py, modeling_granitemoe_swa.py: every
head has a sink.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    GQA,
    MAMBA2,
    MLX_EXPERTS,
    PRE_NORMS,
    SWIGLU,
    SWITCH,
)
from inspector.notation.definition import Architecture, Dims, either, part, rooted, rows, under
from inspector.notation.kinds import linear, param, scale

HEADS = rooted(CAUSAL, "model.")
EXPERTS = rows(                                # on disk; in transformers 5's memory; by MLX
    either(part("router.layer", "router", linear("d -> E")), part("router", "router", linear("d -> E"))),
    either(
        rows(
            part("input_linear",  "mlp.experts.gate_up", linear("d -> ff + ff", each="E", packs="gate up")),
            part("output_linear", "mlp.experts.down",    linear("ff -> d",      each="E"))),
        either(
            rows(
                part("experts.gate_up_proj", "mlp.experts.gate_up",
                     linear("d -> ff + ff", each="E", bare=True, packs="gate up")),
                part("experts.down_proj",    "mlp.experts.down",    linear("ff -> d", each="E", bare=True))),
            either(
                under("experts.{E}",           # by quantization tools, for vLLM
                    part("gate_proj", "mlp.experts.gate", linear("d -> ff")),
                    part("up_proj",   "mlp.experts.up",   linear("d -> ff")),
                    part("down_proj", "mlp.experts.down", linear("ff -> d"))),
                under(MLX_EXPERTS, SWITCH)))))
SPARSE = under("block_sparse_moe", either(      # of no experts transformers 5 stores empty tensors, 4 none
    rows(EXPERTS, when="E > 0"),
    rows(EXPERTS, when="E == 0", optional=True)))
SHARED = under("shared_mlp",
    part("input_linear",  "mlp.shared.gate_up", linear("d -> fs + fs", packs="gate up")),
    part("output_linear", "mlp.shared.down",    linear("fs -> d")))
ATTENTION = under("self_attn", GQA, b="attention_bias", bo="attention_bias")
GRANITE = Architecture("granite granite4_vision_text", dims=DECODER, heads=HEADS, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, ATTENTION, under("mlp", SWIGLU, b="mlp_bias"))))
GRANITEMOE = Architecture("granitemoe", dims=DECODER | Dims(E="num_local_experts"), heads=HEADS,
    parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, ATTENTION, SPARSE)))
GRANITEMOESHARED = Architecture("granitemoeshared", heads=HEADS,
    dims=DECODER | Dims(E="num_local_experts", fs="shared_intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION, SPARSE, rows(SHARED, when="fs != 0"))))
GRANITEMOEHYBRID = Architecture("granitemoehybrid", heads=HEADS,
    dims=DECODER | Dims(E="num_local_experts", fs="shared_intermediate_size",
              B="L[layer_types in 'mamba linear_attention'] when layer_types != null | L", A="L - B",
              i="floor(mamba_expand*d)", g="mamba_n_groups", s="mamba_d_state", m="mamba_n_heads", w="mamba_d_conv",
              x="i + 2*g*s"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, SHARED, under("block_sparse_moe", EXPERTS, when="E > 0")),
        under("layers.{B}.mamba", MAMBA2, part("norm", "norm.ssm", scale("i")),
              b="mamba_proj_bias", bo="mamba_proj_bias", bc="mamba_conv_bias | true"),
        under("layers.{A}", ATTENTION)))
SINKS = part("self_attn.sinks", "attention.sink", param("h"))
GRANITE_SWA = Architecture("granite_swa", dims=DECODER, heads=HEADS, ties="tie_word_embeddings | true", parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, ATTENTION, SINKS, under("mlp", SWIGLU, b="mlp_bias"))))
GRANITEMOE_SWA = Architecture("granitemoe_swa", heads=HEADS,
    dims=DECODER | Dims(E="num_local_experts", fs="shared_intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION, SINKS, under("block_sparse_moe", EXPERTS),
            rows(SHARED, when="fs != 0"))))
