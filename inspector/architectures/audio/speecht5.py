"""SpeechT5, Speech2Text, Moonshine, AST: speech to text and back.

modeling_speecht5.py: one encoder and one decoder, before and after them what the task reads and says: convolutions or
tables before the encoder, a small MLP or a table before the decoder, mel frames or words after it.
modeling_speech_to_text.py: two convolutions that halve (gated, so each stores twice what the next reads); sinusoids are
not stored.
modeling_moonshine.py: no bias but in the MLPs, `attention_bias` on q, k and v; the decoder's `fc1` is gated.
modeling_audio_spectrogram_transformer.py: two tokens before the patches of a spectrogram.
"""

from inspector.architectures.audio.wav2vec2 import OLD_WEIGHT_NORM, SPEECH
from inspector.architectures.vision.vision_blocks import HEAD_DIM, VIT_STATE_DICT
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, batchnorm, buffer, conv, dense, linear, param, scale, table, weight_norm

ATTENTION = rows(
    part("q_proj",   "attention.query",  dense("d -> d")),
    part("k_proj",   "attention.key",    dense("d -> d")),
    part("v_proj",   "attention.value",  dense("d -> d")),
    part("out_proj", "attention.output", dense("d -> d")))
CROSS = rows(
    part("encoder_attn.q_proj",     "cross.query",  dense("d -> d")),
    part("encoder_attn.k_proj",     "cross.key",    dense("d -> d")),
    part("encoder_attn.v_proj",     "cross.value",  dense("d -> d")),
    part("encoder_attn.out_proj",   "cross.output", dense("d -> d")),
    part("encoder_attn_layer_norm", "norm.cross",   affine("d")))
MLP = rows(
    part("feed_forward.intermediate_dense", "mlp.up",   dense("d -> ff")),
    part("feed_forward.output_dense",       "mlp.down", dense("ff -> d")),
    part("final_layer_norm",                "norm.mlp", affine("d")))
T5_ENCODER = under("encoder.wrapped_encoder",
    part("embed_positions.pe_k", "attention.position", table("2*encoder_max_relative_position d/h")),
    part("layer_norm",           "norm.final",         affine("d")),
    under("layers.{Le}", under("attention", ATTENTION), part("layer_norm", "norm.attention", affine("d")), MLP,
          ff="fe"),
    tower="encoder")
T5_DECODER = under("decoder.wrapped_decoder.layers.{Ld}",
    under("self_attn", ATTENTION), part("self_attn_layer_norm", "norm.attention", affine("d")), CROSS, MLP, ff="fd",
    tower="decoder")
SPEECH_IN = under("encoder.prenet",
    usually(part("masked_spec_embed",                "embed.mask",     param("d"), when="masked")),
    part("feature_encoder.conv_layers.{N}.conv",       "embed.audio",  conv("v -> w, k", bias="b")),
    part("feature_encoder.conv_layers.{Z}.layer_norm", "norm.audio",   affine("w")),
    part("feature_projection.layer_norm",            "norm.embed",     affine("f")),
    part("feature_projection.projection",            "embed.project",  dense("f -> d")),
    part("pos_conv_embed.conv",                      "embed.position",
         weight_norm(conv("d -> d, K", groups="G"), axis=2)),
    tower="encoder")
TEXT_IN = under("encoder.prenet",
    part("embed_tokens",           "embed.token",          table("V d")),
    part("encode_positions.alpha", "embed.position.scale", param("")),
    maybe("encode_positions.pe",   "embed.position",       buffer("1 max_text_positions d")), tower="encoder")
TEXT_OUT_IN = part("decoder.prenet.embed_tokens", "embed.token", table("V d"))
SPEECH_OUT_IN = under("decoder.prenet",
    part("layers.{Pr}",            "embed.audio",          dense("pi -> u")),
    part("final_layer",            "embed.project",        dense("u -> d")),
    part("encode_positions.alpha", "embed.position.scale", param("")),
    maybe("encode_positions.pe",   "embed.position",       buffer("1 max_speech_positions d")),
    part("speaker_embeds_layer",   "embed.speaker",        dense("speaker_embedding_dim + d -> d")), tower="decoder")
