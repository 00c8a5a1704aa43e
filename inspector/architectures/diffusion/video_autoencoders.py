"""Autoencoders of video models and of Sana: Wan and Qwen-Image, CogVideoX, HunyuanVideo, LTX-Video, Stable Video
Diffusion, DC-AE.

autoencoder_kl_wan.py: without residual blocks the encoder's modules are numbered through, `num_res_blocks` and a
resampler a stage; a norm is a bare gamma; on the way up a block reads half of what came before.
autoencoder_kl_cogvideox.py: every norm of the decoder reads the latents. autoencoder_kl_ltx.py: images are cut into
patches, the last channel of the encoder is one shared variance; the down blocks of 0.9.5 widen by their downsampler.
autoencoder_dc.py: a stage without layers is none, the first convolution then scales.
"""

from inspector.architectures.diffusion.autoencoder import COUNTED_BY_KINDS, ENCODER, ENCODER_MIDDLE, ONE_HEAD, VAE_DIMS
from inspector.architectures.diffusion.diffusion_blocks import EMBEDDING, TIMELESS_RESNET
from inspector.notation.definition import Architecture, Dims, opaque, part, rows, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, linear, param

WAN_RESNET = rows(                             # i channels in, o out
    part("norm1.gamma",   "norm.resnet.1", param("i 1 1 1")),
    part("conv1",         "resnet.conv.1", conv("i -> o, 3 3 3")),
    part("norm2.gamma",   "norm.resnet.2", param("o 1 1 1")),
    part("conv2",         "resnet.conv.2", conv("o -> o, 3 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> o, 1 1 1"), when="i != o"))
WAN_MIDDLE = rows(                             # w channels
    under("resnets.0", WAN_RESNET, i="w", o="w", tower="first"),
    part("attentions.0.norm.gamma", "norm.attention",   param("w 1 1")),
    part("attentions.0.to_qkv",     "attention.qkv",    conv("w -> w + w + w, 1 1")),
    part("attentions.0.proj",       "attention.output", conv("w -> w, 1 1")),
    under("resnets.1", WAN_RESNET, i="w", o="w", tower="last"))
# b, bd: base channels of encoder and decoder; Z: numbered modules of the encoder, E its resnets, F its resamplers, wz,
# vz: channels out and in; w, v: of a stage and the one before; u, p, pu: of a decoder stage, the one before, its
# input; m, md: of the middle; D, W: stages that resize
WAN_DIMS = Dims(
    ci="in_channels", co="out_channels", b="base_dim", bd="decoder_base_dim | base_dim", z="z_dim", dm="dim_mult",
    S="len(dm)", U="len(dm)",
    n="num_res_blocks", k="n + 1", m="b*dm[S-1]", md="bd*dm[S-1]", d="b", residual="is_residual",
    Z="S*k - 1", E="Z[{Z} % k < n]", F="Z[{Z} % k == n]", wz="b*dm[{Z}//k]",
    vz="b when {Z} == 0 | b*dm[{Z}//k - 1] when {Z} % k == 0 | wz",
    w="b*dm[{S}]", v="b*dm[{S}-1] | b", R="n", R0="R[:1]", R1="R[1:]", D="S[:S-1]",
    u="bd*dm[S-1-{U}]", p="bd*dm[S-{U}] | md", pu="p when residual or {U} == 0 | p//2", Q="n + 1", Q1="Q[1:]",
    W="U[:U-1]",
    up="u when residual | u//2", last_down="len(temperal_downsample) - 1")
