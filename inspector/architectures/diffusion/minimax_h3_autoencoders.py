"""Autoencoders of MiniMax H3: of video, with a transformer for a decoder, and of sound, DAC's encoder before BigVGAN.

autoencoder_kl_minimax_h3.py: causal convolutions down, a stage resizes where one of its factors is not 1; the decoder
makes patches of pixels. autoencoder_kl_minimax_h3_audio.py: weight norm everywhere, under the names of the first
versions of torch; one block of attention narrows the latent, its key bias is a fixed zero.
"""

from inspector.architectures.diffusion.diffusion_blocks import ATTENTION, GATED_FEED_FORWARD
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, dense, linear, param, scale, weight_norm

RESNET = rows(                                 # i channels in, o out
    part("norm1",         "norm.resnet.1", affine("i")),
    part("conv1",         "resnet.conv.1", conv("i -> o, 3 3 3")),
    part("norm2",         "norm.resnet.2", affine("o")),
    part("conv2",         "resnet.conv.2", conv("o -> o, 3 3 3")),
    part("conv_shortcut", "resnet.skip",   conv("i -> o, 1 1 1"), when="i != o"))
# S stages, D those that resize; w, v: channels of one and of that before; d the width of the decoder, p pixels of a
# patch in space and time
AUTOENCODERKLMINIMAXH3 = Architecture("AutoencoderKLMiniMaxH3",
    dims=Dims(ch="block_out_channels", S="len(ch)", m="ch[S-1]", w="ch[{S}]", v="ch[{S}-1] | ch[0]",
              z="latent_channels", R="layers_per_block", R0="R[:1]", R1="R[1:]",
              near="spatial_downsample_factors", time="temporal_downsample_factors",
              D="S[near*time > 1]", L="decoder_num_layers", d="decoder_num_attention_heads*decoder_attention_head_dim",
              a="d", ff="d*decoder_ffn_mult", p="prod(near)*prod(near)*prod(time)"),
    parts=rows(
        under("encoder",
            part("conv_in", "embed.image", conv("in_channels -> ch[0], 3 3 3")),
            under("down_blocks.{S}.resnets.{R0}", RESNET, i="v", o="w"),
            under("down_blocks.{S}.resnets.{R1}", RESNET, i="w", o="w"),
            part("down_blocks.{D}.downsamplers.0.conv", "resnet.down", conv("w -> w, 3 3 3")),
            part("norm_out", "norm.final",  affine("m")),
            part("conv_out", "head.latent", conv("m -> 2*z, 3 3 3")), tower="encoder"),
        part("quant_conv",      "head.quantise",  conv("2*z -> 2*z, 1 1 1")),
        part("post_quant_conv", "embed.quantise", conv("z -> z, 1 1 1")),
        under("decoder",
            part("register_tokens", "embed.register", param("1 decoder_num_register_tokens d")),
            part("proj_in",         "embed.latent",   dense("z -> d")),
            under("transformer_blocks.{L}",
                part("norm1",  "norm.attention",  scale("d")),
                under("attn", ATTENTION, w="d", b="true", bo="true"),
                part("scale1", "scale.attention", param("d")),
                part("norm2",  "norm.mlp",        scale("d")),
                under("ff", GATED_FEED_FORWARD, w="d", b="true"),
                part("scale2", "scale.mlp",       param("d"))),
            part("norm_out", "norm.final", affine("d")),
            part("proj_out", "head.image", dense("d -> out_channels*p")), tower="decoder")))

UNIT = rows(                                   # w channels
    part("block.0.alpha", "scale.frequency", param("1 w 1")),
    part("block.1",       "resnet.conv.1",   weight_norm(conv("w -> w, 7"), axis=0)),
    part("block.2.alpha", "scale.frequency", param("1 w 1")),
    part("block.3",       "resnet.conv.2",   weight_norm(conv("w -> w, 1"), axis=0)))
ACTIVATION = rows(                             # w channels
    part("act.alpha",                 "scale.frequency", param("w")),
    part("act.beta",                  "scale.magnitude", param("w")),
    part("upsample.filter",           "filter.up",       buffer("1 1 12")),
    part("downsample.lowpass.filter", "filter.down",     buffer("1 1 12")))
