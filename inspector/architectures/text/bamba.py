"""Bamba: Mamba 2 layers, attention at `attn_layer_indices`.

modeling_bamba.py: every layer has an MLP; `mamba_proj_bias` reaches both projections of Mamba.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, GQA, MAMBA2, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import scale, table

BAMBA = Architecture("bamba", heads=CAUSAL,
    dims=DECODER | Dims(A="L & attn_layer_indices | L[:0]", B="L - A", i="floor(mamba_expand*d)", g="mamba_n_groups",
              s="mamba_d_state", m="mamba_n_heads", w="mamba_d_conv", x="i + 2*g*s"),
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  scale("d")),
        under("layers.{L}",
            part("input_layernorm",  "norm.attention", scale("d")),
            part("pre_ff_layernorm", "norm.mlp",       scale("d")),
            under("feed_forward", SWIGLU, b="mlp_bias")),
        under("layers.{A}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("layers.{B}.mamba", MAMBA2, part("norm", "norm.ssm", scale("i")),
              b="mamba_proj_bias", bo="mamba_proj_bias", bc="mamba_conv_bias | true")))