WAN_PARTS = rows(
    under("encoder",
        part("conv_in", "embed.image", conv("ci -> b, 3 3 3")),
        under("down_blocks",
            under("{E}", WAN_RESNET, i="vz", o="wz"),
            part("{F}.resample.1", "resnet.down",      conv("wz -> wz, 3 3")),
            part("{F}.time_conv",  "resnet.down.time", conv("wz -> wz, 3 1 1"), when="temperal_downsample[{Z}//k]"),
            when="not residual and len(attn_scales) == 0"),
        under("down_blocks.{S}",
            under("resnets.0",    WAN_RESNET, i="v", o="w"),
            under("resnets.{R1}", WAN_RESNET, i="w", o="w"), tower="residual", when="residual"),
        under("down_blocks.{D}.downsampler",
            part("resample.1", "resnet.down",      conv("w -> w, 3 3")),
            part("time_conv",  "resnet.down.time", conv("w -> w, 3 1 1"), when="temperal_downsample[{S}]"),
            tower="residual", when="residual"),
        under("mid_block", WAN_MIDDLE, w="m"),
        part("norm_out.gamma", "norm.final",  param("m 1 1 1")),
        part("conv_out",       "head.latent", conv("m -> 2*z, 3 3 3")), tower="encoder"),
    opaque("encoder.down_blocks.", "attention between the blocks of a stage",
           when="not residual and len(attn_scales) > 0"),
    part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1 1")),
    part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1 1")),
    under("decoder",
        part("conv_in", "embed.latent", conv("z -> md, 3 3 3")),
        under("mid_block", WAN_MIDDLE, w="md"),
        under("up_blocks.{U}.resnets.0",    WAN_RESNET, i="pu", o="u"),
        under("up_blocks.{U}.resnets.{Q1}", WAN_RESNET, i="u", o="u"),
        under("up_blocks.{W}.upsamplers.0",
            part("resample.1", "resnet.up",      conv("u -> up, 3 3")),
            part("time_conv",  "resnet.up.time", conv("u -> 2*u, 3 1 1"), when="temperal_downsample[last_down-{U}]"),
            when="not residual"),
        under("up_blocks.{W}.upsampler",
            part("resample.1", "resnet.up",      conv("u -> up, 3 3")),
            part("time_conv",  "resnet.up.time", conv("u -> 2*u, 3 1 1"), when="temperal_downsample[last_down-{U}]"),
            tower="residual", when="residual"),
        part("norm_out.gamma", "norm.final", param("last 1 1 1")),
        part("conv_out",       "head.image", conv("last -> co, 3 3 3")), tower="decoder"))
AUTOENCODERKLWAN = Architecture("AutoencoderKLWan", dims=WAN_DIMS | Dims(last="bd*dm[0]"),
                                parts=WAN_PARTS)
AUTOENCODERKLQWENIMAGE = Architecture("AutoencoderKLQwenImage",
    dims=WAN_DIMS | Dims(last="b*dm[0]", bd="b", residual="false", ci="input_channels", co="input_channels"),
    parts=WAN_PARTS)

COG_NORM = rows(                               # i channels, z those of the latents
    part("norm_layer",  "norm.group", affine("i")),
    part("conv_y.conv", "norm.scale", conv("z -> i, 1 1 1")),
    part("conv_b.conv", "norm.shift", conv("z -> i, 1 1 1")))
COG_CONVOLUTIONS = rows(                       # i channels in, o out
    part("conv1.conv",    "resnet.conv.1", conv("i -> o, 3 3 3")),
    part("conv2.conv",    "resnet.conv.2", conv("o -> o, 3 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> o, 1 1 1"), when="i != o"))
COG_RESNET = rows(
    part("norm1", "norm.resnet.1", affine("i")),
    part("norm2", "norm.resnet.2", affine("o")),
    COG_CONVOLUTIONS)
COG_NORMED_RESNET = rows(
    under("norm1", COG_NORM, tower="norm.1"),
    under("norm2", COG_NORM, i="o", tower="norm.2"),
    COG_CONVOLUTIONS)
