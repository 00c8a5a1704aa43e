"""Autoencoders of latent diffusion: AutoencoderKL, VQModel, AutoencoderTiny.

vae.py: the encoder ends in mean and variance, so twice the latent channels; a decoder block has one resnet more than an
encoder block. Files of the first versions call the attention's matrices query, key, value and proj_attn. With spatial
norms (Kandinsky's VQModel) every norm of the decoder reads the latents by two convolutions. autoencoder_tiny.py: the
modules of a sequence are numbered through, activations and upsampling among them; four stages of one width.
"""

from inspector.architectures.diffusion.diffusion_blocks import (
                OLD_ATTENTION,
                PIXEL_ATTENTION,
                PIXEL_MATRICES,
                TIMELESS_RESNET,
)
from inspector.notation.definition import Architecture, Dims, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, table

# S, U: stages of encoder and decoder (U counts from the middle); w, v: channels of a stage and of the one before; u,
# p: of a decoder stage and of the one before; m: of the middle; R, Q: resnets; D, W: stages that resize; XA, YA:
# stages with attention; e: width of a code; grouped: norms do not read the latents
VAE_DIMS = Dims(ci="in_channels", co="out_channels", z="latent_channels", ch="block_out_channels", S="len(ch)",
                U="len(ch)",
                d="a", a="ch[0]", m="ch[S-1]", w="ch[{S}]", v="ch[{S}-1] | a", D="S[:S-1]", R="layers_per_block",
                R0="R[:1]", R1="R[1:]",
                u="ch[S-1-{U}]", p="ch[S-{U}] | m", W="U[:U-1]", Q="layers_per_block + 1", Q1="Q[1:]",
                e="vq_embed_dim | z",
                XA="S[down_block_types == 'AttnDownEncoderBlock2D']", YA="U[up_block_types == 'AttnUpDecoderBlock2D']",
                grouped="(norm_type | 'group') == 'group'")
SPATIAL_NORM = rows(                           # i channels, z those of the latents
    part("norm_layer", "norm.group", affine("i")),
    part("conv_y",     "norm.scale", conv("z -> i, 1 1")),
    part("conv_b",     "norm.shift", conv("z -> i, 1 1")))
SPATIAL_RESNET = rows(                         # i channels in, o out
    under("norm1", SPATIAL_NORM, tower="norm.1"),
    part("conv1",         "resnet.conv.1", conv("i -> o, 3 3")),
    under("norm2", SPATIAL_NORM, i="o", tower="norm.2"),
    part("conv2",         "resnet.conv.2", conv("o -> o, 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> o, 1 1"), when="i != o"))
ONE_HEAD = rows(PIXEL_ATTENTION, y="w")
SPATIAL_ATTENTION = rows(rows(PIXEL_MATRICES, y="w"), under("spatial_norm", SPATIAL_NORM, i="w"))
ENCODER = rows(                                # x channels out
    part("conv_in",       "embed.image", conv("ci -> a, 3 3")),
    under("down_blocks.{S}.resnets.{R0}", TIMELESS_RESNET, i="v", o="w"),
    under("down_blocks.{S}.resnets.{R1}", TIMELESS_RESNET, i="w", o="w"),
    under("down_blocks.{XA}.attentions.{R}", ONE_HEAD),
    part("down_blocks.{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")),
    part("conv_norm_out", "norm.final",  affine("m")),
    part("conv_out",      "head.latent", conv("m -> x, 3 3")))
DECODER = rows(
    part("conv_in",       "embed.latent", conv("z -> m, 3 3")),
    rows(
        under("up_blocks.{U}.resnets.0",         TIMELESS_RESNET, i="p", o="u"),
        under("up_blocks.{U}.resnets.{Q1}",      TIMELESS_RESNET, i="u", o="u"),
        under("up_blocks.{YA}.attentions.{Q}",   ONE_HEAD, w="u"),
        part("conv_norm_out", "norm.final", affine("a")), when="grouped"),
    rows(
        under("up_blocks.{U}.resnets.0",         SPATIAL_RESNET, i="p", o="u"),
        under("up_blocks.{U}.resnets.{Q1}",      SPATIAL_RESNET, i="u", o="u"),
        under("up_blocks.{YA}.attentions.{Q}",   SPATIAL_ATTENTION, w="u"),
        under("conv_norm_out", SPATIAL_NORM, i="a", tower="norm.final"), when="not grouped"),
    part("up_blocks.{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")),
    part("conv_out",      "head.image", conv("a -> co, 3 3")))
