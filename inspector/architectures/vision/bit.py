"""BiT, the ResNet whose norms come before its convolutions.

modeling_bit.py: widths are rounded to multiples of 8, never down by more than a tenth; the first layer of every stage
has a shortcut. `layer_type` "bottleneck" puts the norms behind the convolutions, and one behind the stem; otherwise one
follows the last stage. Convolutions have no bias.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense

# a width x becomes r, the nearest multiple of 8, or the one above it where r is less than nine tenths of x
STAGES = Dims(c="num_channels", e="embedding_size", S="min(len(depths), len(hidden_sizes))", B="depths[{S}]", R="B[1:]",
              f="hidden_sizes[len(hidden_sizes)-1]", d="f",
              x="hidden_sizes[{S}]*width_factor",   r="max(8, floor(x + 4)//8*8)", w="r + 8 when 10*r < 9*x | r",
              y="hidden_sizes[{S}-1]*width_factor", q="max(8, floor(y + 4)//8*8)",
              v="e when {S} == 0 | q + 8 when 10*q < 9*y | q",
              n="max(8, (w//4 + 4)//8*8)",          m="n + 8 when 40*n < 9*w | n",
              after="layer_type == 'bottleneck'", C="labels")
LAYER = rows(                                  # i channels in
    part("conv1", "resnet.conv.1", conv("i -> m, 1 1", bias=False)),
    part("conv2", "resnet.conv.2", conv("m -> m, 3 3", bias=False)),
    part("conv3", "resnet.conv.3", conv("m -> w, 1 1", bias=False)),
    part("norm1", "norm.resnet.1", affine("m when after | i")),
    part("norm2", "norm.resnet.2", affine("m")),
    part("norm3", "norm.resnet.3", affine("w when after | m")))
BIT = Architecture("bit", ignores="out_features out_indices", dims=STAGES,
    parts=rows(
        part("embedder.convolution", "embed.image", conv("c -> e, 7 7", bias=False)),
        part("embedder.norm",        "norm.embed",  affine("e"), when="after"),
        under("encoder.stages.{S}.layers.0", LAYER, i="v"),
        under("encoder.stages.{S}.layers.0.downsample",
            part("conv", "resnet.skip",      conv("v -> w, 1 1", bias=False)),
            part("norm", "norm.resnet.skip", affine("w"), when="after")),
        under("encoder.stages.{S}.layers.{R}", LAYER, i="w"),
        part("norm", "norm.final", affine("f"), when="not after")),
    heads=(
        head("Model",                  ""),
        head("ForImageClassification", "bit.", part("classifier.1", "head.class", dense("f -> C")), default=True),
        head("Backbone",               "bit.")))
