"""SeamlessM4T and its second version: speech and text in, text and speech out.

modeling_seamless_m4t.py, modeling_seamless_m4t_v2.py: a conformer (the second version keys positions by distance and
norms after the depthwise convolution instead of batch norm), an encoder and a decoder of text, a model from text to
units (whose decoder is convolutional in the second version), and a vocoder. Which of them a class has depends on its
task; all share one table. Sinusoids are not stored.
"""

from inspector.architectures.audio.hifigan import HIFI_GAN
from inspector.architectures.audio.wav2vec2 import CONFORMER_LAYER, RELATIVE
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param, table

# s speech, e text encoder, d text decoder, T and t text to units; L layers, f feed-forward, h heads; A, a: adapter
# layers and their kernel; z: input of the vocoder; u, U, K, R, D: first channels, upsamplings, kernels, blocks,
# dilations of it; r, x: channels and kernel of a block
DIMS = Dims(V="vocab_size", d="hidden_size", Ls="speech_encoder_layers", fs="speech_encoder_intermediate_size",
            hs="speech_encoder_attention_heads", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim",
            fd="decoder_ffn_dim", A="num_adapter_layers", a="adaptor_kernel_size", i="feature_projection_input_dim",
            Te="t2u_encoder_layers", Td="t2u_decoder_layers", te="t2u_encoder_ffn_dim", td="t2u_decoder_ffn_dim",
            Vt="t2u_vocab_size", e="unit_embed_dim", kv="variance_predictor_kernel_size",
            z="unit_embed_dim + lang_embed_dim + spkr_embed_dim",
            u="upsample_initial_channel", U="min(len(upsample_rates), len(upsample_kernel_sizes))",
            K="min(len(resblock_kernel_sizes), len(resblock_dilation_sizes))", R="U*K",
            r="u // 2**({R}//K + 1)", x="resblock_kernel_sizes[{R} % K]", D="len(resblock_dilation_sizes[{R} % K])")
SELF = rows(
    part("self_attn.q_proj",     "attention.query",  dense("d -> d")),
    part("self_attn.k_proj",     "attention.key",    dense("d -> d")),
    part("self_attn.v_proj",     "attention.value",  dense("d -> d")),
    part("self_attn.out_proj",   "attention.output", dense("d -> d")),
    part("self_attn_layer_norm", "norm.attention",   affine("d")))
CROSS = rows(
    part("cross_attention.q_proj",     "cross.query",  dense("d -> d")),
    part("cross_attention.k_proj",     "cross.key",    dense("d -> d")),
    part("cross_attention.v_proj",     "cross.value",  dense("d -> d")),
    part("cross_attention.out_proj",   "cross.output", dense("d -> d")),
    part("cross_attention_layer_norm", "norm.cross",   affine("d")))
FFN = rows(
    part("ffn.fc1",        "mlp.up",   dense("d -> ff")),
    part("ffn.fc2",        "mlp.down", dense("ff -> d")),
    part("ffn_layer_norm", "norm.mlp", affine("d")))
FINAL = part("layer_norm", "norm.final", affine("d"))
COPY = maybe("embed_tokens", "embed.token", table("V d"), tied="embed.shared")
TEXT_ENCODER = under("text_encoder", COPY, FINAL, under("layers.{Le}", SELF, FFN, ff="fe"), tower="text_encoder")
TEXT_DECODER = under("text_decoder", COPY, FINAL, under("layers.{Ld}", SELF, CROSS, FFN, ff="fd"), tower="text_decoder")
SPEECH = rows(
    part("feature_projection.layer_norm",       "norm.embed",    affine("i")),
    part("feature_projection.projection",       "embed.project", dense("i -> d")),
    part("encoder.layer_norm",                  "norm.final",    affine("d")),
    part("intermediate_ffn.intermediate_dense", "adapter.up",    dense("d -> fs")),
    part("intermediate_ffn.output_dense",       "adapter.down",  dense("fs -> d")),
    part("inner_layer_norm",                    "norm.inner",    affine("d")),
    under("adapter.layers.{A}",
        part("residual_layer_norm",    "norm.adapter.residual",  affine("d")),
        part("residual_conv",          "adapter.residual",       conv("d -> d + d, a")),
        part("self_attn_layer_norm",   "norm.adapter.attention", affine("d")),
        part("self_attn_conv",         "adapter.conv",           conv("d -> d + d, a")),
        part("self_attn.linear_q",     "adapter.query",          dense("d -> d")),
        part("self_attn.linear_k",     "adapter.key",            dense("d -> d")),
        part("self_attn.linear_v",     "adapter.value",          dense("d -> d")),
        part("self_attn.linear_out",   "adapter.output",         dense("d -> d")),
        part("ffn_layer_norm",         "norm.adapter.mlp",       affine("d")),
        part("ffn.intermediate_dense", "adapter.mlp.up",         dense("d -> fs")),
        part("ffn.output_dense",       "adapter.mlp.down",       dense("fs -> d")), when="add_adapter"))
SPEECH_ENCODER = under("speech_encoder", SPEECH, tower="speech_encoder")
SPEECH_1 = rows(SPEECH_ENCODER, under("speech_encoder.encoder.layers.{Ls}", CONFORMER_LAYER, RELATIVE,
    part("conv_module.batch_norm", "norm.conv.batch", batchnorm("d")), ff="fs", h="hs", tower="speech_encoder"))
