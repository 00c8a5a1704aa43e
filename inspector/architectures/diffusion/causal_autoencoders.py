"""Autoencoders with convolutions that look back in time: HunyuanVideo 1.5, HunyuanImage and its refiner, EasyAnimate
(Magvit), Allegro, Cosmos.

autoencoder_kl_hunyuanvideo15.py, autoencoder_kl_hunyuanimage_refiner.py: a stage that shrinks gives the channels of the
next one where they are to match, of which a convolution makes a part for each pixel. autoencoder_kl_hunyuanimage.py:
the same for images, its modules numbered through. autoencoder_kl_allegro.py: convolutions in time after every resnet.
autoencoder_kl_cosmos.py: a convolution is one in space and one in time; stages attend at some resolutions.
"""

from inspector.architectures.diffusion.autoencoder import ONE_HEAD, VAE_DIMS
from inspector.architectures.diffusion.diffusion_blocks import TIMELESS_RESNET
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, param

GAMMA_RESNET = rows(                           # i channels in, o out
    part("norm1.gamma",   "norm.resnet.1", param("i 1 1 1")),
    part("conv1.conv",    "resnet.conv.1", conv("i -> o, 3 3 3")),
    part("norm2.gamma",   "norm.resnet.2", param("o 1 1 1")),
    part("conv2.conv",    "resnet.conv.2", conv("o -> o, 3 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> o, 1 1 1"), when="i != o"))
GAMMA_MIDDLE = under("mid_block",
    under("resnets.0", GAMMA_RESNET, i="m", o="m", tower="first"),
    under("attentions.0",
        part("norm.gamma", "norm.attention",   param("m 1 1 1")),
        part("to_q",       "attention.query",  conv("m -> m, 1 1 1")),
        part("to_k",       "attention.key",    conv("m -> m, 1 1 1")),
        part("to_v",       "attention.value",  conv("m -> m, 1 1 1")),
        part("proj_out",   "attention.output", conv("m -> m, 1 1 1")), tower="middle"),
    under("resnets.1", GAMMA_RESNET, i="m", o="m", tower="last"))
# r, l: compression in space and time; as in VAE_DIMS, and D, W: stages that resize; x, y: channels after that, of a
# stage down and up; f, g: pixels of one, in space and time; down, up: whether these channels are the next stage's
MATCHED_DIMS = VAE_DIMS | Dims(
    r="spatial_compression_ratio", l="temporal_compression_ratio", D="S[2**{S} < r]", W="U[2**{U} < max(r, l)]",
    down="downsample_match_channel", up="upsample_match_channel",
    v="w when down and 2**({S}-1) < r | ch[{S}-1] | a", x="ch[{S}+1] when down | w", f="8 when 2**{S} >= r//l | 4",
    p="u when up and 2**({U}-1) < max(r, l) | ch[S-{U}] | m", y="ch[S-2-{U}] when up | u", g="8 when 2**{U} < l | 4")
MATCHED = rows(
    under("encoder",
        part("conv_in.conv", "embed.image", conv("ci -> a, 3 3 3")),
        under("down_blocks.{S}.resnets.{R0}", GAMMA_RESNET, i="v", o="w"),
        under("down_blocks.{S}.resnets.{R1}", GAMMA_RESNET, i="w", o="w"),
        part("down_blocks.{D}.downsamplers.0.conv.conv", "resnet.down", conv("w -> x//f, 3 3 3")),
        GAMMA_MIDDLE,
        part("norm_out.gamma", "norm.final",  param("m 1 1 1")),
        part("conv_out.conv",  "head.latent", conv("m -> 2*z, 3 3 3")), tower="encoder"),
    under("decoder",
        part("conv_in.conv", "embed.latent", conv("z -> m, 3 3 3")),
        GAMMA_MIDDLE,
        under("up_blocks.{U}.resnets.0",    GAMMA_RESNET, i="p", o="u"),
        under("up_blocks.{U}.resnets.{Q1}", GAMMA_RESNET, i="u", o="u"),
        part("up_blocks.{W}.upsamplers.0.conv.conv", "resnet.up", conv("u -> y*g, 3 3 3")),
        part("norm_out.gamma", "norm.final", param("a 1 1 1")),
        part("conv_out.conv",  "head.image", conv("a -> co, 3 3 3")), tower="decoder"))
