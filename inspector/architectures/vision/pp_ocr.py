"""PaddleOCR's detectors and recognisers of text (PP-OCRv5): for servers above HGNetV2, for mobiles above PP-LCNetV3.

modeling_pp_ocrv5_server_rec.py: convolutions and a few layers of attention between the last stage and the characters;
the bias of q, k and v follows `qkv_bias`. modeling_pp_ocrv5_server_det.py: every stage becomes `neck_out_channels`, a
quarter of them behind large kernels; blocks narrow them by `reduce_factor`, with kernels that `intraclass_block_config`
lists by name; the head enlarges twice, by transposed convolutions of the kernels of `kernel_list`.
modeling_pp_ocrv5_mobile_det.py: the maps of `out_indices` (stages from one on) become `layer_list_out_channels`, and
the neck weighs channels.
"""

from inspector.architectures.vision.hgnet import HGNET_V2
from inspector.architectures.vision.pp_lcnet import PP_LCNET_V3
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, conv_t, dense, linear

BACKBONE = submodel("backbone", "backbone.", HGNET_V2, config="backbone_config", head="Backbone", by_type=True)
NORMED = rows(                                 # i channels in, o out, k the kernel
    part("convolution",   "resnet.conv", conv("i -> o, k0 k1", bias=False)),
    part("normalization", "norm.resnet", batchnorm("o")))
SVTR_LAYERS = rows(
    under("svtr_block.{L}",
        part("layer_norm1",          "norm.attention",   affine("d")),
        part("self_attn.qkv",        "attention.qkv",    linear("d -> d + d + d", bias="qkv_bias", packs="q k v")),
        part("self_attn.projection", "attention.output", dense("d -> d")),
        part("layer_norm2",          "norm.mlp",         affine("d")),
        part("mlp.fc1",              "mlp.up",           dense("d -> ff")),
        part("mlp.fc2",              "mlp.down",         dense("ff -> d"))),
    part("norm", "norm.final", affine("d")))
SVTR = rows(                                   # c channels of the last stage
    under("conv_block.0", NORMED, i="c",    o="c//8", tower="conv.1"),
    under("conv_block.1", NORMED, i="c//8", o="d",    k0="1", k1="1", tower="conv.2"),
    under("conv_block.2", NORMED, i="d",    o="c",    k0="1", k1="1", tower="conv.3"),
    under("conv_block.3", NORMED, i="2*c",  o="c//8", tower="conv.4"),
    under("conv_block.4", NORMED, i="c//8", o="d",    k0="1", k1="1", tower="conv.5"),
    SVTR_LAYERS)
LAST = "backbone_config.stage_out_channels[len(backbone_config.stage_out_channels) - 1]"
TEXT = part("head.head", "head.token", dense("d -> head_out_channels"))
CHARACTERS = rows(under("head.encoder", SVTR), TEXT)
REC = Dims(d="hidden_size", L="depth | num_hidden_layers", ff="floor(d*mlp_ratio)",
           k0="conv_kernel_size[0] | 1", k1="conv_kernel_size[1] | 3")
PP_OCRV5_SERVER_REC = Architecture("pp_ocrv5_server_rec", ties="false", ignores="num_attention_heads",
    dims=REC | Dims(c=LAST),
    heads=(
        head("Model", "", BACKBONE),
        head("ForTextRecognition", "", under("model", BACKBONE), CHARACTERS, default=True),
        head("EncoderWithSVTR", "", SVTR)))
SCALED = Dims(                                 # c: channels of stage s (from one on): x scaled, r rounded
    u="backbone_config.divisor",
    x="(backbone_config.block_configs[s-1][len(backbone_config.block_configs[s-1])-1][2] | 16*2**s)"
      "*backbone_config.scale",
    r="max(floor(x + u*0.5)//u*u, u)", c="r + u when r < 0.9*x | r")
MOBILE = submodel("backbone", "backbone.", PP_LCNET_V3, config="backbone_config", head="Backbone", by_type=True)
PP_OCRV5_MOBILE_REC = Architecture("pp_ocrv5_mobile_rec", ties="false", ignores="num_attention_heads",
    dims=REC | SCALED | Dims(s="len(backbone_config.block_configs) | 5"),
    heads=(
        head("Model", "", MOBILE),
        head("ForTextRecognition", "", under("model", MOBILE), CHARACTERS, default=True),
        head("EncoderWithSVTR", "", SVTR)))


BLOCK = rows(                                  # r channels inside, o outside
    part("conv_reduce_channel", "neck.reduce", conv("o -> r, reduce_0 reduce_1")),
    part("vertical_long_to_small_conv_longratio",    "neck.vertical.long",    conv("r -> r, vl0 vl1")),
    part("vertical_long_to_small_conv_midratio",     "neck.vertical.middle",  conv("r -> r, vm0 vm1")),
    part("vertical_long_to_small_conv_shortratio",   "neck.vertical.short",   conv("r -> r, vs0 vs1")),
    part("horizontal_small_to_long_conv_longratio",  "neck.horizontal.long",   conv("r -> r, hl0 hl1")),
    part("horizontal_small_to_long_conv_midratio",   "neck.horizontal.middle", conv("r -> r, hm0 hm1")),
    part("horizontal_small_to_long_conv_shortratio", "neck.horizontal.short",  conv("r -> r, hs0 hs1")),
    part("symmetric_conv_long_longratio",  "neck.symmetric.long",   conv("r -> r, sl0 sl1")),
    part("symmetric_conv_long_midratio",   "neck.symmetric.middle", conv("r -> r, sm0 sm1")),
    part("symmetric_conv_long_shortratio", "neck.symmetric.short",  conv("r -> r, ss0 ss1")),
    part("conv_final.convolution", "neck.enlarge", conv("r -> o, return_0 return_1")),
    part("conv_final.norm",        "norm.neck",    batchnorm("o")))
