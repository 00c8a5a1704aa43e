"""PP-OCRv6, PaddleOCR's detector and recogniser of lines, above PP-LCNetV4.

modeling_pp_ocrv6_small_rec.py: two convolutions of one by one from the last stage and one for each channel, then the
layers of SVTR; modeling_pp_ocrv6_tiny_rec.py has convolutions along the line instead. modeling_pp_ocrv6_small_det.py
reads maps of `layer_list_out_channels`; modeling_pp_ocrv6_medium_det.py is PP-OCRv5's server without its last
refinement, and its large convolutions have biases.
"""

from inspector.architectures.vision.pp_lcnet import PP_LCNET_V4
from inspector.architectures.vision.pp_ocr import (
    BLOCK,
    KERNELS,
    MASKS,
    NORMED,
    REC,
    SVTR_LAYERS,
    TEXT,
    WEIGHED,
)
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import batchnorm, conv, dense

BACKBONE = submodel("backbone", "backbone.", PP_LCNET_V4, config="backbone_config", head="Backbone", by_type=True)
CHANNELS = Dims(                               # channels of the stages, of the last one
    stages="backbone_config.block_configs", last="stages[len(stages) - 1]", c="last[len(last) - 1][2] | 384")
SVTR = rows(
    under("conv_block.0", NORMED, i="c", o="d", k0="1", k1="1", tower="conv.1"),
    under("conv_block.1", NORMED, i="c", o="d", k0="1", k1="1", tower="conv.2"),
    part("conv_block.2.convolution",   "resnet.depth", conv("d -> d, k0 k1", groups="d", bias=False)),
    part("conv_block.2.normalization", "norm.resnet",  batchnorm("d")),
    SVTR_LAYERS)
PP_OCRV6_SMALL_REC = Architecture("pp_ocrv6_small_rec", ties="false", ignores="num_attention_heads",
    dims=REC | CHANNELS | Dims(k1="conv_kernel_size[1] | 7"),
    heads=(
        head("Model", "", BACKBONE),
        head("ForTextRecognition", "", under("model", BACKBONE), under("head.encoder", SVTR), TEXT, default=True),
        head("EncoderWithSVTR", "", SVTR)))
PP_OCRV6_TINY_REC = Architecture("pp_ocrv6_tiny_rec", ties="false",
    dims=CHANNELS | Dims(d="hidden_size"),
    heads=(
        head("Model", "", BACKBONE),
        head("ForTextRecognition", "", under("model", BACKBONE), under("head",
            part("conv1", "head.conv.1", conv("c -> c, 5", groups="c", bias=False)),
            part("norm1", "norm.head.1",     batchnorm("c")),
            part("conv2", "head.conv.2",       conv("c -> c, 1", bias=False)),
            part("norm2", "norm.head.2",     batchnorm("c")),
            part("fc1",   "head.dense",      dense("c -> d")),
            part("fc2",   "head.token",      dense("d -> head_out_channels"))), default=True)))

SMALL_NECK = rows(                             # n channels of the neck, q of each map
    under("neck.insert_conv.{Y}", part("in_conv", "neck.lateral", conv("t -> n, 1 1", bias=False)),
          WEIGHED, o="n", tower="insert"),
    under("neck.input_conv.{Y}",
        part("depthwise_convolution", "neck.conv.depth", conv("n -> n, k k", groups="n")),
        part("pointwise_convolution", "neck.conv",  conv("n -> q, 1 1", bias=False)),
        part("squeeze_excitation_module.conv1", "neck.squeeze", conv("q -> q//reduction, 1 1")),
        part("squeeze_excitation_module.conv2", "neck.excite",  conv("q//reduction -> q, 1 1")), tower="input"))
PP_OCRV6_SMALL_DET = Architecture("pp_ocrv6_small_det", ties="false", ignores="interpolate_mode",
    dims=Dims(Y="len(layer_list_out_channels)", t="layer_list_out_channels[{Y}]", n="neck_out_channels", q="n//4",
              k="dilated_kernel_size"),
    heads=(
        head("Model", "", BACKBONE, SMALL_NECK),
        head("ForObjectDetection", "", under("model", BACKBONE, SMALL_NECK), under("head", MASKS), default=True)))
MEDIUM_NECK = under("neck",                    # S stages, N those behind the first
    part("input_channel_adjustment_convolution.{S}",  "neck.stage",   conv("stage -> n, 1 1", bias=False)),
    part("input_feature_projection_convolution.{S}",  "neck.project", conv("n -> o, 9 9")),
    part("path_aggregation_head_convolution.{N}",     "neck.down",    conv("o -> o, 3 3", bias=False)),
    part("path_aggregation_lateral_convolution.{S}",  "neck.lateral", conv("o -> o, 9 9")),
    under("intraclass_blocks.{B}", BLOCK))
PP_OCRV6_MEDIUM_DET = Architecture("pp_ocrv6_medium_det", ties="false",
    ignores="scale_factor_list scale_factor interpolate_mode",
    dims=Dims(n="neck_out_channels", q="n//4", o="n//4", r="o//reduce_factor", N="0 : S - 1",
              S="len(backbone_config.stage_out_channels) | len(stages) | 4",
              stages="backbone_config.block_configs", blocks="stages[{S}]",
              stage="backbone_config.stage_out_channels[{S}] | blocks[len(blocks) - 1][2]"
                    " | 96 when {S} < 2 | 192 when {S} == 2 | 384",
              B="intraclass_block_number", **KERNELS),
    heads=(
        head("Model", "", BACKBONE, MEDIUM_NECK),
        head("ForObjectDetection", "", under("model", BACKBONE, MEDIUM_NECK), under("head", MASKS), default=True)))
