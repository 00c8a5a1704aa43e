"""HGNetV2.

modeling_hgnet_v2.py: a block keeps the outputs of all its layers and squeezes them together; light layers are a
pointwise and a depthwise convolution. With `use_learnable_affine_block` every convolution with an activation has a
scale and a shift of one number.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import batchnorm, conv, dense, param

CONV = rows(                                   # i channels in, o out, n groups
    part("convolution",   "resnet.conv", conv("i -> o, q q", groups="n", bias=False)),
    part("normalization", "norm.resnet", batchnorm("o")))
ACTIVE = rows(CONV,
    part("lab.scale", "resnet.scale", param("1"), when="use_learnable_affine_block"),
    part("lab.bias",  "resnet.shift", param("1"), when="use_learnable_affine_block"))
LIGHT = rows(
    under("conv1", CONV,   o="m", q="1", n="1", tower="light.point"),
    under("conv2", ACTIVE, i="m", o="m", q="k", n="m", tower="light.depth"))
# S: stages; a, m, z: channels in, inside, out; B: blocks, J: layers (y of them), k: kernel; T: stages of light layers,
# P: others; D: stages that downsample; c0, c1, c2: channels of the stem; f: channels of the last stage
HGNET_V2 = Architecture("hgnet_v2",
                        ignores="out_features out_indices depths embedding_size layer_type num_channels stem_strides "
                                "stage_downsample_strides",
    dims=Dims(S="len(stage_in_channels)", B="stage_num_blocks[{S}]", B1="B[1:]", a="stage_in_channels[{S}]",
              m="stage_mid_channels[{S}]",
              z="stage_out_channels[{S}]", y="stage_numb_of_layers[{S}]", J="stage_numb_of_layers[{S}]", J1="J[1:]",
              k="stage_kernel_size[{S}]",
              T="S[stage_light_block]", P="S - T", D="S[stage_downsample]", c0="stem_channels[0]",
              c1="stem_channels[1]", c2="stem_channels[2]",
              f="hidden_sizes[len(hidden_sizes)-1]", d="f", C="labels"),
    parts=rows(
        under("embedder.stem1",  ACTIVE, i="c0",    o="c1",    q="3", n="1", tower="stem.1"),
        under("embedder.stem2a", ACTIVE, i="c1",    o="c1//2", q="2", n="1", tower="stem.2"),
        under("embedder.stem2b", ACTIVE, i="c1//2", o="c1",    q="2", n="1", tower="stem.3"),
        under("embedder.stem3",  ACTIVE, i="2*c1",  o="c1",    q="3", n="1", tower="stem.4"),
        under("embedder.stem4",  ACTIVE, i="c1",    o="c2",    q="1", n="1", tower="stem.5"),
        under("encoder.stages.{D}.downsample", CONV, i="a", o="a", q="3", n="a", tower="down"),
        under("encoder.stages.{P}.blocks.0.layers.0",      ACTIVE, i="a", o="m", q="k", n="1", tower="block"),
        under("encoder.stages.{P}.blocks.{B1}.layers.0",   ACTIVE, i="z", o="m", q="k", n="1", tower="block"),
        under("encoder.stages.{P}.blocks.{B}.layers.{J1}", ACTIVE, i="m", o="m", q="k", n="1", tower="block"),
        under("encoder.stages.{T}.blocks.0.layers.0",      LIGHT, i="a"),
        under("encoder.stages.{T}.blocks.{B1}.layers.0",   LIGHT, i="z"),
        under("encoder.stages.{T}.blocks.{B}.layers.{J1}", LIGHT, i="m"),
        under("encoder.stages.{S}.blocks.0.aggregation.0",    ACTIVE, i="a + y*m", o="z//2", q="1", n="1",
              tower="squeeze"),
        under("encoder.stages.{S}.blocks.{B1}.aggregation.0", ACTIVE, i="z + y*m", o="z//2", q="1", n="1",
              tower="squeeze"),
        under("encoder.stages.{S}.blocks.{B}.aggregation.1",  ACTIVE, i="z//2", o="z", q="1", n="1", tower="excite")),
    heads=(
        head("Backbone", ""),
        head("ForImageClassification", "", part("fc", "head.class", dense("f -> C")), default=True)))