NECK = under("neck",                           # S stages, N those behind the first
    part("input_channel_adjustment_convolution.{S}",  "neck.stage",   conv("stage -> n, 1 1", bias=False)),
    part("input_feature_projection_convolution.{S}",  "neck.project", conv("n -> o, 9 9", bias=False)),
    part("path_aggregation_head_convolution.{N}",     "neck.down",    conv("o -> o, 3 3", bias=False)),
    part("path_aggregation_lateral_convolution.{S}",  "neck.lateral", conv("o -> o, 9 9", bias=False)),
    under("intraclass_blocks.{B}", BLOCK))
KERNELS = {f"{short}{axis}": f"intraclass_block_config.{name}[0][{axis}]" for axis in (0, 1) for short, name in (
    ("reduce_", "reduce_channel"), ("return_", "return_channel"),
    ("vl", "vertical_long_to_small_conv_longratio"), ("vm", "vertical_long_to_small_conv_midratio"),
    ("vs", "vertical_long_to_small_conv_shortratio"), ("hl", "horizontal_small_to_long_conv_longratio"),
    ("hm", "horizontal_small_to_long_conv_midratio"), ("hs", "horizontal_small_to_long_conv_shortratio"),
    ("sl", "symmetric_conv_long_longratio"), ("sm", "symmetric_conv_long_midratio"),
    ("ss", "symmetric_conv_long_shortratio"))}
DETECTION = under("head",
    under("binarize_head",
        part("conv_down.convolution", "head.mask.down",   conv("n -> o, kernel_list[0] kernel_list[0]", bias=False)),
        part("conv_down.norm",        "norm.head.down",   batchnorm("o")),
        part("conv_up.convolution",   "head.mask.up",     conv_t("o -> o, kernel_list[1] kernel_list[1]")),
        part("conv_up.norm",          "norm.head.up",     batchnorm("o")),
        part("conv_final",            "head.mask",        conv_t("o -> 1, kernel_list[2] kernel_list[2]"))),
    under("local_refinement_module",
        part("convolution_backbone.convolution", "head.mask.refine", conv("o + 1 -> o, 3 3", bias=False)),
        part("convolution_backbone.norm",        "norm.head.refine", batchnorm("o")),
        part("convolution_final",                "head.mask.refined", conv("o -> 1, 1 1"))))
PP_OCRV5_SERVER_DET = Architecture("pp_ocrv5_server_det", ties="false", ignores="scale_factor_list interpolate_mode",
    dims=Dims(n="neck_out_channels", o="n//4", r="o//reduce_factor", S="len(backbone_config.stage_out_channels)",
              N="0 : S - 1", stage="backbone_config.stage_out_channels[{S}]", B="intraclass_block_number", **KERNELS),
    heads=(
        head("Model", "", BACKBONE, NECK),
        head("ForObjectDetection", "", under("model", BACKBONE, NECK), DETECTION, default=True)))


WEIGHED = rows(                                # channels of a map, weighed
    part("squeeze_excitation_block.conv1", "neck.squeeze", conv("o -> o//reduction, 1 1")),
    part("squeeze_excitation_block.conv2", "neck.excite",  conv("o//reduction -> o, 1 1")))
# X: maps of x channels, m behind the backbone; Y: maps of the neck
MOBILE_DET = SCALED | Dims(
    Y="len(layer_list_out_channels)", X="len(backbone_config.out_indices) | Y", n="neck_out_channels", q="n//4",
    m="layer_list_out_channels[{X}]", t="layer_list_out_channels[{Y}]", s="backbone_config.out_indices[{X}]")
MAPS_AND_NECK = rows(
    part("layer.{X}", "neck.map", conv("floor(x) -> m, 1 1")),
    under("neck.insert_conv.{Y}", part("in_conv", "neck.lateral", conv("t -> o, 1 1", bias=False)), WEIGHED,
          o="n", tower="insert"),
    under("neck.input_conv.{Y}",  part("in_conv", "neck.conv",    conv("n -> o, 3 3", bias=False)), WEIGHED,
          o="q", tower="input"))
MASKS = rows(                                  # n channels in, q inside
    part("conv_down.convolution", "head.mask.down", conv("n -> q, kernel_list[0] kernel_list[0]", bias=False)),
    part("conv_down.norm",        "norm.head.down", batchnorm("q")),
    part("conv_up.convolution",   "head.mask.up",   conv_t("q -> q, kernel_list[1] kernel_list[1]")),
    part("conv_up.norm",          "norm.head.up",   batchnorm("q")),
    part("conv_final",            "head.mask",      conv_t("q -> 1, kernel_list[2] kernel_list[2]")))
PP_OCRV5_MOBILE_DET = Architecture("pp_ocrv5_mobile_det", ties="false", ignores="interpolate_mode", dims=MOBILE_DET,
    heads=(
        head("Model", "", MOBILE, MAPS_AND_NECK),
        head("ForObjectDetection", "", under("model", MOBILE, MAPS_AND_NECK),
            under("head", MASKS), default=True)))
