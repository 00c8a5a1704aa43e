"""ViTPose and its backbone.

modeling_vitpose_backbone.py: positions reach over a class token that is not there; with experts the second matrix
leaves `part_features` of its output to them. modeling_vitpose.py: one convolution above the backbone, or two transposed
ones of 256 channels before it.
"""

from inspector.architectures.vision.vision_blocks import LAYERNORM, VISION, VIT_ATTENTION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, conv_t, dense, param

VITPOSE_BACKBONE = Architecture("vitpose_backbone", ignores="out_features out_indices",
    dims=VISION | Dims(b="qkv_bias", ff="floor(d*mlp_ratio)", E="num_experts", f="part_features"),
    parts=rows(
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embeddings",         "embed.position", param("1 g+1 d")),
        under("encoder.layer.{L}",
            VIT_ATTENTION,
            part("layernorm_before", "norm.attention", affine("d")),
            part("layernorm_after",  "norm.mlp",       affine("d")),
            part("mlp.fc1",          "mlp.up",         dense("d -> ff")),
            part("mlp.fc2",          "mlp.down",       dense("ff -> d"), when="E == 1"),
            part("mlp.fc2",          "mlp.down",       dense("ff -> d - f"), when="E != 1"),
            part("mlp.experts.{E}",  "expert",         dense("ff -> f"), when="E != 1")),
        LAYERNORM),
    heads=(head("Backbone", ""),))
VITPOSE = Architecture("vitpose", dims=Dims(d="backbone.d", C="labels"),
    parts=rows(
        submodel("backbone", "backbone.", config="backbone_config", head="Backbone"),
        part("head.conv", "head.pose", conv("d -> C, 3 3"), when="use_simple_decoder"),
        under("head",
            part("deconv1",    "head.conv.1", conv_t("d -> 256, 4 4", bias=False)),
            part("batchnorm1", "norm.head.1", batchnorm("256")),
            part("deconv2",    "head.conv.2", conv_t("256 -> 256, 4 4", bias=False)),
            part("batchnorm2", "norm.head.2", batchnorm("256")),
            part("conv",       "head.pose",   conv("256 -> C, 1 1")), when="not use_simple_decoder")),
    heads=(head("ForPoseEstimation", ""),))
