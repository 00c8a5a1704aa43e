"""ConvNeXt, ConvNeXt V2 and DINOv3's ConvNeXt.

modeling_convnext.py: every stage but the first opens with a norm of the width before it and a convolution; a layer's
scale exists where `layer_scale_init_value` is positive. V2 has a response norm instead. modeling_dinov3_convnext.py:
the first stage opens with the stem, convolution before norm.
"""

from inspector.architectures.vision.vision_blocks import BACKBONE
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, param

STAGES = Dims(c="num_channels", p="patch_size[0]", pw="patch_size[1]", S="num_stages | len(depths)", B="depths[{S}]",
              w="hidden_sizes[{S}]", v="hidden_sizes[{S}-1] | c",
              e="hidden_sizes[0]", f="hidden_sizes[len(hidden_sizes)-1]", d="f", D="S[1:]",
              C="labels") | BACKBONE
CONVNEXT_PARTS = rows(
    part("embeddings.patch_embeddings", "embed.patch", conv("c -> e, p pw")),
    part("embeddings.layernorm",        "norm.embed",  affine("e")),
    under("encoder.stages.{D}.downsampling_layer",
        part("0", "norm.merge", affine("v")),
        part("1", "resnet.merge", conv("v -> w, 2 2"))),
    under("encoder.stages.{S}.layers.{B}",
        part("dwconv",    "resnet.conv", conv("w -> w, 7 7", groups="w")),
        part("layernorm", "norm.mlp",    affine("w")),
        part("pwconv1",   "mlp.up",      dense("w -> 4*w")),
        part("pwconv2",   "mlp.down",    dense("4*w -> w"))))
FINAL = part("layernorm", "norm.final", affine("f"))
STAGE_NORMS = part("hidden_states_norms.stage{O}", "norm.stage", affine("hidden_sizes[{O}-1]"))
CLASSIFIER = part("classifier", "head.class", dense("f -> C"))
CONVNEXT = Architecture("convnext", dims=STAGES,
    parts=rows(CONVNEXT_PARTS,
        part("encoder.stages.{S}.layers.{B}.layer_scale_parameter", "mlp.scale", param("w"),
             when="layer_scale_init_value > 0")),
    heads=(
        head("Model",                  "",          FINAL),
        head("ForImageClassification", "convnext.", under("convnext", FINAL), CLASSIFIER, default=True),
        head("Backbone",               "",          STAGE_NORMS)))
CONVNEXTV2 = Architecture("convnextv2", dims=STAGES,
    parts=rows(CONVNEXT_PARTS,
        part("encoder.stages.{S}.layers.{B}.grn.weight", "norm.response",      param("1 1 1 4*w")),
        part("encoder.stages.{S}.layers.{B}.grn.bias",   "norm.response.bias", param("1 1 1 4*w"))),
    heads=(
        head("Model",                  "",            FINAL),
        head("ForImageClassification", "convnextv2.", under("convnextv2", FINAL), CLASSIFIER, default=True),
        head("Backbone",               "",            STAGE_NORMS)))
DINOV3_CONVNEXT = Architecture("dinov3_convnext", dims=STAGES | Dims(S="len(hidden_sizes)"),
    parts=rows(
        part("stages.0.downsample_layers.0",   "embed.patch",  conv("c -> e, 4 4")),
        part("stages.0.downsample_layers.1",   "norm.embed",   affine("e")),
        part("stages.{D}.downsample_layers.0", "norm.merge",   affine("v")),
        part("stages.{D}.downsample_layers.1", "resnet.merge", conv("v -> w, 2 2")),
        under("stages.{S}.layers.{B}",
            part("depthwise_conv",  "resnet.conv", conv("w -> w, 7 7", groups="w")),
            part("layer_norm",      "norm.mlp",    affine("w")),
            part("pointwise_conv1", "mlp.up",      dense("w -> 4*w")),
            part("pointwise_conv2", "mlp.down",    dense("4*w -> w")),
            part("gamma",           "mlp.scale",   param("w")))),
    heads=(head("Model", "", part("layer_norm", "norm.final", affine("f"))), head("Backbone", "")),
    dialects=({}, {"stages.": "model.stages."}))