AUTOENCODERKLHUNYUANVIDEO15 = Architecture("AutoencoderKLHunyuanVideo15", dims=MATCHED_DIMS, parts=MATCHED)
AUTOENCODERKLHUNYUANIMAGEREFINER = Architecture("AutoencoderKLHunyuanImageRefiner", dims=MATCHED_DIMS, parts=MATCHED)

POINTS = rows(                                 # m channels
    part("norm", "norm.attention",   affine("m")),
    part("to_q", "attention.query",  conv("m -> m, 1 1")),
    part("to_k", "attention.key",    conv("m -> m, 1 1")),
    part("to_v", "attention.value",  conv("m -> m, 1 1")),
    part("proj", "attention.output", conv("m -> m, 1 1")))
POINTS_MIDDLE = under("mid_block",
    under("resnets.0",    TIMELESS_RESNET, i="m", o="m", tower="first"),
    under("attentions.0", POINTS, tower="middle"),
    under("resnets.1",    TIMELESS_RESNET, i="m", o="m", tower="last"))
# G: the g stages that resize, k, h: modules of one, n, q: resnets in it; Z, Y: numbered modules of these stages, E, O
# the resnets and F, P the others; T, X: those of the last stages; w, v: channels out and in; s: after resizing
AUTOENCODERKLHUNYUANIMAGE = Architecture("AutoencoderKLHunyuanImage", ignores="sample_size",
    dims=Dims(ci="in_channels", co="out_channels", z="latent_channels", ch="block_out_channels", S="len(ch)",
              last="S - 1", m="ch[S-1]", a="ch[0]", d="a", r="spatial_compression_ratio", n="layers_per_block",
              q="n + 1", k="n + 1", h="n + 2", G="S[2**{S} < r] & S[:S-1]", g="G*1",
              down="downsample_match_channel", up="upsample_match_channel",
              Z="0 : g*k", E="Z[{Z} % k < n]", F="Z[{Z} % k == n]", T="g*k : g*k + (S - g)*n",
              wz="ch[{Z}//k]", vz="ch[{Z}//k - 1] when {Z} % k == 0 and not down | wz",
              sz="ch[{Z}//k + 1] when down | wz",
              wt="ch[g + ({T} - g*k)//n]",
              vt="wt when down and {T} == g*k | ch[g + ({T} - g*k)//n - 1] when ({T} - g*k) % n == 0 | wt",
              Y="0 : g*h", O="Y[{Y} % h < q]", P="Y[{Y} % h == q]", X="g*h : g*h + (S - g)*q",
              wy="ch[last - {Y}//h]", vy="ch[S - {Y}//h] when {Y} % h == 0 and not up | wy",
              sy="ch[last - {Y}//h - 1] when up | wy",
              wx="ch[last - g - ({X} - g*h)//q]",
              vx="wx when up and {X} == g*h | ch[S - g - ({X} - g*h)//q] when ({X} - g*h) % q == 0 | wx"),
    parts=rows(
        under("encoder",
            part("conv_in", "embed.image", conv("ci -> a, 3 3")),
            under("down_blocks.{E}", TIMELESS_RESNET, i="vz", o="wz"),
            part("down_blocks.{F}.conv", "resnet.down", conv("wz -> sz//4, 3 3")),
            under("down_blocks.{T}", TIMELESS_RESNET, i="vt", o="wt", tower="encoder.last"),
            POINTS_MIDDLE,
            part("norm_out", "norm.final",  affine("m")),
            part("conv_out", "head.latent", conv("m -> 2*z, 3 3")), tower="encoder"),
        under("decoder",
            part("conv_in", "embed.latent", conv("z -> m, 3 3")),
            POINTS_MIDDLE,
            under("up_blocks.{O}", TIMELESS_RESNET, i="vy", o="wy"),
            part("up_blocks.{P}.conv", "resnet.up", conv("wy -> 4*sy, 3 3")),
            under("up_blocks.{X}", TIMELESS_RESNET, i="vx", o="wx", tower="decoder.last"),
            part("norm_out", "norm.final", affine("a")),
            part("conv_out", "head.image", conv("a -> co, 3 3")), tower="decoder")))