ENCODER_MIDDLE = under("encoder.mid_block",
    under("resnets.0",    TIMELESS_RESNET, i="m", o="m", tower="encoder.middle"),
    under("attentions.0", ONE_HEAD, w="m", when="mid_block_add_attention | true", tower="encoder.middle"),
    under("resnets.1",    TIMELESS_RESNET, i="m", o="m", tower="encoder.middle.last"))
SPATIAL_MIDDLE = under("decoder.mid_block",
    under("resnets.0",    SPATIAL_RESNET, i="m", o="m", tower="decoder.middle"),
    under("attentions.0", SPATIAL_ATTENTION, w="m", when="mid_block_add_attention | true", tower="decoder.middle"),
    under("resnets.1",    SPATIAL_RESNET, i="m", o="m", tower="decoder.middle.last"), when="not grouped")
DECODER_MIDDLE = under("decoder.mid_block",
    under("resnets.0",    TIMELESS_RESNET, i="m", o="m", tower="decoder.middle"),
    under("attentions.0", ONE_HEAD, w="m", when="mid_block_add_attention | true", tower="decoder.middle"),
    under("resnets.1",    TIMELESS_RESNET, i="m", o="m", tower="decoder.middle.last"), when="grouped")
COUNTED_BY_KINDS = Dims(S="len(down_block_types)", U="len(up_block_types)", C="len(ch)", m="ch[C-1]", D="S[:C-1]",
                        W="U[:C-1]",
                        u="ch[C-1-{U}]", p="ch[C-{U}] | m")
AUTOENCODERKL = Architecture("AutoencoderKL", dims=VAE_DIMS | COUNTED_BY_KINDS,
                             dialects=({}, OLD_ATTENTION),
    parts=rows(
        under("encoder", ENCODER, x="2*z", tower="encoder"), ENCODER_MIDDLE,
        rows(under("decoder", DECODER, tower="decoder"), DECODER_MIDDLE, grouped="true"),
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1"), when="use_quant_conv"),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1"),     when="use_post_quant_conv")))
VQMODEL = Architecture("VQModel", dims=VAE_DIMS | COUNTED_BY_KINDS, dialects=({}, OLD_ATTENTION),
    parts=rows(
        under("encoder", ENCODER, x="z", tower="encoder"), ENCODER_MIDDLE,
        under("decoder", DECODER, tower="decoder"), DECODER_MIDDLE, SPATIAL_MIDDLE,
        part("quantize.embedding", "embed.code",     table("num_vq_embeddings e")),
        part("quant_conv",         "head.quantise",  conv("z -> e, 1 1")),
        part("post_quant_conv",    "embed.quantise", conv("e -> z, 1 1"))))
TINY_BLOCK = rows(
    part("conv.0", "resnet.conv.1", conv("a -> a, 3 3")),
    part("conv.2", "resnet.conv.2", conv("a -> a, 3 3")),
    part("conv.4", "resnet.conv.3", conv("a -> a, 3 3")))
