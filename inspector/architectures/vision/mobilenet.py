"""MobileNet v1 and v2, EfficientNet.

modeling_mobilenet_v1.py: channels double in the first block and wherever the stride is 2, then are multiplied and
floored to `min_depth`. modeling_mobilenet_v2.py, modeling_efficientnet.py: channels are rounded to a multiple of the
divisor, and one more where that would lose a tenth; expanded ones are rounded likewise in MobileNet. EfficientNet's
blocks are numbered through seven stages; its squeeze is a share of a block's *input*.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import batchnorm, conv, dense

V1_LAYER = rows(
    part("convolution",   "resnet.conv", conv("i -> o, k k", groups="n", bias=False)),
    part("normalization", "norm.resnet", batchnorm("o")))
LABELS = Dims(C="labels", c="num_channels", x="depth_multiplier")
# x: multiplier of all channels; E, O: depthwise (even) and pointwise (odd) layers; a, d: channels of the stem, at the
# end; v: channels of a depthwise layer; u, w: input and output of a pointwise layer
MOBILENET_V1 = Architecture("mobilenet_v1",
    dims=LABELS | Dims(
        L="13", E="0 : 26 : 2", O="1 : 26 : 2", a="max(floor(32*x), min_depth)", d="max(floor(1024*x), min_depth)",
        w="max(floor(x*(64 when {O} < 2 | 128 when {O} < 6 | 256 when {O} < 10 | 512 when {O} < 22 "
          "| 1024)), min_depth)",
        u="max(floor(x*(32 when {O} < 2 | 64 when {O} < 4 | 128 when {O} < 8 | 256 when {O} < 12 | 512 when {O} < 24 "
          "| 1024)), min_depth)",
        v="max(floor(x*(32 when {E} < 2 | 64 when {E} < 4 | 128 when {E} < 8 | 256 when {E} < 12 | 512 when {E} < 24 "
          "| 1024)), min_depth)"),
    parts=rows(
        under("conv_stem",  V1_LAYER, i="c", o="a", k="3", n="1"),
        under("layer.{E}",  V1_LAYER, i="v", o="v", k="3", n="v"),
        under("layer.{O}",  V1_LAYER, i="u", o="w", k="1", n="1")),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "mobilenet_v1.", part("classifier", "head.class", dense("d -> C")),
             default=True)))

V2_LAYER = V1_LAYER
# N: blocks; i, e, o: channels in, expanded, out; a, b, l, d: of the stem, after the stem, of the last block, at the
# end; b*, r*, n*: the steps of rounding them: as in the table, times x, to a multiple of q
MOBILENET_V2 = Architecture("mobilenet_v2",
    dims=LABELS | Dims(
        q="depth_divisible_by", y="min_depth", N="16",
        bi="16 when {N} < 1 | 24 when {N} < 3 | 32 when {N} < 6 | 64 when {N} < 10 | 96 when {N} < 13 | 160",
        bo="24 when {N} < 2 | 32 when {N} < 5 | 64 when {N} < 9 | 96 when {N} < 12 | 160 when {N} < 15 | 320",
        ri="floor(bi*x + 0.5)", ni="max(y, floor(ri + q*0.5)//q*q)", i="ni + q when 10*ni < 9*ri | ni",
        ro="floor(bo*x + 0.5)", no="max(y, floor(ro + q*0.5)//q*q)", o="no + q when 10*no < 9*ro | no",
        re="floor(i*expand_ratio + 0.5)", ne="max(y, floor(re + q*0.5)//q*q)", e="ne + q when 10*ne < 9*re | ne",
        r1="floor(32*x + 0.5)", n1="max(y, floor(r1 + q*0.5)//q*q)", a="n1 + q when 10*n1 < 9*r1 | n1",
        r2="floor(16*x + 0.5)", n2="max(y, floor(r2 + q*0.5)//q*q)", b="n2 + q when 10*n2 < 9*r2 | n2",
        r3="floor(320*x + 0.5)", n3="max(y, floor(r3 + q*0.5)//q*q)", l="n3 + q when 10*n3 < 9*r3 | n3",
        r4="floor(1280*x + 0.5)", n4="max(y, floor(r4 + q*0.5)//q*q)",
        d="1280 when finegrained_output and x < 1 | n4 + q when 10*n4 < 9*r4 | n4"),
    parts=rows(
        under("conv_stem.first_conv", V2_LAYER, i="c", o="a", k="3", n="1", tower="first"),
        under("conv_stem.expand_1x1", V2_LAYER, i="a", o="a", k="1", n="1", tower="stem.expand",
              when="not first_layer_is_expansion"),
        under("conv_stem.conv_3x3",   V2_LAYER, i="a", o="a", k="3", n="a", tower="stem.depth"),
        under("conv_stem.reduce_1x1", V2_LAYER, i="a", o="b", k="1", n="1", tower="stem.reduce"),
        under("layer.{N}.expand_1x1", V2_LAYER, i="i", o="e", k="1", n="1", tower="expand"),
        under("layer.{N}.conv_3x3",   V2_LAYER, i="e", o="e", k="3", n="e", tower="depth"),
        under("layer.{N}.reduce_1x1", V2_LAYER, i="e", o="o", k="1", n="1", tower="reduce"),
        under("conv_1x1",             V2_LAYER, i="l", o="d", k="1", n="1", tower="last")),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "mobilenet_v2.", part("classifier", "head.class", dense("d -> C")),
             default=True),
        head("ForSemanticSegmentation", "mobilenet_v2.",
            under("segmentation_head.conv_pool",       V2_LAYER, i="l", o="256", k="1", n="1", tower="head.pool"),
            under("segmentation_head.conv_aspp",       V2_LAYER, i="l", o="256", k="1", n="1", tower="head.pyramid"),
            under("segmentation_head.conv_projection", V2_LAYER, i="512", o="256", k="1", n="1", tower="head.project"),
            part("segmentation_head.classifier.convolution", "head.class", conv("256 -> C, 1 1")))))

EFFICIENT = rows(                              # i channels in, o out, t the expansion, k the kernel
    part("expansion.expand_conv", "resnet.expand", conv("i -> i*t, 1 1", bias=False), when="t != 1"),
    part("expansion.expand_bn",   "norm.expand",   batchnorm("i*t"), when="t != 1"),
    part("depthwise_conv.depthwise_conv", "resnet.conv", conv("i*t -> i*t, k k", groups="i*t", bias=False)),
    part("depthwise_conv.depthwise_norm", "norm.resnet", batchnorm("i*t")),
    part("squeeze_excite.reduce", "resnet.squeeze", conv("i*t -> max(1, floor(i*squeeze_expansion_ratio)), 1 1")),
    part("squeeze_excite.expand", "resnet.excite",  conv("max(1, floor(i*squeeze_expansion_ratio)) -> i*t, 1 1")),
    part("projection.project_conv", "resnet.reduce", conv("i*t -> o, 1 1", bias=False)),
    part("projection.project_bn",   "norm.reduce",   batchnorm("o")))
# i0, o0: channels in and out of stage 0 (m*: rounded to a multiple of q, before the correction); s, top, last: of the
# stem, of the top convolution and of its input; b1: blocks up to the end of stage 0; F0, R0: its first, other blocks
EFFICIENT_DIMS = LABELS | Dims(
    q="depth_divisor", x="width_coefficient", z="depth_coefficient", d="hidden_dim", S="len(in_channels)",
    ms="max(q, floor(32*x + q*0.5)//q*q)", s="ms + q when 10*ms < 9*32*x | ms",
    mt="max(q, floor(1280*x + q*0.5)//q*q)", top="mt + q when 10*mt < 9*1280*x | mt",
    mi0="max(q, floor(in_channels[0]*x + q*0.5)//q*q)", i0="mi0 + q when 10*mi0 < 9*in_channels[0]*x | mi0",
    mo0="max(q, floor(out_channels[0]*x + q*0.5)//q*q)", o0="mo0 + q when 10*mo0 < 9*out_channels[0]*x | mo0",
    mi1="max(q, floor(in_channels[1]*x + q*0.5)//q*q)", i1="mi1 + q when 10*mi1 < 9*in_channels[1]*x | mi1",
    mo1="max(q, floor(out_channels[1]*x + q*0.5)//q*q)", o1="mo1 + q when 10*mo1 < 9*out_channels[1]*x | mo1",
    mi2="max(q, floor(in_channels[2]*x + q*0.5)//q*q)", i2="mi2 + q when 10*mi2 < 9*in_channels[2]*x | mi2",
    mo2="max(q, floor(out_channels[2]*x + q*0.5)//q*q)", o2="mo2 + q when 10*mo2 < 9*out_channels[2]*x | mo2",
    mi3="max(q, floor(in_channels[3]*x + q*0.5)//q*q)", i3="mi3 + q when 10*mi3 < 9*in_channels[3]*x | mi3",
    mo3="max(q, floor(out_channels[3]*x + q*0.5)//q*q)", o3="mo3 + q when 10*mo3 < 9*out_channels[3]*x | mo3",
    mi4="max(q, floor(in_channels[4]*x + q*0.5)//q*q)", i4="mi4 + q when 10*mi4 < 9*in_channels[4]*x | mi4",
    mo4="max(q, floor(out_channels[4]*x + q*0.5)//q*q)", o4="mo4 + q when 10*mo4 < 9*out_channels[4]*x | mo4",
    mi5="max(q, floor(in_channels[5]*x + q*0.5)//q*q)", i5="mi5 + q when 10*mi5 < 9*in_channels[5]*x | mi5",
    mo5="max(q, floor(out_channels[5]*x + q*0.5)//q*q)", o5="mo5 + q when 10*mo5 < 9*out_channels[5]*x | mo5",
    mi6="max(q, floor(in_channels[6]*x + q*0.5)//q*q)", i6="mi6 + q when 10*mi6 < 9*in_channels[6]*x | mi6",
    mo6="max(q, floor(out_channels[6]*x + q*0.5)//q*q)", o6="mo6 + q when 10*mo6 < 9*out_channels[6]*x | mo6",
    b1="ceil(z*num_block_repeats[0], 1)", F0="0 : 0 + 1", R0="0 + 1 : b1",
    b2="b1 + ceil(z*num_block_repeats[1], 1)", F1="b1 : b1 + 1", R1="b1 + 1 : b2",
    b3="b2 + ceil(z*num_block_repeats[2], 1)", F2="b2 : b2 + 1", R2="b2 + 1 : b3",
    b4="b3 + ceil(z*num_block_repeats[3], 1)", F3="b3 : b3 + 1", R3="b3 + 1 : b4",
    b5="b4 + ceil(z*num_block_repeats[4], 1)", F4="b4 : b4 + 1", R4="b4 + 1 : b5",
    b6="b5 + ceil(z*num_block_repeats[5], 1)", F5="b5 : b5 + 1", R5="b5 + 1 : b6",
    b7="b6 + ceil(z*num_block_repeats[6], 1)", F6="b6 : b6 + 1", R6="b6 + 1 : b7",
    ml="max(q, floor(out_channels[S-1]*x + q*0.5)//q*q)", last="ml + q when 10*ml < 9*out_channels[S-1]*x | ml")
EFFICIENT_PARTS = rows(
    part("embeddings.convolution", "embed.image", conv("c -> s, 3 3", bias=False)),
    part("embeddings.batchnorm",   "norm.embed",  batchnorm("s")),
    under("encoder.blocks.{F0}", EFFICIENT, i="i0", o="o0", t="expand_ratios[0]", k="kernel_sizes[0]"),
    under("encoder.blocks.{R0}", EFFICIENT, i="o0", o="o0", t="expand_ratios[0]", k="kernel_sizes[0]"),
    under("encoder.blocks.{F1}", EFFICIENT, i="i1", o="o1", t="expand_ratios[1]", k="kernel_sizes[1]"),
    under("encoder.blocks.{R1}", EFFICIENT, i="o1", o="o1", t="expand_ratios[1]", k="kernel_sizes[1]"),
    under("encoder.blocks.{F2}", EFFICIENT, i="i2", o="o2", t="expand_ratios[2]", k="kernel_sizes[2]"),
    under("encoder.blocks.{R2}", EFFICIENT, i="o2", o="o2", t="expand_ratios[2]", k="kernel_sizes[2]"),
    under("encoder.blocks.{F3}", EFFICIENT, i="i3", o="o3", t="expand_ratios[3]", k="kernel_sizes[3]"),
    under("encoder.blocks.{R3}", EFFICIENT, i="o3", o="o3", t="expand_ratios[3]", k="kernel_sizes[3]"),
    under("encoder.blocks.{F4}", EFFICIENT, i="i4", o="o4", t="expand_ratios[4]", k="kernel_sizes[4]"),
    under("encoder.blocks.{R4}", EFFICIENT, i="o4", o="o4", t="expand_ratios[4]", k="kernel_sizes[4]"),
    under("encoder.blocks.{F5}", EFFICIENT, i="i5", o="o5", t="expand_ratios[5]", k="kernel_sizes[5]"),
    under("encoder.blocks.{R5}", EFFICIENT, i="o5", o="o5", t="expand_ratios[5]", k="kernel_sizes[5]"),
    under("encoder.blocks.{F6}", EFFICIENT, i="i6", o="o6", t="expand_ratios[6]", k="kernel_sizes[6]"),
    under("encoder.blocks.{R6}", EFFICIENT, i="o6", o="o6", t="expand_ratios[6]", k="kernel_sizes[6]"))
EFFICIENTNET = Architecture("efficientnet", ignores="num_hidden_layers",
    dims=EFFICIENT_DIMS,
    parts=rows(
        EFFICIENT_PARTS,
        part("encoder.top_conv",       "resnet.top",  conv("last -> top, 1 1", bias=False)),
        part("encoder.top_bn",         "norm.final",  batchnorm("d"))),
    heads=(
        head("Model", ""),
        head("ForImageClassification", "efficientnet.", part("classifier", "head.class", dense("d -> C")),
             default=True)))