MAGVIT_RESNET = rows(                          # i channels in, o out
    part("norm1",    "norm.resnet.1", affine("i")),
    part("conv1",    "resnet.conv.1", conv("i -> o, 3 3 3")),
    part("norm2",    "norm.resnet.2", affine("o")),
    part("conv2",    "resnet.conv.2", conv("o -> o, 3 3 3")),
    part("shortcut", "resnet.skip",   conv("i -> o, 1 1 1"), when="i != o"))
AUTOENCODERKLMAGVIT = Architecture("AutoencoderKLMagvit",
    dims=VAE_DIMS | Dims(S="len(down_block_types)", U="len(up_block_types)", C="len(ch)", m="ch[C-1]", D="S[:C-1]",
                         W="U[:C-1]", u="ch[C-1-{U}]", p="ch[C-{U}] | m", M="max(layers_per_block, 1)",
                         y="p when layers_per_block == 0 | u"),
    parts=rows(
        under("encoder",
            part("conv_in", "embed.image", conv("ci -> a, 3 3 3")),
            under("down_blocks.{S}.convs.0",    MAGVIT_RESNET, i="v", o="w", when="layers_per_block > 0"),
            under("down_blocks.{S}.convs.{R1}", MAGVIT_RESNET, i="w", o="w"),
            part("down_blocks.{D}.downsampler.conv", "resnet.down", conv("w -> w, 3 3 3")),
            under("mid_block.convs.{M}", MAGVIT_RESNET, i="m", o="m", tower="encoder.middle"),
            part("conv_norm_out", "norm.final",  affine("m")),
            part("conv_out",      "head.latent", conv("m -> 2*z, 3 3 3")), tower="encoder"),
        under("decoder",
            part("conv_in", "embed.latent", conv("z -> m, 3 3 3")),
            under("mid_block.convs.{M}", MAGVIT_RESNET, i="m", o="m", tower="decoder.middle"),
            under("up_blocks.{U}.convs.0",    MAGVIT_RESNET, i="p", o="u"),
            under("up_blocks.{U}.convs.{Q1}", MAGVIT_RESNET, i="u", o="u"),
            part("up_blocks.{W}.upsampler.conv", "resnet.up", conv("y -> y, 3 3 3")),
            part("conv_norm_out", "norm.final", affine("a")),
            part("conv_out",      "head.image", conv("a -> co, 3 3 3")), tower="decoder"),
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1 1")),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1 1"))))

LATER_IN_TIME = rows(                          # o channels, k the kernel in space
    part("conv2.0", "norm.time", affine("o")), part("conv2.3", "resnet.time.conv", conv("o -> o, 3 k k")),
    part("conv3.0", "norm.time", affine("o")), part("conv3.3", "resnet.time.conv", conv("o -> o, 3 k k")),
    part("conv4.0", "norm.time", affine("o")), part("conv4.2", "resnet.time.conv", conv("o -> o, 3 k k")))
ALLEGRO_TIME = rows(
    part("conv1.0", "norm.time", affine("o")), part("conv1.2", "resnet.time.conv", conv("o -> o, 3 1 1")),
    rows(LATER_IN_TIME, k="1"))
ALLEGRO_MIDDLE = under("mid_block",
    under("resnets.0",    TIMELESS_RESNET, i="m", o="m", tower="first"),
    under("temp_convs.0", ALLEGRO_TIME, o="m", tower="first"),
    under("attentions.0", ONE_HEAD, w="m", tower="middle"),
    under("resnets.1",    TIMELESS_RESNET, i="m", o="m", tower="last"),
    under("temp_convs.1", ALLEGRO_TIME, o="m", tower="last"))
