"""RepViT M1, EdgeTAM's network of the library timm.

timm's repvit.py: a block has a depthwise convolution of three by three and one of one by one, both with a norm, and an
MLP of twice the width; every second block weighs its channels, from the first of each stage on. A stage begins with a
block of the width before, two convolutions to its own and an MLP.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import batchnorm, conv

CONV = rows(                                   # i channels in, o out, k the kernel, n groups
    part("c",  "resnet.conv", conv("i -> o, k k", groups="n", bias=False)),
    part("bn", "norm.resnet", batchnorm("o")))
MLP = rows(                                    # w channels
    under("conv1", CONV, i="w",   o="2*w", k="1", n="1", tower="mlp.up"),
    under("conv2", CONV, i="2*w", o="w",   k="1", n="1", tower="mlp.down"))
BLOCK = rows(
    under("token_mixer.conv",  CONV, i="w", o="w", k="3", n="w", tower="depth"),
    under("token_mixer.conv1", CONV, i="w", o="w", k="1", n="w", tower="depth.point"),
    under("channel_mixer", MLP))
# S: stages, T: those behind the first; B: blocks, W: those that weigh channels; u: the width of the stage before
REPVIT: Architecture = Architecture("repvit", ignores="num_classes label_names do_pooling initializer_range",
    dims=Dims(
        S="4", T="1 : 4", c="model_args.in_chans | 3", B="model_args.depth[{S}] | 14 when {S} == 2 | 2", W="B[::2]",
        w0="model_args.embed_dim[0] | 48", ws="model_args.embed_dim[{S}] | 48*2**{S}",
        wt="model_args.embed_dim[{T}] | 48*2**{T}", u="model_args.embed_dim[{T}-1] | 24*2**{T}",
        q="max((ws + 16)//32*8, 8)"),
    heads=(head("Model", "timm_model."),),
    parts=rows(
        under("stem.conv1", CONV, i="c",     o="w0//2", k="3", n="1", tower="stem.1"),
        under("stem.conv2", CONV, i="w0//2", o="w0",    k="3", n="1", tower="stem.2"),
        under("stages_{T}.downsample",
            rows(under("pre_block", BLOCK), w="u", tower="before"),
            under("spatial_downsample", CONV, i="u", o="u",  k="3", n="u", tower="spatial"),
            under("channel_downsample", CONV, i="u", o="wt", k="1", n="1", tower="channel"),
            rows(under("ffn", MLP), w="wt", tower="after")),
        under("stages_{S}.blocks.{B}", BLOCK, w="ws"),
        part("stages_{S}.blocks.{W}.se.fc1", "resnet.squeeze", conv("ws -> q, 1 1")),
        part("stages_{S}.blocks.{W}.se.fc2", "resnet.excite",  conv("q -> ws, 1 1"))))