AUTOENCODERKLCOGVIDEOX = Architecture("AutoencoderKLCogVideoX", dims=VAE_DIMS | COUNTED_BY_KINDS,
    parts=rows(
        under("encoder",
            part("conv_in.conv", "embed.image", conv("ci -> a, 3 3 3")),
            under("down_blocks.{S}.resnets.{R0}", COG_RESNET, i="v", o="w"),
            under("down_blocks.{S}.resnets.{R1}", COG_RESNET, i="w", o="w"),
            part("down_blocks.{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")),
            under("mid_block.resnets.0", COG_RESNET, i="m", o="m", tower="encoder.middle"),
            under("mid_block.resnets.1", COG_RESNET, i="m", o="m", tower="encoder.middle.last"),
            part("norm_out", "norm.final", affine("m")),
            part("conv_out.conv", "head.latent", conv("m -> 2*z, 3 3 3")), tower="encoder"),
        under("decoder",
            part("conv_in.conv", "embed.latent", conv("z -> m, 3 3 3")),
            under("mid_block.resnets.0", COG_NORMED_RESNET, i="m", o="m"),
            under("mid_block.resnets.1", COG_NORMED_RESNET, i="m", o="m"),
            under("up_blocks.{U}.resnets.0",    COG_NORMED_RESNET, i="p", o="u"),
            under("up_blocks.{U}.resnets.{Q1}", COG_NORMED_RESNET, i="u", o="u"),
            part("up_blocks.{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")),
            under("norm_out", COG_NORM, i="a"),
            part("conv_out.conv", "head.image", conv("a -> co, 3 3 3")), tower="decoder"),
        part("quant_conv",      "head.quantise",  conv("2*co -> 2*co, 1 1 1"), when="use_quant_conv"),
        part("post_quant_conv", "embed.quantise", conv("co -> co, 1 1 1"),     when="use_post_quant_conv")))

HUNYUAN_RESNET = rows(                         # i channels in, o out
    part("norm1",              "norm.resnet.1", affine("i")),
    part("conv1.conv",         "resnet.conv.1", conv("i -> o, 3 3 3")),
    part("norm2",              "norm.resnet.2", affine("o")),
    part("conv2.conv",         "resnet.conv.2", conv("o -> o, 3 3 3")),
    part("conv_shortcut.conv", "resnet.skip",   conv("i -> o, 1 1 1"), when="i != o"))
HUNYUAN_MIDDLE = under("mid_block",
    under("resnets.0",    HUNYUAN_RESNET, i="m", o="m", tower="first"),
    under("attentions.0", ONE_HEAD, w="m", tower="middle", when="mid_block_add_attention"),
    under("resnets.1",    HUNYUAN_RESNET, i="m", o="m", tower="last"))
AUTOENCODERKLHUNYUANVIDEO = Architecture("AutoencoderKLHunyuanVideo",
    dims=VAE_DIMS | COUNTED_BY_KINDS | Dims(
        D="S[2**({S}+1) <= spatial_compression_ratio or {S} >= C - 3 and {S} < C - 1]",
        W="U[2**({U}+1) <= spatial_compression_ratio or {U} >= C - 3 and {U} < C - 1]"),
    parts=rows(
        under("encoder",
            part("conv_in.conv", "embed.image", conv("ci -> a, 3 3 3")),
            under("down_blocks.{S}.resnets.{R0}", HUNYUAN_RESNET, i="v", o="w"),
            under("down_blocks.{S}.resnets.{R1}", HUNYUAN_RESNET, i="w", o="w"),
            part("down_blocks.{D}.downsamplers.0.conv.conv", "resnet.down", conv("w -> w, 3 3 3")),
            HUNYUAN_MIDDLE,
            part("conv_norm_out", "norm.final",  affine("m")),
            part("conv_out.conv", "head.latent", conv("m -> 2*z, 3 3 3")), tower="encoder"),
        under("decoder",
            part("conv_in.conv", "embed.latent", conv("z -> m, 3 3 3")),
            HUNYUAN_MIDDLE,
            under("up_blocks.{U}.resnets.0",    HUNYUAN_RESNET, i="p", o="u"),
            under("up_blocks.{U}.resnets.{Q1}", HUNYUAN_RESNET, i="u", o="u"),
            part("up_blocks.{W}.upsamplers.0.conv.conv", "resnet.up", conv("u -> u, 3 3 3")),
            part("conv_norm_out", "norm.final", affine("a")),
            part("conv_out.conv", "head.image", conv("a -> co, 3 3 3")), tower="decoder"),
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1 1")),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1 1"))))

IN_TIME = rows(
    under("spatial_res_block", TIMELESS_RESNET),
    under("temporal_res_block",
        part("norm1", "norm.resnet.time", affine("o")),
        part("conv1", "resnet.time.conv", conv("o -> o, 3 1 1")),
        part("norm2", "norm.resnet.time", affine("o")),
        part("conv2", "resnet.time.conv", conv("o -> o, 3 1 1"))),
    part("time_mixer.mix_factor", "resnet.mix", param("1")))
