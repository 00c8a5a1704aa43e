"""UNet1DModel: waveforms (Dance Diffusion), and trajectories and their values in reinforcement learning.

unet_1d.py, unet_1d_blocks.py: blocks of convolutions, whose middle width is that of what goes out on the way down and
of what comes in on the way up, but for those with attention; or of resnets that read the time. Fixed kernels resample.
"""

from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, dense, param

CONVOLUTIONS = rows(                           # i channels in, c between, o out
    part("conv_skip",    "resnet.skip",   conv("i -> o, 1", bias=False), when="i != o"),
    part("conv_1",       "resnet.conv.1", conv("i -> c, 5")),
    part("group_norm_1", "norm.resnet.1", affine("c")),
    part("conv_2",       "resnet.conv.2", conv("c -> o, 5")))
LAST_NORM = part("group_norm_2", "norm.resnet.2", affine("o"))
POINTS = rows(                                 # c channels
    part("group_norm", "norm.attention",   affine("c")),
    part("query",      "attention.query",  dense("c -> c")),
    part("key",        "attention.key",    dense("c -> c")),
    part("value",      "attention.value",  dense("c -> c")),
    part("proj_attn",  "attention.output", dense("c -> c")))
TEMPORAL = rows(                               # i channels in, o out, t the width of the time
    part("conv_in.conv1d",      "resnet.conv.1", conv("i -> o, 5")),
    part("conv_in.group_norm",  "norm.resnet.1", affine("o")),
    part("conv_out.conv1d",     "resnet.conv.2", conv("o -> o, 5")),
    part("conv_out.group_norm", "norm.resnet.2", affine("o")),
    part("time_emb",            "resnet.time",   dense("t -> o")),
    part("residual_conv",       "resnet.skip",   conv("i -> o, 1"), when="i != o"))