AUTOENCODERKLALLEGRO = Architecture("AutoencoderKLAllegro",
    dims=VAE_DIMS | Dims(S="len(down_block_types)", U="len(up_block_types)", C="len(ch)", m="ch[C-1]", D="S[:C-1]",
                         W="U[:C-1]", u="ch[C-1-{U}]", p="ch[C-{U}] | m", TD="S[temporal_downsample_blocks]",
                         TU="U[temporal_upsample_blocks]", three="3"),
    parts=rows(
        under("encoder",
            part("conv_in",      "embed.image",      conv("ci -> a, 3 3")),
            part("temp_conv_in", "embed.time.frame", conv("a -> a, 3 1 1")),
            under("down_blocks.{S}.resnets.{R0}",   TIMELESS_RESNET, i="v", o="w"),
            under("down_blocks.{S}.resnets.{R1}",   TIMELESS_RESNET, i="w", o="w"),
            under("down_blocks.{S}.temp_convs.{R}", ALLEGRO_TIME, o="w"),
            under("down_blocks.{TD}.temp_convs_down",
                part("conv1.0", "norm.time", affine("w")),
                part("conv1.2", "resnet.down.time", conv("w -> w, 2 3 3")),
                rows(LATER_IN_TIME, o="w", k="three"), tower="down"),
            part("down_blocks.{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")),
            ALLEGRO_MIDDLE,
            part("conv_norm_out", "norm.final",       affine("m")),
            part("temp_conv_out", "head.latent.time", conv("m -> m, 3 1 1")),
            part("conv_out",      "head.latent",      conv("m -> 2*z, 3 3")), tower="encoder"),
        under("decoder",
            part("conv_in",      "embed.latent",     conv("z -> m, 3 3")),
            part("temp_conv_in", "embed.time.frame", conv("m -> m, 3 1 1")),
            ALLEGRO_MIDDLE,
            under("up_blocks.{U}.resnets.0",      TIMELESS_RESNET, i="p", o="u"),
            under("up_blocks.{U}.resnets.{Q1}",   TIMELESS_RESNET, i="u", o="u"),
            under("up_blocks.{U}.temp_convs.{Q}", ALLEGRO_TIME, o="u"),
            under("up_blocks.{TU}.temp_conv_up",
                part("conv1.0", "norm.time", affine("u")),
                part("conv1.2", "resnet.up.time", conv("u -> 2*u, 1 3 3")),
                rows(LATER_IN_TIME, o="u", k="three"), tower="up"),
            part("up_blocks.{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")),
            part("conv_norm_out", "norm.final",      affine("a")),
            part("temp_conv_out", "head.image.time", conv("a -> a, 3 1 1")),
            part("conv_out",      "head.image",      conv("a -> co, 3 3")), tower="decoder"),
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1")),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1"))))

COSMOS_RESNET = rows(                          # i channels in, o out
    part("norm1.norm",    "norm.resnet.1",      affine("i")),
    part("conv1.conv_s",  "resnet.conv.1",      conv("i -> o, 1 3 3")),
    part("conv1.conv_t",  "resnet.time.conv.1", conv("o -> o, 3 1 1")),
    part("norm2.norm",    "norm.resnet.2",      affine("o")),
    part("conv2.conv_s",  "resnet.conv.2",      conv("o -> o, 1 3 3")),
    part("conv2.conv_t",  "resnet.time.conv.2", conv("o -> o, 3 1 1")),
    part("conv_shortcut", "resnet.skip",        conv("i -> o, 1 1 1"), when="i != o"))
COSMOS_ATTENTION = rows(                       # o channels
    part("norm.norm", "norm.attention",   affine("o")),
    part("to_q",      "attention.query",  conv("o -> o, 1 1 1")),
    part("to_k",      "attention.key",    conv("o -> o, 1 1 1")),
    part("to_v",      "attention.value",  conv("o -> o, 1 1 1")),
    part("to_out.0",  "attention.output", conv("o -> o, 1 1 1")))
COSMOS_MIDDLE = under("mid_block",
    under("resnets.0",         COSMOS_RESNET, i="m", o="m", tower="first"),
    under("attentions.0",      COSMOS_ATTENTION, o="m", tower="space"),
    under("temp_attentions.0", COSMOS_ATTENTION, o="m", tower="time"),
    under("resnets.1",         COSMOS_RESNET, i="m", o="m", tower="last"))