AUTOENCODERKLTEMPORALDECODER = Architecture("AutoencoderKLTemporalDecoder",
    dims=VAE_DIMS | COUNTED_BY_KINDS | Dims(U="C", mid_block_add_attention="true"),
    parts=rows(
        under("encoder", ENCODER, x="2*z", tower="encoder"), ENCODER_MIDDLE,
        under("decoder",
            part("conv_in", "embed.latent", conv("z -> m, 3 3")),
            under("mid_block.resnets.{R}",  IN_TIME, i="m", o="m", tower="decoder.middle"),
            under("mid_block.attentions.0", ONE_HEAD, w="m", tower="decoder.middle"),
            under("up_blocks.{U}.resnets.0",    IN_TIME, i="p", o="u"),
            under("up_blocks.{U}.resnets.{Q1}", IN_TIME, i="u", o="u"),
            part("up_blocks.{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")),
            part("conv_norm_out", "norm.final", affine("a")),
            part("conv_out",      "head.image", conv("a -> co, 3 3")),
            part("time_conv_out", "head.image.time", conv("co -> co, 3 1 1")), tower="decoder"),
        part("quant_conv", "head.quantise", conv("2*z -> 2*z, 1 1"))))

LTX_RESNET = rows(                             # i channels in, o out; noisy, timed: what else it reads; second: LTX-2's
    part("conv1.conv",         "resnet.conv.1",   conv("i -> o, 3 3 3")),
    part("conv2.conv",         "resnet.conv.2",   conv("o -> o, 3 3 3")),
    part("norm3",              "norm.resnet",     affine("i"), when="i != o"),
    part("conv_shortcut.conv", "resnet.skip",     conv("i -> o, 1 1 1"), when="i != o and not second"),
    part("conv_shortcut",      "resnet.skip",     conv("i -> o, 1 1 1"), when="i != o and second"),
    part("per_channel_scale1", "resnet.noise",    param("i 1 1"), when="noisy"),
    part("per_channel_scale2", "resnet.noise",    param("i 1 1"), when="noisy"),
    part("scale_shift_table",  "norm.modulation", param("4 i"), when="timed"))
LTX_PLAIN = rows(LTX_RESNET, noisy="false", timed="false")
LTX_DECODER = rows(                            # grown: pixels that upsampling makes of one
    part("conv_in.conv", "embed.latent", conv("z -> md, 3 3 3")),
    under("mid_block.time_embedder.timestep_embedder", EMBEDDING, i="256", t="4*md", tower="decoder.middle",
          when="timed"),
    under("mid_block.resnets.{N}", LTX_RESNET, i="md", o="md", noisy="noise[len(noise)-1] | noise[len(dl)-1]",
          tower="decoder.middle"),
    under("up_blocks.{U}",
        under("time_embedder.timestep_embedder", EMBEDDING, i="256", t="4*v", when="timed"),
        under("conv_in", LTX_RESNET, i="v", o="u", noisy="noise[len(noise)-2-{U}] | noise[len(dl)-2-{U}]",
              tower="widen", when="v != u"),
        under("resnets.{Q}", LTX_RESNET, i="u", o="u", noisy="noise[len(noise)-2-{U}] | noise[len(dl)-2-{U}]")),
    part("up_blocks.{U}.upsamplers.0.conv.conv", "resnet.up", conv("u*f -> grown*u*f//f, 3 3 3"),
         when="decoder_spatio_temporal_scaling[U-1-{U}]"),
    part("conv_out.conv",             "head.image",          conv("last -> co*p*p, 3 3 3")),
    part("timestep_scale_multiplier", "embed.time.scale",    param(""),       when="timed"),
    part("scale_shift_table",         "norm.modulation.out", param("2 last"), when="timed"),
    under("time_embedder.timestep_embedder", EMBEDDING, i="256", t="2*last", tower="decoder.last",
          when="timed"))