# S down stages, U up stages; v, w: channels into and out of a down stage, p, u of an up stage, m in the middle; x: into
# the first stage; e: width of the time's features; C, A, P, R: stages of convolutions, those with attention, those with
# a fixed kernel, those of resnets; F, G, Q, T: the same coming up, H: without a last norm
UNET1DMODEL = Architecture("UNet1DModel",
    dims=Dims(ch="block_out_channels", S="len(down_block_types)", U="len(up_block_types)", n="len(ch)", a="ch[0]",
              t="a", m="ch[n-1]", x="in_channels + extra_in_channels", v="x when {S} == 0 | ch[{S}-1]", w="ch[{S}]",
              p="ch[n-1-{U}]", last="out_channels when out_block_type == null | a",
              u="ch[n-2-{U}] when {U} < U - 1 | last", fourier="time_embedding_type == 'fourier'",
              e="time_embedding_dim | 2*a", ti="e when fourier | a", N="layers_per_block", M="N + 1", M1="M[1:]",
              three="3", six="6", each="downsample_each_block", f="m//4", middle="mid_block_type",
              C="S[down_block_types in 'DownBlock1DNoSkip DownBlock1D AttnDownBlock1D']",
              A="S[down_block_types == 'AttnDownBlock1D']", P="S[down_block_types in 'DownBlock1D AttnDownBlock1D']",
              R="S[down_block_types == 'DownResnetBlock1D']", D="R[{R} != n - 1 or each]", rest="three[1:]",
              F="U[up_block_types == 'AttnUpBlock1D']", G="U[up_block_types in 'UpBlock1D UpBlock1DNoSkip']",
              H="U[up_block_types == 'UpBlock1D']",
              Q="U[up_block_types in 'UpBlock1D AttnUpBlock1D']", T="U[up_block_types == 'UpResnetBlock1D']",
              W="T & U[:n-1]"),
    parts=rows(
        part("time_proj.weight", "embed.time.frequency", param("e//2"), when="fourier"),
        part("time_mlp.linear_1", "embed.time.1", dense("ti -> 4*a"), when="use_timestep_embedding"),
        part("time_mlp.linear_2", "embed.time.2", dense("4*a -> a"),  when="use_timestep_embedding"),
        part("down_blocks.{P}.down.kernel", "filter.down", buffer("8")),
        under("down_blocks.{C}.resnets.0",      CONVOLUTIONS, LAST_NORM, i="v", c="w", o="w", tower="down"),
        under("down_blocks.{C}.resnets.{rest}", CONVOLUTIONS, LAST_NORM, i="w", c="w", o="w", tower="down"),
        under("down_blocks.{A}.attentions.{three}", POINTS, c="w", tower="down"),
        under("down_blocks.{R}.resnets.0",    TEMPORAL, i="v", o="w", tower="down"),
        under("down_blocks.{R}.resnets.{M1}", TEMPORAL, i="w", o="w", tower="down"),
        part("down_blocks.{D}.downsample.conv", "resnet.down", conv("w -> w, 3")),
        under("mid_block",
            part("down.kernel", "filter.down", buffer("8")),
            part("up.kernel",   "filter.up",   buffer("8")),
            under("resnets.{six}",    CONVOLUTIONS, LAST_NORM, i="m", c="m", o="m"),
            under("attentions.{six}", POINTS, c="m"), tower="middle", when="middle == 'UNetMidBlock1D'"),
        under("mid_block",
            under("resnets.{M}", TEMPORAL, i="m", o="m"),
            part("downsample.conv", "resnet.down", conv("m -> m, 3"), when="each"),
            tower="middle", when="middle == 'MidResTemporalBlock1D'"),
        under("mid_block",
            under("res1", TEMPORAL, i="m", o="m//2", tower="first"),
            part("down1.conv", "resnet.down.1", conv("m//2 -> m//2, 3")),
            under("res2", TEMPORAL, i="m//2", o="m//4", tower="second"),
            part("down2.conv", "resnet.down.2", conv("m//4 -> m//4, 3")), when="middle == 'ValueFunctionMidBlock1D'"),
        part("up_blocks.{Q}.up.kernel", "filter.up", buffer("8")),
        under("up_blocks.{F}.resnets.0",      CONVOLUTIONS, LAST_NORM, i="2*p", c="u", o="u", tower="up"),
        under("up_blocks.{F}.resnets.{rest}", CONVOLUTIONS, LAST_NORM, i="u",   c="u", o="u", tower="up"),
        under("up_blocks.{F}.attentions.{three}", POINTS, c="u", tower="up"),
        under("up_blocks.{G}.resnets.0", CONVOLUTIONS, LAST_NORM, i="2*p", c="p", o="p", tower="up"),
        under("up_blocks.{G}.resnets.1", CONVOLUTIONS, LAST_NORM, i="p",   c="p", o="p", tower="up"),
        under("up_blocks.{G}.resnets.2", CONVOLUTIONS, i="p", c="p", o="u", tower="up"),
        under("up_blocks.{H}.resnets.2", LAST_NORM, o="u", tower="up"),
        under("up_blocks.{T}.resnets.0",    TEMPORAL, i="2*p", o="u", tower="up"),
        under("up_blocks.{T}.resnets.{M1}", TEMPORAL, i="u",   o="u", tower="up"),
        part("up_blocks.{W}.upsample.conv", "resnet.up", conv_t("u -> u, 4")),
        under("out_block",
            part("final_conv1d_1",  "resnet.out", conv("a -> a, 5")),
            part("final_conv1d_gn", "norm.final", affine("a")),
            part("final_conv1d_2",  "head.audio", conv("a -> out_channels, 1")),
            when="out_block_type == 'OutConv1DBlock'"),
        under("out_block.final_block",
            part("0", "head.value.1", dense("f + a -> f//2")),
            part("2", "head.value.2", dense("f//2 -> 1")), when="out_block_type == 'ValueFunction'")))
