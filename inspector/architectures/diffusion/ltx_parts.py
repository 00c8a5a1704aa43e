"""Parts of the pipelines of LTX-Video beside transformer and autoencoder: upsamplers of latents, connectors of the
text, vocoders, a head for the duration.

modeling_latent_upsampler.py, latent_upsampler.py: a rational resampler is a convolution and a fixed blur.
connectors.py: a small transformer for video and one for audio, whose registers replace padding. vocoder.py: HiFi-GAN;
an activation between fixed filters doubles the rate. duration_head.py: one attention pools both streams.
"""

from inspector.architectures.diffusion.diffusion_blocks import ATTENTION, FEED_FORWARD
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, dense, linear, param, scale

UPSAMPLER_RESNET = rows(                       # m channels
    part("conv1", "resnet.conv.1", conv("m -> m, 3 3"),   when="flat"),
    part("conv1", "resnet.conv.1", conv("m -> m, 3 3 3"), when="not flat"),
    part("norm1", "norm.resnet.1", affine("m")),
    part("conv2", "resnet.conv.2", conv("m -> m, 3 3"),   when="flat"),
    part("conv2", "resnet.conv.2", conv("m -> m, 3 3 3"), when="not flat"),
    part("norm2", "norm.resnet.2", affine("m")))
UPSAMPLER_DIMS = Dims(c="in_channels", m="mid_channels", N="num_blocks_per_stage", flat="dims == 2",
                      space="spatial_upsample", time="temporal_upsample")
UPSAMPLER_ENDS = rows(
    part("initial_conv", "embed.latent", conv("c -> m, 3 3"),   when="flat"),
    part("initial_conv", "embed.latent", conv("c -> m, 3 3 3"), when="not flat"),
    part("initial_norm", "norm.resnet.in", affine("m")),
    under("res_blocks.{N}", UPSAMPLER_RESNET),
    under("post_upsample_res_blocks.{N}", UPSAMPLER_RESNET, tower="last"),
    part("final_conv", "head.latent", conv("m -> c, 3 3"),   when="flat"),
    part("final_conv", "head.latent", conv("m -> c, 3 3 3"), when="not flat"))
UPSAMPLER_RESIZE = rows(
    part("upsampler.0", "resnet.up", conv("m -> 8*m, 3 3 3"), when="space and time"),
    part("upsampler.0", "resnet.up", conv("m -> 4*m, 3 3"),   when="space and not time and not rational"),
    part("upsampler.0", "resnet.up", conv("m -> 2*m, 3 3 3"), when="time and not space"))
LTXLATENTUPSAMPLERMODEL = Architecture("LTXLatentUpsamplerModel",
    dims=UPSAMPLER_DIMS | Dims(rational="false"), parts=rows(UPSAMPLER_ENDS, UPSAMPLER_RESIZE))
# s: the numerator of the scale, which is 3/4, 3/2, 2 or 4
LTX2LATENTUPSAMPLERMODEL = Architecture("LTX2LatentUpsamplerModel",
    dims=UPSAMPLER_DIMS | Dims(rational="use_rational_resampler", one="1",
                               s="3 when rational_spatial_scale == 0.75 or rational_spatial_scale == 1.5 | "
                                 "2 when rational_spatial_scale == 2 | 4"),
    parts=rows(
        UPSAMPLER_ENDS,
        UPSAMPLER_RESIZE,
        under("upsampler",
            part("conv",             "resnet.up",  conv("m -> s*s*m, 3 3")),
            part("blur_down.kernel", "filter.low", buffer("1 1 5 5")), when="space and not time and rational")))

CONNECTOR = rows(                              # w channels, N learned registers, gated: a gate of each head
    part("learnable_registers", "embed.register", param("N w"), when="N > 0"),
    under("transformer_blocks.{L}",
        under("attn1", ATTENTION, a="w", b="true", bo="true"),
        part("attn1.norm_q", "norm.query", scale("w")),
        part("attn1.norm_k", "norm.key",   scale("w")),
        part("attn1.to_gate_logits", "attention.gate", dense("w -> h"), when="gated"),
        under("ff", FEED_FORWARD, ff="4*w", b="true")))
LTX2TEXTCONNECTORS = Architecture("LTX2TextConnectors",
    dims=Dims(e="caption_channels", i="e*text_proj_in_factor", b="proj_bias", apart="per_modality_projections",
              v="video_hidden_dim", y="audio_hidden_dim", h="video_connector_num_attention_heads",
              g="audio_connector_num_attention_heads", w="h*video_connector_attention_head_dim",
              x="g*audio_connector_attention_head_dim", L="video_connector_num_layers", M="audio_connector_num_layers",
              N="video_connector_num_learnable_registers | 0", R="audio_connector_num_learnable_registers | 0"),
    parts=rows(
        part("text_proj_in",       "embed.text",       linear("i -> e", bias="b"), when="not apart"),
        part("video_text_proj_in", "embed.text",       linear("i -> v", bias="b"), when="apart"),
        part("audio_text_proj_in", "embed.text", linear("i -> y", bias="b"), when="apart"),
        under("video_connector", CONNECTOR, gated="video_gated_attn", tower="video"),
        under("audio_connector", CONNECTOR, w="x", h="g", L="M", N="R", gated="audio_gated_attn", tower="audio")))

