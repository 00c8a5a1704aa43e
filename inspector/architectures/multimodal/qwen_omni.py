"""Qwen 2.5 Omni and Qwen 3 Omni whole: the thinker, a talker and what makes sound of its codes.

modeling_qwen2_5_omni.py: the talker is Qwen 2 with a table as wide as the thinker; a DiT with a speaker encoder
(ECAPA-TDNN) and BigVGAN follow, whose residual blocks are numbered through, stage by stage and kernel by kernel.
modeling_qwen3_omni_moe.py: every layer of the talker is sparse with a shared expert; a small model predicts all codes
but the first of a step, with a table and a head for each; `decoder` of the last part is a list of a convolution,
stages, an activation and a convolution. Without `enable_audio_output` there is the thinker alone.
"""

from inspector.architectures.blocks import DECODER, EXPERTS, GQA, PRE_NORMS, QK_NORM, ROUTER, SWIGLU
from inspector.architectures.multimodal.qwen2_audio import QWEN2_5_OMNI_THINKER, QWEN3_OMNI_THINKER
from inspector.architectures.text.qwen import GATED_SHARED
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, conv_t, dense, linear, param, scale, table

QWEN2_5_OMNI_TALKER = Architecture("qwen2_5_omni_talker", dims=DECODER | Dims(e="embedding_size"),
    heads=(
        head("Model", ""),
        head("ForConditionalGeneration", "model.",
            part("thinker_to_talker_proj", "embed.project", dense("e -> d")),
            part("codec_head",             "head.code",     linear("d -> V")), default=True)),
    parts=rows(
        part("embed_tokens", "embed.code", table("V e")),
        part("norm",         "norm.final", scale("d")),
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="true"), under("mlp", SWIGLU))))
SPEAKER = rows(                                # c channels of a stage, k its kernel, v before it; y the last's
    part("blocks.0.conv", "conv.in", conv("mel_dim -> enc_channels[0], enc_kernel_sizes[0]")),
    under("blocks.{B}",
        part("tdnn1.conv",                    "conv.1",    conv("v -> c, 1")),
        part("res2net_block.blocks.{R}.conv", "conv.res",  conv("c//s -> c//s, k")),
        part("tdnn2.conv",                    "conv.2",    conv("c -> c, 1")),
        part("se_block.conv1",                "conv.down", conv("c -> enc_se_channels, 1")),
        part("se_block.conv2",                "conv.up",   conv("enc_se_channels -> c, 1"))),
    part("mfa.conv",      "conv.join",   conv("y -> y, z")),
    part("asp.tdnn.conv", "conv.weigh",  conv("3*y -> enc_attention_channels, 1")),
    part("asp.conv",      "conv.weight", conv("enc_attention_channels -> y, 1")),
    part("fc",            "conv.out",    conv("2*y -> enc_dim, 1")))
