"""The autoencoder of Mochi. autoencoder_kl_mochi.py: stages between a block in and a block out; a stage of the encoder
begins with a convolution as large as it shrinks, one of the decoder ends in a linear that gives what it grows. Only the
encoder attends.
"""

from inspector.architectures.diffusion.diffusion_blocks import ATTENTION
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear

RESNETS = rows(                                # w channels, R blocks
    part("resnets.{R}.norm1.norm_layer", "norm.resnet.1", affine("w")),
    part("resnets.{R}.conv1.conv",       "resnet.conv.1", conv("w -> w, 3 3 3")),
    part("resnets.{R}.norm2.norm_layer", "norm.resnet.2", affine("w")),
    part("resnets.{R}.conv2.conv",       "resnet.conv.2", conv("w -> w, 3 3 3")))
ATTENDING = rows(
    RESNETS,
    part("norms.{R}.norm_layer", "norm.attention", affine("w"), when="attends"),
    under("attentions.{R}", ATTENTION, a="w", b="false", bo="true", when="attends"))
# S, U: stages of encoder and decoder; v, w: channels in and out of a stage; u, q: of a decoder stage; R, Q: resnets;
# first, end: resnets of the first and last block; tk, sk, tu, su: factors in time and space; m, md: channels of the
# middle
AUTOENCODERKLMOCHI = Architecture("AutoencoderKLMochi",
    dims=Dims(ci="in_channels", co="out_channels", z="latent_channels", l="layers_per_block", te="temporal_expansions",
              se="spatial_expansions",
              ec="encoder_block_out_channels", S="len(ec) - 1", v="ec[{S}]", w="ec[{S}+1]", R="l[{S}+1]", first="l[0]",
              a="ec[0]",
              m="ec[len(ec)-1]", end="l[len(l)-1]", tk="te[{S}]", sk="se[{S}]", attend="add_attention_block", d="a",
              dc="decoder_block_out_channels", U="len(dc) - 1", u="dc[len(dc)-1-{U}]", q="dc[len(dc)-2-{U}]",
              Q="l[len(l)-2-{U}]",
              tu="te[len(te)-1-{U}]", su="se[len(se)-1-{U}]", md="dc[len(dc)-1]", ad="dc[0]"),
    parts=rows(
        under("encoder",
            part("proj_in", "embed.image", dense("ci -> a")),
            under("block_in",  ATTENDING, w="a", R="first", attends="attend[0]", tower="in"),
            part("down_blocks.{S}.conv_in.conv", "resnet.down", conv("v -> w, tk sk sk")),
            under("down_blocks.{S}", ATTENDING, attends="attend[{S}+1]"),
            under("block_out", ATTENDING, w="m", R="end", attends="attend[len(attend)-1]", tower="out"),
            part("norm_out.norm_layer", "norm.final",  affine("m")),
            part("proj_out",            "head.latent", linear("m -> 2*z")), tower="encoder"),
        under("decoder",
            part("conv_in", "embed.latent", conv("z -> md, 1 1 1")),
            under("block_in",  RESNETS, w="md", R="end", tower="in"),
            under("up_blocks.{U}", RESNETS, w="u", R="Q"),
            part("up_blocks.{U}.proj", "resnet.up", dense("u -> q*tu*su*su")),
            under("block_out", RESNETS, w="ad", R="first", tower="out"),
            part("proj_out", "head.image", dense("ad -> co")), tower="decoder")))
