"""Parler-TTS: MusicGen's decoder with grouped heads, a T5 encoder, and DAC as its authors publish it.

modeling_parler_tts.py, dac_wrapper and descript-audio-codec: prompts have an embedding of their own, next to a second
table of positions where they are attended to; sinusoids are stored, and absent with rotary positions. DAC's widths
double on the way down and halve on the way up, its strides are numbers in the code. A config of transformers' own DAC
has other keys, and then transformers' modules are built.
"""

from inspector.architectures.audio.dac import DAC
from inspector.architectures.audio.encodec import MUSIC_DIMS
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, conv_t, dense, linear, param, table, weight_norm

UNIT = rows(
    part("block.0.alpha", "resnet.slope.1", param("1 w 1")),
    part("block.1",       "resnet.conv.1",  weight_norm(conv("w -> w, 7"))),
    part("block.2.alpha", "resnet.slope.2", param("1 w 1")),
    part("block.3",       "resnet.conv.2",  weight_norm(conv("w -> w, 1"))))
# N, M: the numbered stages of encoder and decoder, of widths we and wd and strides re and rd
DAC_ON_THE_HUB = Architecture("dac_on_the_hub", heads=(head("Model", ""),),
    ignores="model_bitrate frame_rate sampling_rate",
    dialects=({}, {"*.parametrizations.weight.original0": ".weight_g",
                   "*.parametrizations.weight.original1": ".weight_v"}),
    dims=Dims(q="num_codebooks | 9", K="codebook_size | 1024", d="latent_dim | 1024", e="8",
              N="1 : 5", we="64 * 2**({N} - 1)", re="2*{N} when {N} < 3 | 8",
              M="1 : 5", wd="1536 // 2**{M}", rd="8 when {M} < 3 | 4 when {M} == 3 | 2"),
    parts=rows(
        rows(
            part("model.encoder.block.0",                 "conv.in",    weight_norm(conv("1 -> 64, 7"))),
            part("model.encoder.block.{N}.block.3.alpha", "slope.down", param("1 we 1")),
            part("model.encoder.block.{N}.block.4",       "conv.down",  weight_norm(conv("we -> 2*we, 2*re"))),
            part("model.encoder.block.5.alpha",           "slope.out",  param("1 1024 1")),
            part("model.encoder.block.6",                 "conv.out",   weight_norm(conv("1024 -> d, 3"))),
            tower="encoder"),
        under("model.encoder.block.{N}.block.0", UNIT, w="we", tower="encoder.unit.1"),
        under("model.encoder.block.{N}.block.1", UNIT, w="we", tower="encoder.unit.2"),
        under("model.encoder.block.{N}.block.2", UNIT, w="we", tower="encoder.unit.3"),
        rows(
            part("model.decoder.model.0",                 "conv.in",    weight_norm(conv("d -> 1536, 7"))),
            part("model.decoder.model.{M}.block.0.alpha", "slope.up",   param("1 2*wd 1")),
            part("model.decoder.model.{M}.block.1",       "conv.up",    weight_norm(conv_t("2*wd -> wd, 2*rd"))),
            part("model.decoder.model.5.alpha",           "slope.out",  param("1 96 1")),
            part("model.decoder.model.6",                 "conv.out",   weight_norm(conv("96 -> 1, 7"))),
            tower="decoder"),
        under("model.decoder.model.{M}.block.2", UNIT, w="wd", tower="decoder.unit.1"),
        under("model.decoder.model.{M}.block.3", UNIT, w="wd", tower="decoder.unit.2"),
        under("model.decoder.model.{M}.block.4", UNIT, w="wd", tower="decoder.unit.3"),
        under("model.quantizer.quantizers.{q}",
            part("codebook", "quantizer.codes", table("K e")),
            part("in_proj",  "quantizer.in",    weight_norm(conv("d -> e, 1"))),
            part("out_proj", "quantizer.out",   weight_norm(conv("e -> d, 1"))))))
PARLER_TTS_DECODER = Architecture("parler_tts_decoder", heads=(head("ForCausalLM", ""),),
    ignores="layerdrop scale_embedding rope_theta cross_attention_implementation_strategy codebook_weights",
    dims=MUSIC_DIMS | Dims(h="num_attention_heads", kv="num_key_value_heads | h", dh="d//h",
                           kc="num_cross_attention_key_value_heads | kv", T="max_position_embeddings | 2048"),
    parts=rows(
        part("lm_heads.{Q}", "head.token", linear("d -> V"), when="not use_fused_lm_heads"),
        part("lm_heads",     "head.token", linear("d -> V*Q"), when="use_fused_lm_heads"),
        under("model.decoder",
            part("embed_tokens.{Q}",        "embed.token",    table("V+1 d")),
            part("embed_positions.weights", "embed.position", param("T d"), when="not rope_embeddings"),
            part("layer_norm",              "norm.final",     affine("d")),
            under("layers.{L}",
                part("self_attn.q_proj",       "attention.query",  linear("d -> d")),
                part("self_attn.k_proj",       "attention.key",    linear("d -> kv*dh")),
                part("self_attn.v_proj",       "attention.value",  linear("d -> kv*dh")),
                part("self_attn.out_proj",     "attention.output", linear("d -> d")),
                part("self_attn_layer_norm",   "norm.attention",   affine("d")),
                part("encoder_attn.q_proj",    "cross.query",      linear("d -> d")),
                part("encoder_attn.k_proj",    "cross.key",        linear("d -> kc*dh")),
                part("encoder_attn.v_proj",    "cross.value",      linear("d -> kc*dh")),
                part("encoder_attn.out_proj",  "cross.output",     linear("d -> d")),
                part("encoder_attn_layer_norm", "norm.cross",      affine("d")),
                part("fc1",                    "mlp.up",           linear("d -> ff")),
                part("fc2",                    "mlp.down",         linear("ff -> d")),
                part("final_layer_norm",       "norm.mlp",         affine("d"))))))
PARLER_TTS = Architecture("parler_tts", heads=(head("ForConditionalGeneration", "", default=True),),
    dims=Dims(V="vocab_size | 1024", d="decoder.d", T="decoder.T"), ignores="is_encoder_decoder",
    parts=rows(
        submodel("text", "text_encoder.", config="text_encoder"),
        submodel("audio", "audio_encoder.", DAC_ON_THE_HUB, config="audio_encoder",
                 when="audio_encoder.downsampling_ratios == null"),
        submodel("codec", "audio_encoder.", DAC, config="audio_encoder",
                 when="audio_encoder.downsampling_ratios != null"),
        submodel("decoder", "decoder.", PARLER_TTS_DECODER, config="decoder"),
        part("enc_to_dec_proj", "project", dense("text.d -> d"),
             when="text.d != d and decoder.cross_attention_hidden_size == null"),
        part("embed_prompts",           "embed.prompt",   table("V d")),
        part("embed_positions.weights", "embed.position", param("T d"), when="prompt_cross_attention")))
