"""FocalNet.

modeling_focalnet.py: convolutions of growing windows instead of attention, one for each focal level of the stage; the
width doubles from stage to stage; `hidden_sizes` moves nothing. `use_conv_embed` means kernels of seven and three
instead of patches.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, param

FOCALNET = Architecture("focalnet", ignores="hidden_sizes out_features out_indices",
    dims=Dims(c="num_channels", e="embed_dim", S="len(depths)", B="depths[{S}]", w="e*2**{S}", D="S[:S-1]",
              f="e*2**(S-1)", d="f",
              F="focal_levels[{S}]", k="focal_windows[{S}] + 2*{F}", levels="focal_levels[{S}]",
              ff="floor(w*mlp_ratio)", s="encoder_stride",
              p="7 when use_conv_embed | patch_size[0]", pw="7 when use_conv_embed | patch_size[1]",
              m="3 when use_conv_embed | 2",
              C="labels"),
    parts=rows(
        part("embeddings.patch_embeddings.projection", "embed.patch", conv("c -> e, p pw")),
        part("embeddings.norm",                        "norm.embed",  affine("e")),
        under("encoder.stages.{S}.layers.{B}",
            part("norm1",                         "norm.attention", affine("w")),
            part("modulation.projection_in",      "attention.focal.in",       dense("w -> 2*w + levels + 1")),
            part("modulation.focal_layers.{F}.0", "attention.focal.conv",
                 conv("w -> w, k k", groups="w", bias=False)),
            part("modulation.projection_context", "attention.focal.context",  conv("w -> w, 1 1")),
            part("modulation.projection_out",     "attention.focal.out",      dense("w -> w")),
            part("modulation.layernorm",          "norm.focal",     affine("w"),
                 when="use_post_layernorm_in_modulation"),
            part("norm2",                         "norm.mlp",       affine("w")),
            part("mlp.fc1",                       "mlp.up",         dense("w -> ff")),
            part("mlp.fc2",                       "mlp.down",       dense("ff -> w")),
            part("gamma_1",                       "attention.focal.scale",    param("w"), when="use_layerscale"),
            part("gamma_2",                       "mlp.scale",      param("w"), when="use_layerscale")),
        part("encoder.stages.{D}.downsample.projection", "merge",      conv("w -> 2*w, m m")),
        part("encoder.stages.{D}.downsample.norm",       "norm.merge", affine("2*w")),
        part("layernorm",                                "norm.final", affine("f"))),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "focalnet.", part("classifier", "head.class", dense("f -> C")), default=True),
        head("ForMaskedImageModeling", "focalnet.",
             part("focalnet.embeddings.mask_token", "embed.mask", param("1 1 e")),
            part("decoder.0", "head.image", conv("f -> s*s*c, 1 1"))),
        head("Backbone", "focalnet.")))