# B the stages, counted from 1, w their channels; U stages up, from u to v; N, n resnets of all and of a stage, x their
# channels, k convolutions of one
AUTOENCODERKLMINIMAXH3AUDIO = Architecture("AutoencoderKLMiniMaxH3Audio", ignores="num_attention_heads",
    dialects=({}, {"*.parametrizations.weight.original0": ".weight_g",
                   "*.parametrizations.weight.original1": ".weight_v"}),
    dims=Dims(a="encoder_dim", r="encoder_rates", S="len(r)", B="1 : S + 1", w="a*2**({B} - 1)", m="a*2**S",
              three="3", snake="S + 1 : S + 2", last="S + 2 : S + 3", d="latent_dim", z="latent_channels",
              c="decoder_dim", U="min(len(decoder_rates), len(decoder_kernel_sizes))", u="c//2**{U}",
              v="c//2**({U} + 1)", e="c//2**len(decoder_rates)",
              n="min(len(resblock_kernel_sizes), len(resblock_dilation_sizes))", N="U*n", x="c//2**({N}//n + 1)",
              q="resblock_kernel_sizes[{N} % n]",
              k="len(resblock_dilation_sizes[{N} % n])", t="2*k"),
    parts=rows(
        under("encoder",
            part("block.0", "embed.audio", weight_norm(conv("1 -> a, 7"), axis=0)),
            under("block.{B}.block.{three}", UNIT),
            part("block.{B}.block.3.alpha", "scale.frequency", param("1 w 1")),
            part("block.{B}.block.4", "resnet.down", weight_norm(conv("w -> 2*w, 2*r[{B}-1]"), axis=0)),
            part("block.{snake}.alpha", "scale.frequency", param("1 m 1")),
            part("block.{last}", "head.latent", weight_norm(conv("m -> d, 3"), axis=0)), tower="encoder"),
        under("pre_block",
            part("norm1",            "norm.attention",       affine("d")),
            part("attn.q_bias",      "attention.query.bias", param("d")),
            part("attn.zero_k_bias", "attention.key.bias",   buffer("d")),
            part("attn.v_bias",      "attention.value.bias", param("d")),
            part("attn.qkv",         "attention.qkv",        linear("d -> d + d + d", packs="q k v")),
            part("attn.proj",        "attention.output",     dense("z -> z")),
            part("norm3",            "norm.project",         affine("d")),
            part("proj",             "project",              dense("d -> z")),
            part("norm2",            "norm.mlp",             affine("z")),
            part("mlp.norm",         "norm.mlp.inner",       affine("z")),
            part("mlp.w0",           "mlp.gate",             dense("z -> 2*z")),
            part("mlp.w1",           "mlp.up",               dense("z -> 2*z")),
            part("mlp.w2",           "mlp.down",             dense("2*z -> z")), tower="narrow"),
        part("mean_proj",   "head.latent.mean",      conv("z -> z, 1")),
        part("logs_proj",   "head.latent.deviation", conv("z -> z, 1")),
        part("dec_in_proj", "embed.latent",          conv("z -> d, 1")),
        under("decoder",
            part("conv_pre", "embed.latent.conv", weight_norm(conv("d -> c, 7"), axis=0)),
            part("ups.{U}.0", "resnet.up", weight_norm(conv_t("u -> v, decoder_kernel_sizes[{U}]"), axis=0)),
            under("resblocks.{N}",
                part("convs1.{k}", "resnet.conv.1", weight_norm(conv("x -> x, q"), axis=0)),
                part("convs2.{k}", "resnet.conv.2", weight_norm(conv("x -> x, q"), axis=0)),
                under("activations.{t}", ACTIVATION, w="x")),
            under("activation_post", ACTIVATION, w="e", tower="decoder.last"),
            part("conv_post", "head.audio", weight_norm(conv("e -> 1, 7", bias=False), axis=0)), tower="decoder")))