TEXT_POST = part("text_decoder_postnet.lm_head", "head.token", linear("d -> V"), tied="embed.token")
SPEECH_POST = under("speech_decoder_postnet",
    part("feat_out",                    "head.audio", dense("d -> n*reduction_factor")),
    part("prob_out",                    "head.stop",  dense("d -> reduction_factor")),
    part("layers.{Po}.conv",            "head.conv",  conv("qi -> qo, speech_decoder_postnet_kernel", bias=False)),
    part("layers.{Po}.batch_norm",      "norm.head",  batchnorm("qo")))
BODY = rows(T5_ENCODER, T5_DECODER)
SPEECHT5 = Architecture("speecht5", ties="tie_word_embeddings | true", dialects=({}, OLD_WEIGHT_NORM),
    dims=SPEECH | Dims(N="num_feat_extract_layers | len(conv_dim)", v="1 when {N} == 0 | conv_dim[{N}-1]",
                       f="conv_dim[len(conv_dim)-1]",
                       Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim", fd="decoder_ffn_dim",
                       h="encoder_attention_heads", n="num_mel_bins", u="speech_decoder_prenet_units",
                       Pr="speech_decoder_prenet_layers", pi="n when {Pr} == 0 | u", p="speech_decoder_postnet_units",
                       Po="speech_decoder_postnet_layers", qi="n when {Po} == 0 | p", qo="n when {Po} == Po - 1 | p"),
    heads=(
        head("Model",             "", BODY),
        head("ForSpeechToText",   "", under("speecht5", BODY, SPEECH_IN, TEXT_OUT_IN), TEXT_POST, default=True),
        head("ForTextToSpeech",   "", under("speecht5", BODY, TEXT_IN, SPEECH_OUT_IN), SPEECH_POST),
        head("ForSpeechToSpeech", "", under("speecht5", BODY, SPEECH_IN, SPEECH_OUT_IN), SPEECH_POST)))

S2T_LAYER = rows(
    under("self_attn", ATTENTION),
    part("self_attn_layer_norm", "norm.attention", affine("d")),
    part("fc1",                  "mlp.up",         dense("d -> ff")),
    part("fc2",                  "mlp.down",       dense("ff -> d")),
    part("final_layer_norm",     "norm.mlp",       affine("d")))
S2T_POSITIONS = maybe("embed_positions.weights", "embed.position", buffer("T+2 d"))
S2T_BOTH = rows(
    under("encoder", part("conv.conv_layers.{N}", "embed.audio", conv("i -> o, conv_kernel_sizes[{N}]")),
        rows(S2T_POSITIONS, T="max_source_positions"), part("layer_norm", "norm.final", affine("d")),
        under("layers.{Le}", S2T_LAYER, ff="fe"), tower="encoder"),
    under("decoder", part("embed_tokens", "embed.token", table("V d")),
        rows(S2T_POSITIONS, T="max_target_positions"), part("layer_norm", "norm.final", affine("d")),
        under("layers.{Ld}", S2T_LAYER, CROSS, ff="fd"), tower="decoder"))
SPEECH_TO_TEXT = Architecture("speech_to_text", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="d_model", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim",
              fd="decoder_ffn_dim", N="num_conv_layers", c="conv_channels",
              i="input_feat_per_channel*input_channels when {N} == 0 | c//2", o="2*d when {N} == N - 1 | c"),
    heads=(
        head("Model",                    "", S2T_BOTH),
        head("ForConditionalGeneration", "model.", under("model", S2T_BOTH),
            part("lm_head", "head.token", linear("d -> V"), tied="embed.token"), default=True)))

MOON_ATTENTION = rows(
    part("q_proj", "attention.query",  linear("d -> h*dh",  bias="attention_bias")),
    part("k_proj", "attention.key",    linear("d -> kv*dh", bias="attention_bias")),
    part("v_proj", "attention.value",  linear("d -> kv*dh", bias="attention_bias")),
    part("o_proj", "attention.output", linear("h*dh -> d")))
