"""VITS (MMS-TTS). modeling_vits.py: an encoder of text with relative tables per head, flows of weight-normed
convolutions, a duration predictor (stochastic or plain) and a HiFi-GAN with upsamplings times kernels blocks.
The last `res_skip_layers` of a wavenet is half as wide. The posterior encoder is for training but stored.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, conv_t, linear, param, table, weight_norm

WAVENET = under("wavenet",                     # n its layers
    part("in_layers.{n}",       "wavenet.in",        weight_norm(conv("d -> 2*d, wavenet_kernel_size"))),
    part("res_skip_layers.{n}", "wavenet.skip",      weight_norm(conv("d -> z, 1"))),
    part("cond_layer",          "wavenet.condition", weight_norm(conv("g -> 2*d*n, 1")), when="g != 0"))
SEPARABLE = rows(
    part("convs_dilated.{Y}",   "conv.depth",        conv("d -> d, k", groups="d")),
    part("convs_pointwise.{Y}", "conv.point",        conv("d -> d, 1")),
    part("norms_1.{Y}",         "norm.depth",        affine("d")),
    part("norms_2.{Y}",         "norm.point",        affine("d")))
CONV_FLOW = rows(
    part("conv_pre",            "flow.in",           conv("c//2 -> d, 1")),
    under("conv_dds", SEPARABLE),
    part("conv_proj",           "flow.out",          conv("d -> c//2*(3*duration_predictor_flow_bins - 1), 1")))
AFFINE_FLOW = rows(
    part("translate",           "flow.shift",        param("c 1")),
    part("log_scale",           "flow.scale",        param("c 1")))
# g: width of a speaker; f: of the flow; c: channels of the duration flows, Y their layers, E, F all and later flows;
# A: prior flows; na, np, za, zp: layers of the wavenets and channels of their skip convolutions; q: duration
# predictor; u, U, K, R, D, r, x: the vocoder: first channels, upsamplings, kernels, blocks, dilations, channels and
# kernel of a block
VITS = Architecture("vits",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="ffn_dim",
              w="window_size",
              g="speaker_embedding_size", f="flow_size", k="duration_predictor_kernel_size",
              c="depth_separable_channels",
              Y="depth_separable_num_layers", A="prior_encoder_num_flows", na="prior_encoder_num_wavenet_layers",
              np="posterior_encoder_num_wavenet_layers", za="d when {na} == na - 1 | 2*d",
              zp="d when {np} == np - 1 | 2*d",
              E="duration_predictor_num_flows + 1", F="E[1:]", q="duration_predictor_filter_channels",
              u="upsample_initial_channel", U="len(upsample_rates)",
              K="min(len(resblock_kernel_sizes), len(resblock_dilation_sizes))", R="U*K",
              r="u // 2**({R}//K + 1)", x="resblock_kernel_sizes[{R} % K]", D="len(resblock_dilation_sizes[{R} % K])"),
    dialects=({}, {"*.parametrizations.weight.original0": ".weight_g",
                   "*.parametrizations.weight.original1": ".weight_v"}),
    heads=(head("Model", ""),),
    parts=rows(
        part("embed_speaker", "embed.speaker", table("num_speakers g"), when="num_speakers > 1"),
        part("text_encoder.embed_tokens", "embed.token",        table("V d")),
        part("text_encoder.project",      "embed.project",      conv("d -> 2*f, 1")),
        under("text_encoder.encoder.layers.{L}",
            part("attention.q_proj",      "attention.query",    linear("d -> d", bias="use_bias")),
            part("attention.k_proj",      "attention.key",      linear("d -> d", bias="use_bias")),
            part("attention.v_proj",      "attention.value",    linear("d -> d", bias="use_bias")),
            part("attention.out_proj",    "attention.output",   linear("d -> d", bias="use_bias")),
            part("attention.emb_rel_k",   "attention.position.key",   param("1 2*w+1 d/h"), when="w"),
            part("attention.emb_rel_v",   "attention.position.value", param("1 2*w+1 d/h"), when="w"),
            part("layer_norm",            "norm.attention",     affine("d")),
            part("feed_forward.conv_1",   "mlp.up",             conv("d -> ff, ffn_kernel_size")),
            part("feed_forward.conv_2",   "mlp.down",           conv("ff -> d, ffn_kernel_size")),
            part("final_layer_norm",      "norm.mlp",           affine("d"))),
        under("flow.flows.{A}",
            part("conv_pre",              "flow.in",            conv("f//2 -> d, 1")),
            part("conv_post",             "flow.out",           conv("d -> f//2, 1")),
            WAVENET, n="na", z="za", tower="flow"),
        under("posterior_encoder",
            part("conv_pre",              "conv.in",            conv("spectrogram_bins -> d, 1")),
            part("conv_proj",             "conv.out",           conv("d -> 2*f, 1")),
            WAVENET, n="np", z="zp", tower="posterior"),
        under("duration_predictor",
            part("conv_pre",              "conv.in",            conv("d -> d, 1")),
            part("conv_proj",             "conv.out",           conv("d -> d, 1")),
            under("conv_dds", SEPARABLE),
            part("cond",                  "conv.condition",     conv("g -> d, 1"), when="g != 0"),
            under("flows.0", AFFINE_FLOW),
            tower="duration", when="use_stochastic_duration_prediction"),
        under("duration_predictor.flows.{F}", CONV_FLOW, tower="duration.flow",
              when="use_stochastic_duration_prediction"),
        under("duration_predictor",
            part("post_conv_pre",         "conv.in",            conv("1 -> d, 1")),
            part("post_conv_proj",        "conv.out",           conv("d -> d, 1")),
            under("post_conv_dds", SEPARABLE),
            under("post_flows.0", AFFINE_FLOW),
            tower="duration.post", when="use_stochastic_duration_prediction"),
        under("duration_predictor.post_flows.{F}", CONV_FLOW, tower="duration.post.flow",
            when="use_stochastic_duration_prediction"),
        under("duration_predictor",
            part("conv_1",                "conv.1",             conv("d -> q, k")),
            part("norm_1",                "norm.1",             affine("q")),
            part("conv_2",                "conv.2",             conv("q -> q, k")),
            part("norm_2",                "norm.2",             affine("q")),
            part("proj",                  "conv.out",           conv("q -> 1, 1")),
            part("cond",                  "conv.condition",     conv("g -> d, 1"), when="g != 0"),
            tower="duration", when="not use_stochastic_duration_prediction"),
        under("decoder",
            part("conv_pre",              "conv.in",            conv("f -> u, 7")),
            part("upsampler.{U}",         "conv.up",
                 conv_t("u // 2**{U} -> u // 2**({U}+1), upsample_kernel_sizes[{U}]")),
            part("resblocks.{R}.convs1.{D}", "resnet.conv.1",   conv("r -> r, x")),
            part("resblocks.{R}.convs2.{D}", "resnet.conv.2",   conv("r -> r, x")),
            part("conv_post",             "conv.out",           conv("u // 2**U -> 1, 7", bias=False)),
            part("cond",                  "conv.condition",     conv("g -> u, 1"), when="g != 0"), tower="decoder")))
