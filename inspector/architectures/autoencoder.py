"""Autoencoders of latent diffusion: AutoencoderKL, VQModel, AutoencoderTiny.

vae.py: the encoder ends in mean and variance, so twice the latent channels; a decoder block has one resnet more than an encoder
block. Files of the first versions call the attention's matrices query, key, value and proj_attn. autoencoder_tiny.py: the
modules of a sequence are numbered through, activations and upsampling among them; four stages of one width.
"""

from inspector.architectures.diffusion_blocks import OLD_ATTENTION, PIXEL_ATTENTION, TIMELESS_RESNET
from inspector.notation.card import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, table

VAE_DIMS = Dims(ci="in_channels", co="out_channels", z="latent_channels", ch="block_out_channels", S="len(ch)", U="len(ch)",
                d="a", a="ch[0]", m="ch[S-1]", w="ch[{S}]", v="ch[{S}-1] | a", D="S[:S-1]", R="layers_per_block", R1="R[1:]",
                u="ch[S-1-{U}]", p="ch[S-{U}] | m", W="U[:U-1]", Q="layers_per_block + 1", Q1="Q[1:]", e="vq_embed_dim | z")
ENCODER = rows(                                # x channels out
    part("conv_in",       "embed.image", conv("ci -> a, 3 3")),
    under("down_blocks.{S}.resnets.0",    TIMELESS_RESNET, i="v", o="w"),
    under("down_blocks.{S}.resnets.{R1}", TIMELESS_RESNET, i="w", o="w"),
    part("down_blocks.{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3")),
    part("conv_norm_out", "norm.final",  affine("m")),
    part("conv_out",      "head.latent", conv("m -> x, 3 3")))
DECODER = rows(
    part("conv_in",       "embed.latent", conv("z -> m, 3 3")),
    under("up_blocks.{U}.resnets.0",    TIMELESS_RESNET, i="p", o="u"),
    under("up_blocks.{U}.resnets.{Q1}", TIMELESS_RESNET, i="u", o="u"),
    part("up_blocks.{W}.upsamplers.0.conv", "resnet.up", conv("u -> u, 3 3")),
    part("conv_norm_out", "norm.final", affine("a")),
    part("conv_out",      "head.image", conv("a -> co, 3 3")))
ENCODER_MIDDLE = under("encoder.mid_block",
    under("resnets.0",    TIMELESS_RESNET, i="m", o="m", tower="encoder.middle"),
    under("attentions.0", PIXEL_ATTENTION, w="m", when="mid_block_add_attention | true", tower="encoder.middle"),
    under("resnets.1",    TIMELESS_RESNET, i="m", o="m", tower="encoder.middle.last"))
DECODER_MIDDLE = under("decoder.mid_block",
    under("resnets.0",    TIMELESS_RESNET, i="m", o="m", tower="decoder.middle"),
    under("attentions.0", PIXEL_ATTENTION, w="m", when="mid_block_add_attention | true", tower="decoder.middle"),
    under("resnets.1",    TIMELESS_RESNET, i="m", o="m", tower="decoder.middle.last"))
AUTOENCODERKL = Architecture("AutoencoderKL", dims=VAE_DIMS, dialects=({}, OLD_ATTENTION),
    parts=rows(
        under("encoder", ENCODER, x="2*z", tower="encoder"), ENCODER_MIDDLE,
        under("decoder", DECODER, tower="decoder"), DECODER_MIDDLE,
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1"), when="use_quant_conv | true"),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1"),     when="use_post_quant_conv | true")))
VQMODEL = Architecture("VQModel", dims=VAE_DIMS, dialects=({}, OLD_ATTENTION),
    parts=rows(
        under("encoder", ENCODER, x="z", tower="encoder"), ENCODER_MIDDLE,
        under("decoder", DECODER, tower="decoder"), DECODER_MIDDLE,
        part("quantize.embedding", "embed.code",     table("num_vq_embeddings e")),
        part("quant_conv",         "head.quantise",  conv("z -> e, 1 1")),
        part("post_quant_conv",    "embed.quantise", conv("e -> z, 1 1"))))
TINY_BLOCK = rows(
    part("conv.0", "resnet.conv.1", conv("a -> a, 3 3")),
    part("conv.2", "resnet.conv.2", conv("a -> a, 3 3")),
    part("conv.4", "resnet.conv.3", conv("a -> a, 3 3")))
AUTOENCODERTINY = Architecture("AutoencoderTiny",
    dims=Dims(ci="in_channels", co="out_channels", z="latent_channels", d="a", a="encoder_block_out_channels[0]",
              b="decoder_block_out_channels[0]",
              n0="num_encoder_blocks[0]", n1="n0 + 1 + num_encoder_blocks[1]", n2="n1 + 1 + num_encoder_blocks[2]",
              n3="n2 + 1 + num_encoder_blocks[3]",
              B0="1 : 1 + n0", B1="n0 + 2 : n1 + 1", B2="n1 + 2 : n2 + 1", B3="n2 + 2 : n3 + 1",
              D1="n0 + 1 : n0 + 2", D2="n1 + 1 : n1 + 2", D3="n2 + 1 : n2 + 2", E="n3 + 1 : n3 + 2",
              m0="2 + num_decoder_blocks[0]", m1="m0 + 2 + num_decoder_blocks[1]", m2="m1 + 2 + num_decoder_blocks[2]",
              m3="m2 + 2 + num_decoder_blocks[3]",
              C0="2 : m0", C1="m0 + 2 : m1", C2="m1 + 2 : m2", C3="m2 + 2 : m3",
              U1="m0 + 1 : m0 + 2", U2="m1 + 1 : m1 + 2", U3="m2 + 1 : m2 + 2", F="m3 : m3 + 1"),
    parts=rows(
        under("encoder.layers",
            part("0", "embed.image", conv("ci -> a, 3 3")),
            under("{B0}", TINY_BLOCK), under("{B1}", TINY_BLOCK), under("{B2}", TINY_BLOCK), under("{B3}", TINY_BLOCK),
            part("{D1}", "resnet.down", conv("a -> a, 3 3", bias=False)),
            part("{D2}", "resnet.down", conv("a -> a, 3 3", bias=False)),
            part("{D3}", "resnet.down", conv("a -> a, 3 3", bias=False)),
            part("{E}",  "head.latent", conv("a -> z, 3 3")), tower="encoder"),
        under("decoder.layers",
            part("0", "embed.latent", conv("z -> b, 3 3")),
            under("{C0}", TINY_BLOCK, a="b"), under("{C1}", TINY_BLOCK, a="b"),
            under("{C2}", TINY_BLOCK, a="b"), under("{C3}", TINY_BLOCK, a="b"),
            part("{U1}", "resnet.up", conv("b -> b, 3 3", bias=False)),
            part("{U2}", "resnet.up", conv("b -> b, 3 3", bias=False)),
            part("{U3}", "resnet.up", conv("b -> b, 3 3", bias=False)),
            part("{F}",  "head.image", conv("b -> co, 3 3")), tower="decoder")))
