"""ResNet, the ResNet-D of RT-DETR, and RegNet.

modeling_resnet.py: a shortcut where the width or the stride changes: in the first layer of every stage but the first,
and there too where the stem is not as wide or `downsample_in_first_stage`; the narrow middle is a quarter of the
output.
modeling_regnet.py: the middle convolution is grouped; layer type y squeezes to a quarter of the layer's *input*,
rounded to even as Python does. modeling_rt_detr_resnet.py: a stem of three convolutions; a shortcut of stride 2 follows
a pooling and is the second in its list. Every norm has three buffers, one of them 0-dimensional.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import batchnorm, conv, dense

STAGES = Dims(c="num_channels", e="embedding_size", S="min(len(depths), len(hidden_sizes))", B="depths[{S}]", D="S[1:]",
              R="B[1:]",
              w="hidden_sizes[{S}]", v="hidden_sizes[{S}-1] | e", z="hidden_sizes[0]",
              f="hidden_sizes[len(hidden_sizes)-1]", d="f",
              C="labels")
CONV1 = rows(part("convolution", "resnet.conv.1", conv("i -> o, k k", bias=False)),
             part("normalization", "norm.resnet.1", batchnorm("o")))
CONV2 = rows(part("convolution", "resnet.conv.2", conv("i -> o, k k", groups="n", bias=False)),
             part("normalization", "norm.resnet.2", batchnorm("o")))
CONV3 = rows(part("convolution", "resnet.conv.3", conv("i -> o, k k", bias=False)),
             part("normalization", "norm.resnet.3", batchnorm("o")))
CONV4 = rows(part("convolution", "resnet.conv", conv("i -> o, k k", bias=False)),
             part("normalization", "norm.resnet", batchnorm("o")))
SHORTCUT = rows(
    part("convolution",   "resnet.skip",      conv("i -> o, 1 1", bias=False)),
    part("normalization", "norm.resnet.skip", batchnorm("o")))
SHORTCUTS = rows(
    under("encoder.stages.0.layers.0.shortcut",   SHORTCUT, i="e", o="z", when="e != z or downsample_in_first_stage"),
    under("encoder.stages.{D}.layers.0.shortcut", SHORTCUT, i="v", o="w"))
INNER = Dims(basic="layer_type == 'basic'", m="w when basic | w//4", k="3 when basic | 1")
LAYER = rows(                                  # i channels in; y: the first convolution has the stride; moves no shape
    under("layer.0", CONV1, o="m"),
    under("layer.1", CONV2, i="m", o="m", k="3", n="1"),
    under("layer.2", CONV3, i="m", o="w", k="1", when="not basic"))
RESNET = Architecture("resnet", ignores="out_features out_indices", dims=STAGES | INNER,
    parts=rows(
        part("embedder.embedder.convolution",   "embed.image", conv("c -> e, 7 7", bias=False)),
        part("embedder.embedder.normalization", "norm.embed",  batchnorm("e")),
        SHORTCUTS,
        under("encoder.stages.{S}.layers.0",   LAYER, i="v"),
        under("encoder.stages.{S}.layers.{R}", LAYER, i="w")),
    heads=(
        head("Model",                  ""),
        head("ForImageClassification", "resnet.", part("classifier.1", "head.class", dense("f -> C")), default=True),
        head("Backbone",               "")))

RT_DETR_RESNET = Architecture("rt_detr_resnet", ignores="out_features out_indices downsample_in_bottleneck",
                              dims=STAGES | INNER | Dims(
        deep="layer_type == 'bottleneck'", a="D[:0] when deep | D[v == w]", Q="D - a",
        first="downsample_in_first_stage when deep | e != z"),
    parts=rows(
        under("embedder.embedder.0", CONV1, i="c", o="e//2", k="3", tower="stem"),
        under("embedder.embedder.1", CONV1, i="e//2", o="e//2", k="3", tower="stem.second"),
        under("embedder.embedder.2", CONV1, i="e//2", o="e", k="3", tower="stem.third"),
        under("encoder.stages.0.layers.0.shortcut.1",   SHORTCUT, i="e", o="z", when="first"),
        under("encoder.stages.0.layers.0.shortcut",     SHORTCUT, i="e", o="z",
              when="not first and (e != z or not deep)"),
        under("encoder.stages.{Q}.layers.0.shortcut.1", SHORTCUT, i="v", o="w"),
        under("encoder.stages.{a}.layers.0.shortcut",   SHORTCUT, i="v", o="w"),
        under("encoder.stages.{S}.layers.0",   LAYER, i="v"),
        under("encoder.stages.{S}.layers.{R}", LAYER, i="w")),
    heads=(head("Backbone", ""),))

GROUPED = Dims(n="max(1, w//groups_width)",)
SQUEEZE = rows(                                # i channels of the layer's input
    part("attention.0", "resnet.squeeze", conv("w -> (i + 1 + i//4%2)//4, 1 1")),
    part("attention.2", "resnet.excite",  conv("(i + 1 + i//4%2)//4 -> w, 1 1")))
X_LAYER = rows(
    under("layer.0", CONV1, o="w", k="1"),
    under("layer.1", CONV2, i="w", o="w", k="3"),
    under("layer.2", CONV3, i="w", o="w", k="1"))
Y_LAYER = rows(
    under("layer.0", CONV1, o="w", k="1"),
    under("layer.1", CONV2, i="w", o="w", k="3"),
    under("layer.2", SQUEEZE),
    under("layer.3", CONV4, i="w", o="w", k="1"))
REGNET = Architecture("regnet", dims=STAGES | GROUPED,
    parts=rows(
        part("embedder.embedder.convolution",   "embed.image", conv("c -> e, 3 3", bias=False)),
        part("embedder.embedder.normalization", "norm.embed",  batchnorm("e")),
        SHORTCUTS,
        under("encoder.stages.{S}.layers.0",   X_LAYER, i="v", when="layer_type == 'x'"),
        under("encoder.stages.{S}.layers.{R}", X_LAYER, i="w", when="layer_type == 'x'"),
        under("encoder.stages.{S}.layers.0",   Y_LAYER, i="v", when="layer_type == 'y'"),
        under("encoder.stages.{S}.layers.{R}", Y_LAYER, i="w", when="layer_type == 'y'")),
    heads=(
        head("Model",                  ""),
        head("ForImageClassification", "regnet.", part("classifier.1", "head.class", dense("f -> C")), default=True)))
