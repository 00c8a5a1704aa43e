"""MobileViT and MobileViT v2.

modeling_mobilevit.py: five layers, two of inverted residuals (one block and three) and three of a transformer between
convolutions (two, four and three blocks); expanded channels are rounded to a multiple of 8, and one more where that
would lose a tenth. The segmentation head reads the maps before the last expansion. modeling_mobilevitv2.py: all widths
follow from `width_multiplier`; two blocks in the second layer; attention of one query, two convolutions for a
feed-forward rounded down to 16.
"""

from inspector.architectures.vision.vision_blocks import VIT_LAYER
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, conv, dense

COMMON = Dims(                                 # {D} the layers with a transformer, {U} their places among themselves
    c="num_channels", x="expand_ratio", k="conv_kernel_size", z="aspp_out_channels", C="labels",
    A="3",
    S="5", D="S[2:]", d="hidden_sizes[len(hidden_sizes)-1]",
    v0="floor(n0*x + 0.5)", r0="max(8, (v0 + 4)//8*8)", e0="r0 + 8 when 10*r0 < 9*v0 | r0",
    v1="floor(n1*x + 0.5)", r1="max(8, (v1 + 4)//8*8)", e1="r1 + 8 when 10*r1 < 9*v1 | r1",
    v2="floor(n2*x + 0.5)", r2="max(8, (v2 + 4)//8*8)", e2="r2 + 8 when 10*r2 < 9*v2 | r2",
    vi="floor(i*x + 0.5)", ri="max(8, (vi + 4)//8*8)", e="ri + 8 when 10*ri < 9*vi | ri")
CONV = rows(
    part("convolution",   "resnet.conv", conv("i -> o, k k", groups="n", bias=False)),
    part("normalization", "norm.resnet", batchnorm("o")))
INVERTED = rows(                               # i channels in, e inside, o out
    under("expand_1x1", CONV, o="e", k="1", n="1", tower="expand"),
    under("conv_3x3",   CONV, i="e", o="e", k="3", n="e", tower="depth"),
    under("reduce_1x1", CONV, i="e", k="1", n="1", tower="reduce"))
RESIDUALS = rows(                              # B the later blocks of the second layer
    under("conv_stem", CONV, i="c", o="n0", k="3", n="1", tower="stem"),
    under("encoder.layer.0.layer.0",   rows(INVERTED, i="n0", e="e0", o="n1")),
    under("encoder.layer.1.layer.0",   rows(INVERTED, i="n1", e="e1", o="n2")),
    under("encoder.layer.1.layer.{B}", rows(INVERTED, i="n2", e="e2", o="n2")))
SEGMENTATION = under("segmentation_head",      # y channels in
    under("aspp.convs.0",          CONV, i="y", o="z", k="1", n="1", tower="head.first"),
    under("aspp.convs.{R}",        CONV, i="y", o="z", k="3", n="1", tower="head.pyramid"),
    under("aspp.convs.4.conv_1x1", CONV, i="y", o="z", k="1", n="1", tower="head.pool"),
    under("aspp.project",          CONV, i="5*z", o="z", k="1", n="1", tower="head.project"),
    part("classifier.convolution", "head.class", conv("z -> C, 1 1")), R="pyramid")