QWEN2_5_OMNI_DIT = Architecture("qwen2_5_omni_dit", heads=(head("Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="head_dim", ff="floor(d*ff_mult)",
              n="len(enc_channels)", B="1 : n - 1", c="enc_channels[{B}]", v="enc_channels[{B}-1]",
              k="enc_kernel_sizes[{B}]",
              s="enc_res2net_scale", R="s - 1", y="enc_channels[n-1]", z="enc_kernel_sizes[n-1]"),
    parts=rows(
        part("time_embed.time_mlp.0",  "embed.time.1", dense("256 -> d")),
        part("time_embed.time_mlp.2",  "embed.time.2", dense("d -> d")),
        part("text_embed.codec_embed", "embed.code",   table("num_embeds+1 emb_dim")),
        part("input_embed.proj",       "embed.join",   dense("mel_dim + enc_dim + enc_emb_dim + emb_dim -> d")),
        under("input_embed.spk_encoder", SPEAKER, tower="speaker"),
        part("norm_out.linear", "head.modulation", dense("d -> d + d", packs="scale shift")),
        part("proj_out",        "head.latent",     dense("d -> mel_dim")),
        under("transformer_blocks.{L}",
            part("attn_norm.linear", "norm.modulation",  dense("d -> 6*d")),
            part("attn.to_q",        "attention.query",  dense("d -> h*dh")),
            part("attn.to_k",        "attention.key",    dense("d -> h*dh")),
            part("attn.to_v",        "attention.value",  dense("d -> h*dh")),
            part("attn.to_out.0",    "attention.output", dense("h*dh -> d")),
            part("ff.ff.0",          "mlp.up",           dense("d -> ff")),
            part("ff.ff.3",          "mlp.down",         dense("ff -> d")))))
SNAKE = rows(                                  # w channels
    part("alpha", "conv.act.frequency", param("w")),
    part("beta",  "conv.act.size",      param("w")))
QWEN2_5_OMNI_BIGVGAN = Architecture("qwen2_5_omni_bigvgan", heads=(head("Model", ""),),
    dims=Dims(a="upsample_initial_channel", n="len(upsample_rates)", U="min(n, len(upsample_kernel_sizes))",
              K="min(len(resblock_kernel_sizes), len(resblock_dilation_sizes))", M="n*K", T="3", A="6",
              w="a//2**({M}//K + 1)", k="resblock_kernel_sizes[{M} % K]", y="a//2**n"),
    parts=rows(
        part("conv_pre",  "conv.in",  conv("mel_dim -> a, 7")),
        part("ups.{U}.0", "conv.up",  conv_t("a//2**{U} -> a//2**({U}+1), upsample_kernel_sizes[{U}]")),
        under("resblocks.{M}",
            part("convs1.{T}", "resnet.conv.1", conv("w -> w, k")),
            part("convs2.{T}", "resnet.conv.2", conv("w -> w, k")),
            under("activations.{A}.act", SNAKE)),
        under("activation_post.act", SNAKE, w="y", tower="end"),
        part("conv_post", "conv.out", conv("y -> 1, 7", bias=False))))
QWEN2_5_OMNI_TOKEN2WAV = Architecture("qwen2_5_omni_token2wav", dims=Dims(), heads=(head("Model", ""),),
    parts=rows(
        submodel("dit",     "code2wav_dit_model.", QWEN2_5_OMNI_DIT),
        submodel("bigvgan", "code2wav_bigvgan_model.", QWEN2_5_OMNI_BIGVGAN)))
STATE_DICT = {                                 # names in memory under transformers 5
    "thinker.model.": "thinker.model.language_model.", "thinker.audio_tower.": "thinker.model.audio_tower.",
    "thinker.visual.": "thinker.model.visual."}
QWEN2_5_OMNI = Architecture("qwen2_5_omni", dims=Dims(), dialects=({}, STATE_DICT),
    heads=(head("ForConditionalGeneration Model", ""),),
    parts=rows(
        submodel("thinker",   "thinker.", QWEN2_5_OMNI_THINKER, head="ForConditionalGeneration",
              transformers_version="transformers_version"),
        submodel("talker",    "talker.", QWEN2_5_OMNI_TALKER, head="ForConditionalGeneration",
              when="enable_audio_output | true"),
        submodel("token2wav", "token2wav.", QWEN2_5_OMNI_TOKEN2WAV, when="enable_audio_output | true")))

NORMED_GQA = rows(under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"))
QWEN3_OMNI_TALKER_TEXT = Architecture("qwen3_omni_moe_talker_text", heads=(head("Model", ""),),
    dims=DECODER | Dims(E="num_local_experts | num_experts", fe="moe_intermediate_size",
                        fs="shared_expert_intermediate_size | ff"),
    parts=rows(
        part("codec_embedding", "embed.code", table("V d")),
        part("norm",            "norm.final", scale("d")),
        under("layers.{L}", PRE_NORMS, NORMED_GQA, under("mlp", ROUTER, GATED_SHARED, rows(EXPERTS, ff="fe")))))
QWEN3_OMNI_PREDICTOR = Architecture("qwen3_omni_moe_talker_code_predictor",
                                    dims=DECODER | Dims(G="num_code_groups - 1"),
    heads=(
        head("ForConditionalGeneration", "model.", part("lm_head.{G}", "head.code", linear("d -> V")), default=True),
        head("Model", "")),
    parts=rows(
        part("codec_embedding.{G}", "embed.code", table("V d")),
        part("norm",                "norm.final", scale("d")),
        under("layers.{L}", PRE_NORMS, NORMED_GQA, under("mlp", SWIGLU))))
RESIZE = rows(
    part("linear_fc1", "bridge.up",   dense("thinker_hidden_size -> ff")),
    part("linear_fc2", "bridge.down", dense("ff -> d")))
QWEN3_OMNI_TALKER = Architecture("qwen3_omni_moe_talker", dims=Dims(d="text.d", ff="text.ff", V="text.V"),
    heads=(head("ForConditionalGeneration", ""),),
    parts=rows(
        submodel("text",           "model.", QWEN3_OMNI_TALKER_TEXT),
        submodel("code_predictor", "code_predictor.", QWEN3_OMNI_PREDICTOR, head="ForConditionalGeneration"),
        under("text_projection", RESIZE, tower="text"),
        under("hidden_projection", RESIZE, tower="hidden"),
        part("codec_head", "head.code", linear("d -> V"), tied="embed.code")))
RESIDUAL = rows(                               # o channels
    under("act1", SNAKE, w="o", tower="1"),
    part("conv1.conv", "resnet.conv.1", conv("o -> o, 7")),
    under("act2", SNAKE, w="o", tower="2"),
    part("conv2.conv", "resnet.conv.2", conv("o -> o, 1")))
QWEN3_OMNI_CODE2WAV = Architecture("qwen3_omni_moe_code2wav", heads=(head("Code2Wav", ""),),
    dims=DECODER | Dims(a="decoder_dim", U="len(upsampling_ratios)", n="len(upsample_rates)", B="1 : n + 1", J="2 : 5",
                        X="n + 1 : n + 2", Y="n + 2 : n + 3", v="a//2**({B}-1)", o="a//2**{B}", y="a//2**n"),
    parts=rows(
        part("code_embedding", "embed.code", table("codebook_size*num_quantizers d")),
        under("pre_transformer",
            part("norm", "norm.final", scale("d")),
            under("layers.{L}", PRE_NORMS,
                under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
                under("mlp", SWIGLU),
                part("self_attn_layer_scale.scale", "attention.scale", param("d")),
                part("mlp_layer_scale.scale",       "mlp.scale",       param("d")))),
        under("upsample.{U}",
            part("0.conv",        "conv.frames.up", conv_t("d -> d, upsampling_ratios[{U}]")),
            part("1.dwconv.conv", "conv.depth",     conv("d -> d, 7", groups="d")),
            part("1.norm",        "norm.conv",      affine("d")),
            part("1.pwconv1",     "conv.mlp.up",    dense("d -> 4*d")),
            part("1.pwconv2",     "conv.mlp.down",  dense("4*d -> d")),
            part("1.gamma",       "conv.scale",     param("d"))),
        under("decoder",
            part("0.conv", "conv.in", conv("d -> a, 7")),
            under("{B}.block.0", SNAKE, w="v"),
            part("{B}.block.1.conv", "conv.up", conv_t("v -> o, 2*upsample_rates[{B}-1]")),
            under("{B}.block.{J}", RESIDUAL),
            under("{X}", SNAKE, w="y", tower="end"),
            part("{Y}.conv", "conv.out", conv("y -> 1, 7")), tower="decoder")))
QWEN3_OMNI = Architecture("qwen3_omni_moe", dialects=({}, STATE_DICT), dims=Dims(),
    heads=(head("ForConditionalGeneration Model", ""),),
    parts=rows(
        submodel("thinker",  "thinker.", QWEN3_OMNI_THINKER, head="ForConditionalGeneration",
              transformers_version="transformers_version"),
        submodel("talker",   "talker.", QWEN3_OMNI_TALKER, head="ForConditionalGeneration",
              when="enable_audio_output | true"),
        submodel("code2wav", "code2wav.", QWEN3_OMNI_CODE2WAV, when="enable_audio_output | true")))
