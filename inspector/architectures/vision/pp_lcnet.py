"""PP-LCNet, PaddleOCR's small classifier of pages and lines, and PP-LCNetV3.

modeling_pp_lcnet.py: `block_configs` lists for each layer of each stage its kernel, channels in and out, stride, and
whether channels are weighed between its depthwise and pointwise convolution; channels are scaled and rounded to
`divisor`, never below nine tenths. configuration_pp_lcnet.py has the default list: channels double in each stage.
modeling_pp_lcnet_v3.py: each convolution has parallel branches, which a converter may fold into one: as many as
`conv_symmetric_num`, one of one by one where the kernel is larger, and a norm of the input where nothing changes.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import batchnorm, conv, dense, param

CONV = rows(                                   # i channels in, o out, k the kernel, n groups
    part("convolution",   "resnet.conv", conv("i -> o, k k", groups="n", bias=False)),
    part("normalization", "norm.resnet", batchnorm("o")))
SQUEEZE = under("blocks.{S}.layers.{W}.squeeze_excitation_module.convolutions",
    part("0", "resnet.squeeze", conv("cw -> cw//reduction, 1 1")),
    part("2", "resnet.excite",  conv("cw//reduction -> cw, 1 1")))
# S: stages; B: layers of one, W: those that weigh channels; xi, xo: scaled channels, ri, ro: rounded, ci, co: never
# much below
DIMS = Dims(
    S="len(block_configs) | 5",
    B="len(block_configs[{S}]) | 1 when {S} == 0 | 6 when {S} == 3 | 2",
    stage="block_configs[{S}]", W="B[stage[4] == true] when block_configs != null | B when {S} == 4 | 0",
    kernel="block_configs[{S}][{B}][0] | 5 when {S} == 4 or {S} == 3 and {B} > 0 | 3",
    xi="(block_configs[{S}][{B}][1] | 16*2**{S} when {B} == 0 | 32*2**{S})*scale",
    xo="(block_configs[{S}][{B}][2] | 32*2**{S})*scale",
    ri="max(floor(xi + divisor*0.5)//divisor*divisor, divisor)", ci="ri + divisor when ri < 0.9*xi | ri",
    ro="max(floor(xo + divisor*0.5)//divisor*divisor, divisor)", co="ro + divisor when ro < 0.9*xo | ro",
    weighed="(block_configs[{S}][{W}][1] | 16*2**{S} when {W} == 0 | 32*2**{S})*scale",
    rw="max(floor(weighed + divisor*0.5)//divisor*divisor, divisor)",
    cw="rw + divisor when rw < 0.9*weighed | rw",
    x0="stem_channels*scale", r0="max(floor(x0 + divisor*0.5)//divisor*divisor, divisor)",
    c0="r0 + divisor when r0 < 0.9*x0 | r0",
    last="len(block_configs) - 1", xf="(block_configs[last][len(block_configs[last]) - 1][2] | 512)*scale",
    rf="max(floor(xf + divisor*0.5)//divisor*divisor, divisor)", cf="rf + divisor when rf < 0.9*xf | rf",
    f="class_expand", C="labels")
PP_LCNET = Architecture("pp_lcnet", ties="false", ignores="stem_stride out_features out_indices depths stage_names",
    dims=DIMS,
    parts=under("encoder",
        under("convolution", CONV, i="3", o="c0", k="3", n="1", tower="stem"),
        under("blocks.{S}.layers.{B}",
            under("depthwise_convolution", CONV, i="ci", o="ci", k="kernel", n="ci", tower="depth"),
            under("pointwise_convolution", CONV, i="ci", o="co", k="1", n="1", tower="point")),
        SQUEEZE),
    heads=(
        head("Backbone", ""),
        head("ForImageClassification", "",
             part("last_convolution", "head.conv",  conv("cf -> f, 1 1", bias=False)),
             part("head",             "head.class", dense("f -> C")), default=True)))

BRANCHES = rows(                               # n: groups; folded by a converter, they are one convolution
    part("conv_symmetric.{N}.convolution",     "resnet.conv",        conv("i -> o, k k", groups="n", bias=False)),
    part("conv_symmetric.{N}.normalization",   "norm.resnet",        batchnorm("o")),
    rows(
        part("conv_small_symmetric.convolution",   "resnet.point.conv", conv("i -> o, 1 1", groups="n", bias=False)),
        part("conv_small_symmetric.normalization", "norm.resnet.point", batchnorm("o")), when="k > 1"),
    part("lab.scale",     "resnet.scale",     param("1")),
    part("lab.bias",      "resnet.shift",     param("1")),
    part("act.lab.scale", "resnet.act.scale", param("1")),
    part("act.lab.bias",  "resnet.act.shift", param("1")))
IDENTITY = part("identity", "norm.resnet.skip", batchnorm("i"))
# D, P: the layers of a stage whose depthwise, pointwise convolution has a norm of its input
PP_LCNET_V3 = Architecture("pp_lcnet_v3", ties="false",
    ignores="stem_stride out_features out_indices depths stage_names",
    dims=DIMS | Dims(
        B="len(block_configs[{S}]) | 1 when {S} == 0 | 5 when {S} == 3 | 4 when {S} == 4 | 2",
        W="B[stage[4] == true] when block_configs != null | B[:2] when {S} == 4 | 0",
        D="B[stage[3] == 1] when block_configs != null | B when {S} == 0 | B[1:]",
        P="B[ci == co]", N="conv_symmetric_num"),
    parts=under("encoder",
        under("convolution", CONV, i="3", o="c0", k="3", n="1", tower="stem"),
        under("blocks.{S}.layers",
            under("{B}.depthwise_convolution", BRANCHES, i="ci", o="ci", k="kernel", n="ci", tower="depth"),
            under("{D}.depthwise_convolution", IDENTITY, i="ci", tower="depth"),
            under("{B}.pointwise_convolution", BRANCHES, i="ci", o="co", k="1", n="1", tower="point"),
            under("{P}.pointwise_convolution", IDENTITY, i="ci", tower="point")),
        SQUEEZE),
    heads=(head("Backbone", "", default=True), head("Model", "")))

# of version 4 the channels are as listed; X: the layers of a stage that change neither channels nor size, whose
# depthwise convolution has a bias and no norm, Y: the others
V4_STEM = rows(
    CONV,
    part("lab.scale", "resnet.scale", param("1"), when="use_learnable_affine_block"),
    part("lab.bias",  "resnet.shift", param("1"), when="use_learnable_affine_block"))
V4_BLOCK = rows(
    under("channel_conv1", CONV, i="u", o="2*u", k="1", n="1", tower="channel.1"),
    under("channel_conv2", CONV, i="2*u", o="v", k="1", n="1", tower="channel.2"))
PP_LCNET_V4 = Architecture("pp_lcnet_v4", ties="false",
    ignores="scale stem_strides num_channels out_features out_indices depths stage_names hidden_act",
    dims=Dims(
        S="len(block_configs) | 4", stage="block_configs[{S}]",
        B="len(stage) | 1 when {S} == 0 | 2 when {S} == 1 | 7 when {S} == 2 | 3",
        kernel="stage[{B}][0] | 3", u="stage[{B}][1] | 96 when {S} < 2 | 192 when {S} == 2 or {B} == 0 | 384",
        v="stage[{B}][2] | 96 when {S} < 2 | 192 when {S} == 2 | 384",
        step="stage[{B}][3][0] | 2 when {S} > 1 and {B} == 0 | 1", Y="B[u != v or step != 1]", X="B - Y",
        W="B[stage[4] == true] when block_configs != null | B[:1] when {S} == 0 | 0 when {S} == 1 | B[1::2]",
        uw="stage[{W}][1] | 96 when {S} < 2 | 192 when {S} == 2 | 384", c0="stem_channels[0]", c1="stem_channels[1]",
        c2="stem_channels[2]", large="stem_type == 'large'"),
    parts=under("encoder",
        under("convolution",
            under("stem1",  V4_STEM, i="c0",    o="c1",    k="3", n="1", tower="stem.1"),
            under("stem2a", V4_STEM, i="c1",    o="c1//2", k="2", n="1", tower="stem.2"),
            under("stem2b", V4_STEM, i="c1//2", o="c1",    k="2", n="1", tower="stem.3"),
            under("stem3",  V4_STEM, i="2*c1",  o="c1",    k="3", n="1", tower="stem.4"),
            under("stem4",  V4_STEM, i="c1",    o="c2",    k="1", n="1", tower="stem.5"), when="large"),
        under("convolution",
            under("conv1",  CONV, i="c0", o="c1", k="3", n="1", tower="stem.1"),
            under("conv2",  CONV, i="c1", o="c2", k="3", n="1", tower="stem.2"), when="not large"),
        under("blocks.{S}.blocks.{B}", V4_BLOCK),
        part("blocks.{S}.blocks.{X}.token_conv", "resnet.depth", conv("u -> u, kernel kernel", groups="u")),
        under("blocks.{S}.blocks.{Y}.token_conv", CONV, i="u", o="u", k="kernel", n="u", tower="depth"),
        part("blocks.{S}.blocks.{W}.token_squeeze_excitation.convolutions.0", "resnet.squeeze",
             conv("uw -> uw//reduction, 1 1")),
        part("blocks.{S}.blocks.{W}.token_squeeze_excitation.convolutions.2", "resnet.excite",
             conv("uw//reduction -> uw, 1 1"))),
    heads=(head("Backbone", "", default=True), head("Model", "")))