# later: version 0.9.5 and newer; S, U: stages of encoder and decoder; w, x: channels of a stage and of the next; X:
# stages that downsample, y channels there; u, v: of a decoder stage and its input; f: upsampling factor; R, M, Q, N:
# resnets of a stage and of the middle; m, md: channels of the middle; noise: resnets with noise; timed: resnets read
# the time step
AUTOENCODERKLLTXVIDEO = Architecture("AutoencoderKLLTXVideo",
    dims=Dims(ci="in_channels", co="out_channels", z="latent_channels", p="patch_size", ch="block_out_channels",
              C="len(ch)", d="a", a="ch[0]",
              m="ch[C-1]", later="'LTXVideo095DownBlock3D' in down_block_types", S="C - 1 when later | C", w="ch[{S}]",
              x="ch[{S}+1] | w",
              R="layers_per_block[{S}]", M="layers_per_block[len(layers_per_block)-1]", k="downsample_type[{S}]",
              X="S[spatio_temporal_scaling]", plain="not later or k == 'conv'",
              y="x//4 when k == 'spatial' | x//2 when k == 'temporal' | x//8",
              dc="decoder_block_out_channels", U="len(dc)", md="dc[U-1]", dl="decoder_layers_per_block",
              N="dl[len(dl)-1]",
              noise="decoder_inject_noise", f="upsample_factor[U-1-{U}]", u="dc[U-1-{U}]//f",
              v="dc[U-{U}]//upsample_factor[U-{U}]//f | md//f", Q="dl[len(dl)-2-{U}]", timed="timestep_conditioning",
              last="dc[0]//upsample_factor[0]", second="false", grown="8"),
    parts=rows(
        part("latents_mean", "head.latent.mean",      buffer("z")),
        part("latents_std",  "head.latent.deviation", buffer("z")),
        under("encoder",
            part("conv_in.conv", "embed.image", conv("ci*p*p -> a, 3 3 3")),
            under("down_blocks",
                under("{S}.resnets.{R}", LTX_PLAIN, i="w", o="w"),
                part("{X}.downsamplers.0.conv",      "resnet.down",      conv("w -> w, 3 3 3"), when="plain"),
                part("{X}.downsamplers.0.conv.conv", "resnet.down.wide", conv("w -> y, 3 3 3"), when="not plain"),
                under("{S}.conv_out", LTX_PLAIN, i="w", o="x", tower="widen", when="not later and w != x")),
            under("mid_block.resnets.{M}", LTX_PLAIN, i="m", o="m", tower="encoder.middle"),
            part("conv_out.conv", "head.latent", conv("m -> z + 1, 3 3 3")), tower="encoder"),
        under("decoder", LTX_DECODER, tower="decoder")))

DC_RESNET = rows(                              # w channels
    part("conv1", "resnet.conv.1", conv("w -> w, 3 3")),
    part("conv2", "resnet.conv.2", conv("w -> w, 3 3", bias=False)),
    part("norm",  "norm.resnet",   affine("w"),    when="not batched"),
    part("norm",  "norm.resnet",   batchnorm("w"), when="batched"))
DC_ATTENTION = rows(                           # y the width of all heads, scales the kernels beside the plain one
    part("attn.to_q", "attention.query", linear("w -> y")),
    part("attn.to_k", "attention.key",   linear("w -> y")),
    part("attn.to_v", "attention.value", linear("w -> y")),
    part("attn.to_qkv_multiscale.{M}.proj_in",  "attention.conv",
         conv("3*y -> 3*y, kernel kernel", groups="3*y", bias=False)),
    part("attn.to_qkv_multiscale.{M}.proj_out", "attention.conv.point",
         conv("3*y -> 3*y, 1 1", groups="3*(y//hd)", bias=False)),
    part("attn.to_out", "attention.output", linear("y*(1 + M) -> w")),
    part("attn.norm_out", "norm.attention", affine("w"),    when="not batched"),
    part("attn.norm_out", "norm.attention", batchnorm("w"), when="batched"),
    part("conv_out.conv_inverted", "mlp.gate_up", conv("w -> 8*w, 1 1")),
    part("conv_out.conv_depth",    "mlp.conv",    conv("8*w -> 8*w, 3 3", groups="8*w")),
    part("conv_out.conv_point",    "mlp.down",    conv("4*w -> w, 1 1", bias=False)),
    part("conv_out.norm",          "norm.mlp",    affine("w")))