# ec, dc: channels of encoder and decoder; S, U their stages; v, w, p, u: channels in and out; X, Y: stages that attend;
# ns, nt: stages that resize in space and time, DS, DT, D, US, UT, W: which do
AUTOENCODERKLCOSMOS = Architecture("AutoencoderKLCosmos",
    dims=Dims(ec="encoder_block_out_channels", dc="decode_block_out_channels", S="len(ec) - 1", U="len(dc) - 1",
              z="latent_channels", s="patch_size", ci="in_channels*s**3", co="out_channels*s**3", d="ec[0]",
              v="ec[{S}]", w="ec[{S}+1]", p="dc[U-{U}]", u="dc[U-1-{U}]", m="ec[len(ec)-1]", mu="dc[len(dc)-1]",
              R="num_layers", R0="R[:1]", R1="R[1:]", Q="R + 1", Q1="Q[1:]", grid="resolution//s",
              ns="log2(spatial_compression_ratio) - log2(s)", nt="log2(temporal_compression_ratio) - log2(s)",
              X="S[grid//2**{S} in attention_resolutions]",
              Y="U[grid//2**(U-1)*2**{U} in attention_resolutions]",
              I="S[:S-1]", DS="I[{S} < ns]", DT="I[{S} < nt]", D="I[{S} < ns or {S} < nt]",
              J="U[:U-1]", UT="J[{U} > 0 and {U} < nt + 1]",
              W="J[{U} > 0 and {U} < nt + 1 or {U} < ns and ns > nt]"),
    parts=rows(
        under("encoder",
            part("conv_in.conv_s", "embed.image",      conv("ci -> ec[0], 1 3 3")),
            part("conv_in.conv_t", "embed.time.frame", conv("ec[0] -> ec[0], 3 1 1")),
            under("down_blocks",
                under("{S}.resnets.{R0}", COSMOS_RESNET, i="v", o="w"),
                under("{S}.resnets.{R1}", COSMOS_RESNET, i="w", o="w"),
                under("{X}.attentions.{R}",      COSMOS_ATTENTION, o="w", tower="down.space"),
                under("{X}.temp_attentions.{R}", COSMOS_ATTENTION, o="w", tower="down.time"),
                part("{DS}.downsamplers.0.conv1", "resnet.down",      conv("w -> w, 1 3 3")),
                part("{DT}.downsamplers.0.conv2", "resnet.down.time", conv("w -> w, 3 1 1")),
                part("{D}.downsamplers.0.conv3",  "resnet.down.map",  conv("w -> w, 1 1 1"))),
            COSMOS_MIDDLE,
            part("norm_out.norm",   "norm.final",       affine("m")),
            part("conv_out.conv_s", "head.latent",      conv("m -> z, 1 3 3")),
            part("conv_out.conv_t", "head.latent.time", conv("z -> z, 3 1 1")), tower="encoder"),
        under("decoder",
            part("conv_in.conv_s", "embed.latent",     conv("z -> mu, 1 3 3")),
            part("conv_in.conv_t", "embed.time.frame", conv("mu -> mu, 3 1 1")),
            rows(COSMOS_MIDDLE, m="mu"),
            under("up_blocks",
                under("{U}.resnets.0",    COSMOS_RESNET, i="p", o="u"),
                under("{U}.resnets.{Q1}", COSMOS_RESNET, i="u", o="u"),
                under("{Y}.attentions.{Q}",      COSMOS_ATTENTION, o="u", tower="up.space"),
                under("{Y}.temp_attentions.{Q}", COSMOS_ATTENTION, o="u", tower="up.time"),
                part("{UT}.upsamplers.0.conv1", "resnet.up.time", conv("u -> u, 3 1 1")),
                part("{W}.upsamplers.0.conv2",  "resnet.up",      conv("u -> u, 1 3 3")),
                part("{W}.upsamplers.0.conv3",  "resnet.up.map",  conv("u -> u, 1 1 1"))),
            part("norm_out.norm",   "norm.final",      affine("dc[0]")),
            part("conv_out.conv_s", "head.image",      conv("dc[0] -> co, 1 3 3")),
            part("conv_out.conv_t", "head.image.time", conv("co -> co, 3 1 1")), tower="decoder"),
        part("quant_conv",      "head.quantise",  conv("z -> z, 1 1 1")),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1 1"))))