# numbers of the modules: n0, n1, …: end of each encoder stage; B0, …: its blocks; D1, …: downsampling; E: the last;
# m0, m1, …, C0, …, U1, …, F: the same for the decoder
AUTOENCODERTINY = Architecture("AutoencoderTiny", ignores="block_out_channels",
    dims=Dims(ci="in_channels", co="out_channels", z="latent_channels", d="a", ch="encoder_block_out_channels",
              dh="decoder_block_out_channels", a="ch[0]", b="dh[0]",
              n0="num_encoder_blocks[0]", n1="n0 + 1 + num_encoder_blocks[1]", n2="n1 + 1 + num_encoder_blocks[2]",
              n3="n2 + 1 + num_encoder_blocks[3]",
              B0="1 : 1 + n0", B1="n0 + 2 : n1 + 1 when n1 != null | 0", B2="n1 + 2 : n2 + 1 when n2 != null | 0",
              B3="n2 + 2 : n3 + 1 when n3 != null | 0",
              D1="n0 + 1 : n0 + 2 when n1 != null | 0", D2="n1 + 1 : n1 + 2 when n2 != null | 0",
              D3="n2 + 1 : n2 + 2 when n3 != null | 0",
              ne="n3 | n2 | n1 | n0", E="ne + 1 : ne + 2",
              m0="2 + num_decoder_blocks[0]", m1="m0 + 2 + num_decoder_blocks[1]", m2="m1 + 2 + num_decoder_blocks[2]",
              m3="m2 + 2 + num_decoder_blocks[3]",
              C0="2 : m0", C1="m0 + 2 : m1 when m1 != null | 0", C2="m1 + 2 : m2 when m2 != null | 0",
              C3="m2 + 2 : m3 when m3 != null | 0",
              U1="m0 + 1 : m0 + 2 when m1 != null | 0", U2="m1 + 1 : m1 + 2 when m2 != null | 0",
              U3="m2 + 1 : m2 + 2 when m3 != null | 0",
              me="m3 | m2 | m1 | m0", F="me : me + 1"),
    parts=rows(
        under("encoder.layers",
            part("0", "embed.image", conv("ci -> a, 3 3")),
            under("{B0}", TINY_BLOCK), under("{B1}", TINY_BLOCK, a="ch[1]"),
            under("{B2}", TINY_BLOCK, a="ch[2]"), under("{B3}", TINY_BLOCK, a="ch[3]"),
            part("{D1}", "resnet.down", conv("ch[1] -> ch[1], 3 3", bias=False)),
            part("{D2}", "resnet.down", conv("ch[2] -> ch[2], 3 3", bias=False)),
            part("{D3}", "resnet.down", conv("ch[3] -> ch[3], 3 3", bias=False)),
            part("{E}",  "head.latent", conv("ch[len(ch)-1] -> z, 3 3")), tower="encoder"),
        under("decoder.layers",
            part("0", "embed.latent", conv("z -> b, 3 3")),
            under("{C0}", TINY_BLOCK, a="b"), under("{C1}", TINY_BLOCK, a="dh[1]"),
            under("{C2}", TINY_BLOCK, a="dh[2]"), under("{C3}", TINY_BLOCK, a="dh[3]"),
            part("{U1}", "resnet.up", conv("b -> b, 3 3", bias=False)),
            part("{U2}", "resnet.up", conv("dh[1] -> dh[1], 3 3", bias=False)),
            part("{U3}", "resnet.up", conv("dh[2] -> dh[2], 3 3", bias=False)),
            part("{F}",  "head.image", conv("dh[len(dh)-1] -> co, 3 3")), tower="decoder")))
AUTOENCODERKLFLUX2 = Architecture("AutoencoderKLFlux2",
    dims=VAE_DIMS | COUNTED_BY_KINDS | Dims(dc="decoder_block_out_channels", md="dc[C-1] | m", ad="dc[0] | a",
                         n="z*patch_size[0]*patch_size[1]",
                         ud="dc[C-1-{U}] | u", pd="dc[C-{U}] when {U} > 0 | md when {U} == 0 | p"),
    parts=rows(
        under("encoder", ENCODER, x="2*z", tower="encoder"), ENCODER_MIDDLE,
        rows(under("decoder", DECODER, tower="decoder"), DECODER_MIDDLE, grouped="true", m="md", a="ad", u="ud",
             p="pd"),
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1"), when="use_quant_conv"),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1"),     when="use_post_quant_conv"),
        part("bn.running_mean", "norm.latent.mean",     buffer("n")),
        part("bn.running_var",  "norm.latent.variance", buffer("n")),
        maybe("bn.num_batches_tracked", "norm.latent.count", buffer(""))))
