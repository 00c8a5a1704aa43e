"""MobileNetV5, the tower of Gemma 3n: a network of the timm library, known by its name alone.

timm's mobilenetv5.py, `mobilenetv5_300m_enc`: stages of edge residuals, of inverted bottlenecks with two depthwise
convolutions, and of bottlenecks in turn with multi-query attention; every norm is an RMS norm without bias. No key of
the config moves a number, so the numbers are here. Keys and values of the third stage are halved before they are
projected.
"""

from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import conv, param, scale

WIDTHS = Dims(d="hidden_size", a="64", b="128", e="256", f="640", g="1280", o="2048", E="1 : 3",
              F="1 : 5", F5="1 : 5 : 2", F3="2 : 5 : 2", G="1 : 8", GA="9 : 36 : 2", GM="10 : 37 : 2",
              HA="1 : 38 : 2", HM="2 : 39 : 2")
EDGE = rows(                                   # i channels in, x inside, w out
    part("conv_exp", "resnet.conv.up",   conv("i -> x, 3 3", bias=False)),
    part("bn1",      "norm.resnet.up",   scale("x")),
    part("conv_pwl", "resnet.conv.down", conv("x -> w, 1 1", bias=False)),
    part("bn2",      "norm.resnet.down", scale("w")))
UP_DOWN = rows(
    part("pw_exp.conv",       "resnet.conv.up",   conv("i -> x, 1 1", bias=False)),
    part("pw_exp.bn",         "norm.resnet.up",   scale("x")),
    part("pw_proj.conv",      "resnet.conv.down", conv("x -> w, 1 1", bias=False)),
    part("pw_proj.bn",        "norm.resnet.down", scale("w")),
    part("layer_scale.gamma", "resnet.scale",     param("w")))
START = rows(                                  # k the kernel
    part("dw_start.conv", "resnet.conv.start", conv("i -> i, k k", groups="i", bias=False)),
    part("dw_start.bn",   "norm.resnet.start", scale("i")))
MIDDLE = rows(
    part("dw_mid.conv", "resnet.conv.middle", conv("x -> x, 5 5", groups="x", bias=False)),
    part("dw_mid.bn",   "norm.resnet.middle", scale("x")))
ATTENTION = rows(                              # x all heads, i one
    part("norm",              "norm.attention",   scale("w")),
    part("attn.query.proj",   "attention.query",  conv("w -> x, 1 1", bias=False)),
    part("attn.key.proj",     "attention.key",    conv("w -> i, 1 1", bias=False)),
    part("attn.value.proj",   "attention.value",  conv("w -> i, 1 1", bias=False)),
    part("attn.output.proj",  "attention.output", conv("x -> w, 1 1", bias=False)),
    part("layer_scale.gamma", "attention.scale",  param("w")))
HALVED = rows(
    part("attn.key.down_conv",   "attention.key.down",   conv("w -> w, 3 3", groups="w", bias=False)),
    part("attn.key.norm",        "norm.key",             scale("w")),
    part("attn.value.down_conv", "attention.value.down", conv("w -> w, 3 3", groups="w", bias=False)),
    part("attn.value.norm",      "norm.value",           scale("w")))
MOBILENETV5 = Architecture("mobilenetv5_300m_enc", dims=WIDTHS,
    parts=under("timm_model",
        part("conv_stem.conv", "embed.image", conv("3 -> a, 3 3")),
        part("conv_stem.bn",   "norm.embed",  scale("a")),
        under("blocks.0.0",    EDGE, i="a", x="e", w="b"),
        under("blocks.0.{E}",  EDGE, i="b", x="4*b", w="b"),
        under("blocks.1.0",    START, MIDDLE, UP_DOWN, i="b", x="6*b", w="e", k="3"),
        under("blocks.1.{F}",  UP_DOWN, i="e", x="4*e", w="e"),
        under("blocks.1.{F5}", START, i="e", k="5"),
        under("blocks.1.{F3}", START, i="e", k="3"),
        under("blocks.2.0",    START, MIDDLE, UP_DOWN, i="e", x="6*e", w="f", k="5"),
        under("blocks.2.{G}",  START, UP_DOWN, i="f", x="4*f", w="f", k="5"),
        under("blocks.2.8",    UP_DOWN, i="f", x="f", w="f"),
        under("blocks.2.{GA}", ATTENTION, HALVED, w="f", x="12*64", i="64"),
        under("blocks.2.{GM}", UP_DOWN, i="f", x="2*f", w="f"),
        under("blocks.3.0",    START, MIDDLE, UP_DOWN, i="f", x="6*f", w="g", k="5"),
        under("blocks.3.{HA}", ATTENTION, w="g", x="16*96", i="96"),
        under("blocks.3.{HM}", UP_DOWN, i="g", x="2*g", w="g"),
        under("msfa",
            part("ffn.pw_exp.conv",  "neck.up",        conv("f + g -> 2*(f + g), 1 1", bias=False)),
            part("ffn.pw_exp.bn",    "norm.neck.up",   scale("2*(f + g)")),
            part("ffn.pw_proj.conv", "neck.down",      conv("2*(f + g) -> o, 1 1", bias=False)),
            part("ffn.pw_proj.bn",   "norm.neck.down", scale("o")),
            part("norm",             "norm.final",     scale("o")))))