SPEECH_2 = rows(SPEECH_ENCODER, under("speech_encoder.encoder.layers.{Ls}", CONFORMER_LAYER,
    part("conv_module.depthwise_layer_norm", "norm.conv.depth",    affine("d")),
    part("self_attn.distance_embedding",     "attention.distance",
         table("left_max_position_embeddings+right_max_position_embeddings+1 d//hs"),
         when="position_embeddings_type == 'relative_key'"), ff="fs", h="hs", tower="speech_encoder"))
UNIT_TABLE = part("decoder.embed_tokens", "embed.unit", table("Vt d"))
UNIT_HEAD = part("t2u_model.lm_head", "head.unit", linear("d -> Vt"), tied="embed.unit")
UNIT_ENCODER = under("encoder", FINAL, under("layers.{Te}", SELF, FFN, ff="te"), tower="unit_encoder")
PREDICTOR = rows(                              # vi in, vh inside, vk kernel
    part("conv1", "duration.1",      conv("vi -> vh, vk")),
    part("ln1",   "norm.duration", affine("vh")),
    part("conv2", "duration.2",      conv("vh -> vh, vk")),
    part("ln2",   "norm.duration", affine("vh")),
    part("proj",  "duration",        dense("vh -> 1")))
UNIT_BODY_1 = rows(UNIT_TABLE, UNIT_ENCODER,
    under("decoder", FINAL, under("layers.{Td}", SELF, CROSS, FFN, ff="td"), tower="unit_decoder"))
UNITS_1 = rows(UNIT_HEAD, under("t2u_model.model", UNIT_BODY_1))
UNITS_2 = rows(UNIT_HEAD, under("t2u_model.model", UNIT_TABLE, UNIT_ENCODER,
    under("decoder", FINAL,
        part("embed_char",         "embed.character",      table("char_vocab_size d")),
        part("pos_emb_alpha",      "embed.position.scale", param("1")),
        part("pos_emb_alpha_char", "embed.position.scale.character", param("1")),
        under("duration_predictor", PREDICTOR, vi="t2u_variance_predictor_embed_dim",
              vh="t2u_variance_predictor_hidden_dim", vk="t2u_variance_predictor_kernel_size"),
        under("layers.{Td}", SELF,
            part("conv1",           "mlp.up",   conv("d -> d, 7")),
            part("conv2",           "mlp.down", conv("d -> d, 7")),
            part("conv_layer_norm", "norm.mlp", affine("d"))), tower="unit_decoder")))
VOICE = rows(
    part("unit_embedding",     "embed.unit.voice", table("unit_hifi_gan_vocab_size e")),
    part("speaker_embedding",  "embed.speaker",    table("vocoder_num_spkrs spkr_embed_dim")),
    part("language_embedding", "embed.language",   table("vocoder_num_langs lang_embed_dim")),
    under("dur_predictor", PREDICTOR, vi="e", vh="e", vk="kv"),
    under("hifi_gan", HIFI_GAN))
VOCODER = under("vocoder", VOICE, tower="vocoder")
SHARED = part("shared",  "embed.shared", table("V d"))
LM_HEAD = part("lm_head", "head.token",  linear("d -> V"), tied="embed.shared")
TEXT = rows(SHARED, TEXT_DECODER, LM_HEAD)
SEAMLESS_M4T = Architecture("seamless_m4t", ties="tie_word_embeddings | true", dims=DIMS,
    heads=(
        head("Model",             "", TEXT, TEXT_ENCODER, SPEECH_1, UNITS_1, VOCODER, default=True),
        head("ForTextToText",     "", TEXT, TEXT_ENCODER),
        head("ForSpeechToText",   "", TEXT, SPEECH_1),
        head("ForTextToSpeech",   "", TEXT, TEXT_ENCODER, UNITS_1, VOCODER),
        head("ForSpeechToSpeech", "", TEXT, SPEECH_1, UNITS_1, VOCODER),
        head("TextToUnitModel",   "",          # alone it reads the keys without `t2u_`
            rows(UNIT_BODY_1, Vt="V", Te="Le", Td="Ld", te="fe", td="fd")),
        head("TextToUnitForConditionalGeneration", "", under("model", UNIT_BODY_1),
            part("lm_head", "head.unit", linear("d -> Vt"), tied="embed.unit")),
        head("CodeHifiGan",       "", VOICE)))
SEAMLESS_M4T_V2 = Architecture("seamless_m4t_v2", ties="tie_word_embeddings | true", dims=DIMS,
    heads=(
        head("Model",             "", TEXT, TEXT_ENCODER, SPEECH_2, UNITS_2, VOCODER, default=True),
        head("ForTextToText",     "", TEXT, TEXT_ENCODER),
        head("ForSpeechToText",   "", TEXT, SPEECH_2),
        head("ForTextToSpeech",   "", TEXT, TEXT_ENCODER, UNITS_2, VOCODER),
        head("ForSpeechToSpeech", "", TEXT, SPEECH_2, UNITS_2, VOCODER),
        head("CodeHifiGan",       "", VOICE)))
