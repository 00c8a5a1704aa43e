"""Falcon-H1: attention and Mamba 2 next to each other in every layer.

modeling_falcon_h1.py: the inner width is `mamba_d_ssm`, null means int(mamba_expand * hidden_size);
`mamba_proj_bias` reaches in_proj, `projectors_bias` out_proj; the inner norm exists with `mamba_rms_norm` only.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, GQA, MAMBA2, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import scale, table

FALCON_H1 = Architecture("falcon_h1", heads=CAUSAL,
    dims=DECODER | Dims(i="mamba_d_ssm | floor(mamba_expand*d)", g="mamba_n_groups", s="mamba_d_state",
                        m="mamba_n_heads",
              w="mamba_d_conv", x="i + 2*g*s"),
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  scale("d")),
        under("layers.{L}",
            part("input_layernorm",  "norm.attention", scale("d")),
            part("pre_ff_layernorm", "norm.mlp",       scale("d")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mamba", MAMBA2, b="mamba_proj_bias", bo="projectors_bias", bc="mamba_conv_bias | true"),
            part("mamba.norm", "norm.ssm", scale("i"), when="mamba_rms_norm"),
            under("feed_forward", SWIGLU, b="mlp_bias"))))