LTX2DURATIONHEAD = Architecture("LTX2DurationHead",
    dims=Dims(d="pooler_hidden_dim", n="num_queries", ff="mlp_hidden_dim", v="video_cross_attention_dim",
              y="audio_cross_attention_dim"),
    parts=rows(
        part("video_input_proj",   "embed.video",         dense("v -> d")),
        part("video_modality_emb", "embed.modality",      param("d")),
        part("audio_input_proj",   "embed.audio",         dense("y -> d")),
        part("audio_modality_emb", "embed.modality",      param("d")),
        under("attention_pooler",
            part("query_tokens", "pooler.query.token", param("n d")),
            part("to_q",         "attention.query",  dense("d -> d")),
            part("to_k",         "attention.key",    dense("d -> d")),
            part("to_v",         "attention.value",  dense("d -> d")),
            part("to_out",       "attention.output", dense("d -> d"))),
        part("mlp_hidden", "duration.1", dense("n*d -> ff")),
        part("mlp_out",    "duration.2", dense("ff -> 1"))))

FILTERS = rows(                                # the width f of the filter of a doubled rate
    part("upsample.filter",   "filter.up",   buffer("1 1 f")),
    part("downsample.filter", "filter.down", buffer("1 1 f")))
SNAKE = rows(                                  # w channels, both: whether there is a second table
    part("alpha", "scale.frequency", param("w")),
    part("beta",  "scale.magnitude", param("w"), when="both"))
ACTIVATION = rows(
    under("act", SNAKE, when="curved and filtered"),
    under("", SNAKE, when="curved and not filtered"),
    under("", FILTERS, when="filtered"))
# S stages, w channels of one; R, r resnets of all and of a stage, x their channels, D convolutions of one
VOCODER_DIMS = Dims(c="in_channels", o="out_channels", d="hidden_channels", S="len(upsample_kernel_sizes)",
                    w="d//2**({S}+1)", v="d//2**{S}", k="upsample_kernel_sizes[{S}]", r="len(resnet_kernel_sizes)",
                    R="S*r", x="d//2**({R}//r+1)", q="resnet_kernel_sizes[{R}%r]", D="len(resnet_dilations[{R}%r])",
                    m="d//2**S", curved="act_fn in 'snake snakebeta'", both="act_fn == 'snakebeta'",
                    filtered="antialias", f="antialias_kernel_size | 6*antialias_ratio//2*2", final="final_bias",
                    yes="true")
VOCODER = rows(
    part("conv_in", "embed.audio", conv("c -> d, 7")),
    part("upsamplers.{S}", "resnet.up", conv_t("v -> w, k")),
    under("resnets.{R}",
        part("convs1.{D}", "resnet.conv.1", conv("x -> x, q")),
        part("convs2.{D}", "resnet.conv.2", conv("x -> x, q")),
        under("acts1.{D}", ACTIVATION, w="x", tower="first"),
        under("acts2.{D}", ACTIVATION, w="x", tower="second")),
    under("act_out", under("act", SNAKE, w="m", both="yes"), FILTERS, tower="last", when="curved"),
    part("conv_out", "head.audio", conv("m -> o, 7", bias="final")))
LTX2VOCODER = Architecture("LTX2Vocoder", dims=VOCODER_DIMS, parts=VOCODER)
# the same of the generator that widens the band; n: frequencies of the spectrum
LTX2VOCODERWITHBWE = Architecture("LTX2VocoderWithBWE",
    dims=VOCODER_DIMS | Dims(
        bc="bwe_in_channels", bo="bwe_out_channels", bd="bwe_hidden_channels", T="len(bwe_upsample_kernel_sizes)",
        bw="bd//2**({T}+1)", bv="bd//2**{T}", bk="bwe_upsample_kernel_sizes[{T}]", br="len(bwe_resnet_kernel_sizes)",
        B="T*br", bx="bd//2**({B}//br+1)", bq="bwe_resnet_kernel_sizes[{B}%br]",
        E="len(bwe_resnet_dilations[{B}%br])", bm="bd//2**T", bcurved="bwe_act_fn in 'snake snakebeta'",
        bboth="bwe_act_fn == 'snakebeta'", bfiltered="bwe_antialias", bf="bwe_antialias_kernel_size",
        bfinal="bwe_final_bias", n="filter_length//2 + 1"),
    parts=rows(
        under("vocoder", VOCODER, tower="vocoder"),
        under("bwe_generator", VOCODER, c="bc", o="bo", d="bd", S="T", w="bw", v="bv", k="bk", r="br", R="B", x="bx",
              q="bq", D="E", m="bm", curved="bcurved", both="bboth", filtered="bfiltered", f="bf", final="bfinal",
              tower="band"),
        part("mel_stft.stft_fn.forward_basis", "filter.spectrum",         buffer("2*n 1 filter_length")),
        part("mel_stft.stft_fn.inverse_basis", "filter.spectrum.inverse", buffer("2*n 1 filter_length")),
        part("mel_stft.mel_basis",             "filter.mel",              buffer("num_mel_channels n"))))
