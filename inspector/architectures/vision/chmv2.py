"""CHMv2: heights of canopies from the maps of DINOv3.

modeling_chmv2.py: DPT's neck, whose first fusion has one residual unit alone; the head gives bins of heights.
"""

from inspector.architectures.vision.dinov2 import DINOV3_VIT
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import conv, conv_t, dense

NECK_DIMS = Dims(v="vision.d", N="len(post_process_channels) | 4", w="post_process_channels[{N}] | 128*2**{N}",
                 x="reassemble_factors[{N}] | 4//2**{N}", f="fusion_hidden_size", F="N[1:]",
                 U="N[reassemble_factors > 1] when reassemble_factors != null | N[:2]",
                 W="N[reassemble_factors < 1] when reassemble_factors != null | N[3:]")
RESIDUAL = rows(
    part("convolution1", "resnet.conv.1", conv("f -> f, 3 3")),
    part("convolution2", "resnet.conv.2", conv("f -> f, 3 3")))
REASSEMBLED = rows(
    part("layers.{N}.projection", "neck.project", conv("v -> w, 1 1")),
    part("layers.{U}.resize",     "neck.up",      conv_t("w -> w, x x")),
    part("layers.{W}.resize",     "neck.down",    conv("w -> w, 3 3")))
FUSED = rows(                                  # of the first fusion there is nothing before to add
    part("{N}.projection", "neck.fuse", conv("f -> f, 1 1")),
    under("{F}.residual_layer1", RESIDUAL, tower="neck.1"),
    under("{N}.residual_layer2", RESIDUAL, tower="neck.2"))
CONVS = part("convs.{N}", "neck.conv", conv("w -> f, 3 3", bias=False))
CHMV2 = Architecture("chmv2", ignores="patch_size min_depth max_depth bins_strategy norm_strategy",
    dims=NECK_DIMS | Dims(o="head_hidden_size", n="number_output_channels"),
    parts=rows(
        submodel("vision", "backbone.", DINOV3_VIT, config="backbone_config", head="Backbone"),
        under("head",
            part("reassemble_stage.readout_projects.{N}.0", "neck.readout", dense("2*v -> v"),
                 when="readout_type == 'project'"),
            under("reassemble_stage", REASSEMBLED), CONVS,
            under("fusion_layers", FUSED),
            part("conv_depth.head.0", "head.conv.1", conv("f -> f//2, 3 3")),
            part("conv_depth.head.2", "head.conv.2", conv("f//2 -> o, 3 3")),
            part("conv_depth.head.4", "head.depth",  conv("o -> n, 1 1")), tower="neck")),
    heads=(head("ForDepthEstimation", ""),))