MOON_ENCODER = under("encoder",
    part("conv1",      "embed.audio.1", conv("1 -> d, 127", bias=False)),
    part("conv2",      "embed.audio.2", conv("d -> 2*d, 7")),
    part("conv3",      "embed.audio", conv("2*d -> d, 3")),
    part("groupnorm",  "norm.embed",    affine("d")),
    part("layer_norm", "norm.final",    scale("d")),
    under("layers.{Le}",
        under("self_attn", MOON_ATTENTION, h="he", kv="ke"),
        part("mlp.fc1",                  "mlp.up",         dense("d -> ff")),
        part("mlp.fc2",                  "mlp.down",       dense("ff -> d")),
        part("input_layernorm",          "norm.attention", scale("d")),
        part("post_attention_layernorm", "norm.mlp",       scale("d"))), tower="encoder", dh="de")
MOON_DECODER = under("decoder",
    part("embed_tokens", "embed.token", table("V d")),
    part("norm",         "norm.final",  scale("d")),
    under("layers.{Ld}",
        under("self_attn", MOON_ATTENTION, h="hd", kv="kd"),
        part("encoder_attn.q_proj",      "cross.query",    linear("d -> hd*dd", bias="attention_bias")),
        part("encoder_attn.k_proj",      "cross.key",      linear("d -> kd*dd", bias="attention_bias")),
        part("encoder_attn.v_proj",      "cross.value",    linear("d -> kd*dd", bias="attention_bias")),
        part("encoder_attn.o_proj",      "cross.output",   linear("hd*dd -> d")),
        part("mlp.fc1",                  "mlp.gate_up",    dense("d -> ff + ff", packs="up gate")),
        part("mlp.fc2",                  "mlp.down",       dense("ff -> d")),
        part("input_layernorm",          "norm.attention", scale("d")),
        part("post_attention_layernorm", "norm.cross",     scale("d")),
        part("final_layernorm",          "norm.mlp",       scale("d"))), tower="decoder", dh="dd")
MOONSHINE = Architecture("moonshine", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="hidden_size", Le="encoder_num_hidden_layers", Ld="decoder_num_hidden_layers",
              ff="intermediate_size", he="encoder_num_attention_heads", hd="decoder_num_attention_heads",
              ke="encoder_num_key_value_heads | he", kd="decoder_num_key_value_heads | hd", de="head_dim | d//he",
              dd="head_dim | d//hd"),
    heads=(
        head("Model",                    "", MOON_ENCODER, MOON_DECODER),
        head("ForConditionalGeneration", "model.", under("model", MOON_ENCODER, MOON_DECODER),
            part("proj_out", "head.token", linear("d -> V"), tied="embed.token"), default=True)))

AST = Architecture("audio-spectrogram-transformer", dialects=({}, VIT_STATE_DICT),
    dims=HEAD_DIM | Dims(
        d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size", p="patch_size",
        g="((num_mel_bins - p)//frequency_stride + 1)*((max_length - p)//time_stride + 1)",
        C="labels"),
    parts=rows(
        under("embeddings",
            part("cls_token",                   "embed.class",        param("1 1 d")),
            part("distillation_token",          "embed.distillation", param("1 1 d")),
            part("position_embeddings",         "embed.position",     param("1 g+2 d")),
            part("patch_embeddings.projection", "embed.patch",        conv("1 -> d, p p"))),
        under("encoder.layer.{L}",
            part("attention.attention.query",   "attention.query",    linear("d -> a", bias="qkv_bias")),
            part("attention.attention.key",     "attention.key",      linear("d -> a", bias="qkv_bias")),
            part("attention.attention.value",   "attention.value",    linear("d -> a", bias="qkv_bias")),
            part("attention.output.dense",      "attention.output",   dense("a -> d")),
            part("layernorm_before",            "norm.attention",     affine("d")),
            part("intermediate.dense",          "mlp.up",             dense("d -> ff")),
            part("output.dense",                "mlp.down",           dense("ff -> d")),
            part("layernorm_after",             "norm.mlp",           affine("d"))),
        part("layernorm", "norm.final", affine("d"))),
    heads=(
        head("Model", ""),
        head("ForAudioClassification", "audio_spectrogram_transformer.",
            part("classifier.layernorm", "norm.head",  affine("d")),
            part("classifier.dense",     "head.class", dense("d -> C"), when="C > 0"))))