# n0, n1, n2: channels of the stem and of the first layers; i, o: in and out of a layer with a transformer; w, ff, T:
# its width, feed-forward and blocks; e, e0, …: expanded channels (v*, r*: rounding); f, y: input of the two heads
MOBILEVIT = Architecture("mobilevit",
    dims=COMMON | Dims(
        n0="neck_hidden_sizes[0]", n1="neck_hidden_sizes[1]", n2="neck_hidden_sizes[2]", i="neck_hidden_sizes[{D}]",
        o="neck_hidden_sizes[{D}+1]", w="hidden_sizes[{D}-2]", heads="num_attention_heads", ff="floor(w*mlp_ratio)",
        b="qkv_bias", B="1 : 3", pyramid="1 : 4",
        T="2 when {D} == 2 | 4 when {D} == 3 | 3", f="neck_hidden_sizes[len(neck_hidden_sizes)-1]",
        y="neck_hidden_sizes[len(neck_hidden_sizes)-2]"),
    parts=rows(
        RESIDUALS,
        under("encoder.layer.{D}.downsampling_layer", INVERTED),
        under("encoder.layer.{D}",
            under("conv_kxk", CONV, i="o", n="1", tower="local"),
            part("conv_1x1.convolution", "embed.project", conv("o -> w, 1 1", bias=False)),
            under("transformer.layer.{T}", VIT_LAYER, d="w", a="heads*(w//heads)"),
            part("layernorm", "norm.final", affine("w")),
            under("conv_projection", CONV, i="w", k="1", n="1", tower="project"),
            under("fusion", CONV, i="2*o", n="1", tower="fusion"))),
    heads=(
        head("Model",                   "",
             under("conv_1x1_exp", CONV, i="neck_hidden_sizes[5]", o="neck_hidden_sizes[6]", k="1", n="1",
                   tower="top")),
        head("ForImageClassification",  "mobilevit.",
            under("mobilevit.conv_1x1_exp", CONV, i="neck_hidden_sizes[5]", o="neck_hidden_sizes[6]", k="1", n="1",
                  tower="top"),
            part("classifier", "head.class", dense("f -> C")), default=True),
        head("ForSemanticSegmentation", "mobilevit.", SEGMENTATION)))
# as above; a0, b0, b1, …: the steps of rounding n0, n1, …; aw, bw: of w
MOBILEVITV2 = Architecture("mobilevitv2",
    dims=COMMON | Dims(
        m="width_multiplier", a0="max(16, min(64, 32*m))", b0="max(16, floor(a0 + 4)//8*8)",
        n0="b0 + 8 when 10*b0 < 9*a0 | b0",
        b1="max(16, floor(64*m + 8)//16*16)",  n1="b1 + 16 when 10*b1 < 9*64*m | b1",
        b2="max(8, floor(128*m + 4)//8*8)",    n2="b2 + 8 when 10*b2 < 9*128*m | b2",
        b3="max(8, floor(256*m + 4)//8*8)",    n3="b3 + 8 when 10*b3 < 9*256*m | b3",
        b4="max(8, floor(384*m + 4)//8*8)",    n4="b4 + 8 when 10*b4 < 9*384*m | b4",
        b5="max(8, floor(512*m + 4)//8*8)",    d="b5 + 8 when 10*b5 < 9*512*m | b5", y="d",
        i="n2 when {D} == 2 | n3 when {D} == 3 | n4", o="n3 when {D} == 2 | n4 when {D} == 3 | d",
        aw="base_attn_unit_dims[{D}-2]*m", bw="max(8, floor(aw + 4)//8*8)", w="bw + 8 when 10*bw < 9*aw | bw",
        ff="floor(ffn_multiplier*w//16*16)", T="n_attn_blocks[{D}-2]", B="1 : 2", pyramid="1 : 4"),
    parts=rows(
        RESIDUALS,
        under("encoder.layer.{D}.downsampling_layer", INVERTED),
        under("encoder.layer.{D}",
            under("conv_kxk", CONV, i="o", n="o", tower="local"),
            part("conv_1x1.convolution", "embed.project", conv("o -> w, 1 1", bias=False)),
            under("transformer.layer.{T}",
                part("layernorm_before",               "norm.attention",   affine("w")),
                part("attention.qkv_proj.convolution", "attention.qkv",    conv("w -> 1 + w + w, 1 1")),
                part("attention.out_proj.convolution", "attention.output", conv("w -> w, 1 1")),
                part("layernorm_after",                "norm.mlp",         affine("w")),
                part("ffn.conv1.convolution",          "mlp.up",           conv("w -> ff, 1 1")),
                part("ffn.conv2.convolution",          "mlp.down",         conv("ff -> w, 1 1"))),
            part("layernorm", "norm.final", affine("w")),
            under("conv_projection", CONV, i="w", k="1", n="1", tower="project"))),
    heads=(
        head("Model", ""),
        head("ForImageClassification",  "mobilevitv2.", part("classifier", "head.class", dense("d -> C")),
             default=True),
        head("ForSemanticSegmentation", "mobilevitv2.", SEGMENTATION)))