DC_BLOCK = rows(
    rows(DC_RESNET, when="plain"),
    rows(DC_ATTENTION, tower="attention", when="not plain"))
# S, U: stages of encoder and decoder; w, k, u, q: channels of a stage and of the next; B, Q, P: its blocks; y, yu:
# width of all heads; M, MU: scales of the attention, kernel, kerne: their kernels; plain, plainu: stages of
# convolutions only; scaled, scaledu: 1 where the first or last stage has no layers; m, md: channels of the middle; D,
# W: stages that resize
AUTOENCODERDC = Architecture("AutoencoderDC",
    dims=Dims(c="in_channels", z="latent_channels", hd="attention_head_dim", ch="encoder_block_out_channels", d="ch[0]",
              S="min(len(ch), len(encoder_layers_per_block))", m="ch[len(ch)-1]",
              w="ch[{S}]", n="encoder_layers_per_block[{S}]", B="n", D="S[:len(ch)-1][encoder_layers_per_block > 0]",
              N="n : n + 1",
              y="w//hd*hd", M="len(encoder_qkv_multiscales[{S}])", kernel="encoder_qkv_multiscales[{S}][{M}]",
              plain="encoder_block_types == 'ResBlock' or encoder_block_types[{S}] == 'ResBlock'", k="ch[{S}+1]",
              unshuffled="downsample_block_type == 'pixel_unshuffle'", a="ch[0] when scaled == 0 | ch[1]",
              scaled="0 when encoder_layers_per_block[0] > 0 | 1",
              dc="decoder_block_out_channels", U="min(len(dc), len(decoder_layers_per_block))", md="dc[len(dc)-1]",
              u="dc[{U}]", nu="decoder_layers_per_block[{U}]",
              W="U[:len(dc)-1][decoder_layers_per_block > 0]", L="U[len(dc)-1:]", Q="1 : nu + 1", P="nu", q="dc[{U}+1]",
              yu="u//hd*hd", MU="len(decoder_qkv_multiscales[{U}])", kerne="decoder_qkv_multiscales[{U}][{MU}]",
              shuffled="upsample_block_type != 'interpolate'", e="dc[0] when scaledu == 0 | dc[1]",
              scaledu="0 when decoder_layers_per_block[0] > 0 | 1",
              plainu="decoder_block_types == 'ResBlock' or decoder_block_types[{U}] == 'ResBlock'",
              batchedu="decoder_norm_types == 'batch_norm' or decoder_norm_types[{U}] == 'batch_norm'"),
    parts=rows(
        under("encoder",
            part("conv_in",      "embed.image",        conv("c -> a, 3 3"), when="scaled == 0"),
            part("conv_in.conv", "embed.image.scaled", conv("c -> (a//4 when unshuffled | a), 3 3"),
                 when="scaled == 1"),
            under("down_blocks.{S}.{B}", DC_BLOCK, batched="false"),
            part("down_blocks.{D}.{N}.conv", "resnet.down", conv("w -> (k//4 when unshuffled | k), 3 3")),
            part("conv_out", "head.latent", conv("m -> z, 3 3")), tower="encoder"),
        under("decoder",
            part("conv_in", "embed.latent", conv("z -> md, 3 3")),
            under("up_blocks.{W}.{Q}", DC_BLOCK, w="u", y="yu", M="MU", kernel="kerne", plain="plainu",
                  batched="batchedu"),
            under("up_blocks.{L}.{P}", DC_BLOCK, w="u", y="yu", M="MU", kernel="kerne", plain="plainu",
                  batched="batchedu"),
            part("up_blocks.{W}.0.conv", "resnet.up", conv("q -> (4*u when shuffled | u), 3 3")),
            part("norm_out",      "norm.final",        affine("e")),
            part("conv_out",      "head.image",        conv("e -> c, 3 3"), when="scaledu == 0"),
            part("conv_out.conv", "head.image.scaled", conv("e -> (4*c when shuffled | c), 3 3"), when="scaledu == 1"),
            tower="decoder")))
