"""BiRefNet and RMBG 2: a Swin encoder that sees the image in two sizes, and a decoder of deformable convolutions.

birefnet.py of the repository on the Hub: every size is a number in its class `Config`, so that the config has none of
them. The encoder is Swin L, T (in the lite models) or B; each stage has the maps of both sizes, one after the other,
so that all widths of the decoder follow from the width of the encoder (`e`). Each block of the decoder widens three
kinds of deformable convolutions, with a kernel of 1, 3 and 7, and a mean of the map.
"""

from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, dense, linear, param

DEFORMABLE = rows(                             # q is the side of the kernel
    part("atrous_conv.offset_conv",    "resnet.conv.offset",    conv("64 -> 2*q*q, q q")),
    part("atrous_conv.modulator_conv", "resnet.conv.modulator", conv("64 -> q*q, q q")),
    part("atrous_conv.regular_conv",   "resnet.conv",           conv("64 -> 256, q q", bias=False)),
    part("bn",                         "norm.resnet",           batchnorm("256")))
BLOCK = rows(                                  # i in, o out
    part("conv_in", "resnet.conv.start",conv("i -> 64, 3 3")),
    part("bn_in",   "norm.resnet.start", batchnorm("64")),
    under("dec_att",
        under("aspp1",          DEFORMABLE, q="1", tower="point"),
        under("aspp_deforms.0", DEFORMABLE, q="1", tower="kernel1"),
        under("aspp_deforms.1", DEFORMABLE, q="3", tower="kernel3"),
        under("aspp_deforms.2", DEFORMABLE, q="7", tower="kernel7"),
        part("global_avg_pool.1", "resnet.conv.pool", conv("64 -> 256, 1 1", bias=False)),
        part("global_avg_pool.2", "norm.resnet.pool", batchnorm("256")),
        part("conv1",             "resnet.conv.mix",  conv("1280 -> 64, 1 1", bias=False)),
        part("bn1",               "norm.resnet.mix",  batchnorm("64"))),
    part("conv_out", "resnet.out", conv("64 -> o, 3 3")),
    part("bn_out",   "norm.resnet.out", batchnorm("o")))
PATCHES = rows(
    part("conv1",    "embed.patch", conv("i -> 64, 3 3")),
    part("conv_out", "project",     conv("64 -> o, 3 3")))
SUPERVISION = rows(                            # of a map of w channels
    part("gdt_convs_{G}.0",      "head.gradient.conv", conv("w -> 16, 3 3")),
    part("gdt_convs_{G}.1",      "norm.head",          batchnorm("16")),
    part("gdt_convs_pred_{G}.0", "head.gradient",      conv("16 -> 1, 1 1")),
    part("gdt_convs_attn_{G}.0", "head.gradient.mask", conv("16 -> 1, 1 1")),
    part("conv_ms_spvn_{G}",     "head.mask.scale",    conv("w -> 1, 1 1")),
    part("lateral_block{G}.conv", "project.lateral",   conv("w -> w, 1 1")))
STAGE = under("blocks.{B}",
    part("norm1",     "norm.attention",   affine("w")),
    part("attn.qkv",  "attention.qkv",    dense("w -> w + w + w", packs="q k v")),
    part("attn.proj", "attention.output", dense("w -> w")),
    part("attn.relative_position_bias_table", "attention.bias",       param("(2*k-1)**2 w//32")),
    maybe("attn.relative_position_index",     "attention.bias.index", buffer("k*k k*k")),
    part("norm2",     "norm.mlp",         affine("w")),
    part("mlp.fc1",   "mlp.up",           dense("w -> 4*w")),
    part("mlp.fc2",   "mlp.down",         dense("4*w -> w")))
MERGE = rows(
    part("downsample.norm",      "norm.merge", affine("4*w")),
    part("downsample.reduction", "merge",      linear("4*w -> 2*w")))


ALL = rows(                                    # e: width of the encoder, N: blocks of its third stage, k: its windows
    under("bb",
        part("patch_embed.proj", "embed.patch", conv("3 -> e, 4 4")),
        part("patch_embed.norm", "norm.embed",  affine("e")),
        under("layers.0", STAGE, MERGE, w="e"),
        under("layers.1", STAGE, MERGE, w="2*e"),
        under("layers.2", STAGE, MERGE, w="4*e", B="N"),
        under("layers.3", STAGE, w="8*e"),
        part("norm{Z}", "norm.stage", affine("e*2**{Z}")), tower="encoder"),
    under("squeeze_module.0", BLOCK, i="30*e", o="16*e", tower="squeeze"),
    under("decoder",
        under("ipt_blk5", PATCHES, i="3072", o="2*e"),
        under("ipt_blk4", PATCHES, i="768",  o="2*e"),
        under("ipt_blk3", PATCHES, i="192",  o="e"),
        under("ipt_blk2", PATCHES, i="48",   o="e/2"),
        under("ipt_blk1", PATCHES, i="3",    o="e/4"),
        under("decoder_block4", BLOCK, i="18*e",  o="8*e"),
        under("decoder_block3", BLOCK, i="10*e",  o="4*e"),
        under("decoder_block2", BLOCK, i="5*e",   o="2*e"),
        under("decoder_block1", BLOCK, i="5*e/2", o="e"),
        rows(SUPERVISION, w="2*e*2**({G}-2)"),
        part("conv_out1.0", "head.mask", conv("5*e/4 -> 1, 1 1")), tower="decoder"))
BIREFNET = Architecture("BiRefNet", heads=(head("BiRefNet", ""),), ignores="bb_pretrained custom_pipelines",
    dims=Dims(Z="0:4", G="2:5", B="2", NL="18", NT="6"),
    parts=rows(either(
        either(rows(ALL, e="192", N="NL", k="12"), rows(ALL, e="96", N="NT", k="7")),
        either(rows(ALL, e="128", N="NL", k="12"), rows(ALL, e="96", N="NL", k="7")))))
