"""Jamba: attention every so many layers, experts every so many, independently of each other.

modeling_jamba.py: `attn_layer_offset::attn_layer_period` are attention, the others Mamba; with fewer than two experts
all MLPs are dense. dt, B and C are normed; `dt_proj` always has a bias, `x_proj` never. `mamba_dt_rank` 'auto' is
hidden_size/16 rounded up.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, EXPERTS, GQA, MAMBA1, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, scale, table

JAMBA = Architecture("jamba", heads=CAUSAL,
    dims=DECODER | Dims(E="num_experts", i="mamba_expand*d", s="mamba_d_state", w="mamba_d_conv",
              t="number(mamba_dt_rank) | ceil(d, 16)/16",
              A="L[attn_layer_offset::attn_layer_period]", B="L - A",
              M="L[:0] when E < 2 | L[expert_layer_offset::expert_layer_period]", F="L - M"),
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  scale("d")),
        part("layers.{L}.input_layernorm",  "norm.attention", scale("d")),
        part("layers.{L}.pre_ff_layernorm", "norm.mlp",       scale("d")),
        under("layers.{A}.self_attn",    GQA),
        under("layers.{B}.mamba",        MAMBA1,
            part("dt_layernorm", "norm.ssm.dt", scale("t")),
            part("b_layernorm",  "norm.ssm.b",  scale("s")),
            part("c_layernorm",  "norm.ssm.c",  scale("s")), b="mamba_proj_bias", bc="mamba_conv_bias | true"),
        under("layers.{F}.feed_forward", SWIGLU),
        under("layers.{M}.feed_forward", part("router", "router", linear("d -> E")), EXPERTS)))
