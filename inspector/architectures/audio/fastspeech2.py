"""FastSpeech2Conformer: text to spectrogram, and with HiFi-GAN behind it to a waveform.

modeling_fastspeech2_conformer.py: two stacks of conformers whose MLPs are convolutions, between them predictors of
duration, pitch and energy, behind them convolutions that correct the spectrogram.
configuration_fastspeech2_conformer.py makes `encoder_config` from `encoder_layers` and its like where a file does not
state it.
"""

from inspector.architectures.audio.hifigan import FASTSPEECH2_HIFIGAN
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param, table

# h heads, ff inner width, k kernel of the convolution module, joined: whether the attention's output is joined
LAYER = rows(
    part("self_attn.linear_q",   "attention.query",         dense("d -> d")),
    part("self_attn.linear_k",   "attention.key",           dense("d -> d")),
    part("self_attn.linear_v",   "attention.value",         dense("d -> d")),
    part("self_attn.linear_out", "attention.output",        dense("d -> d")),
    part("self_attn.linear_pos", "attention.position",      linear("d -> d")),
    part("self_attn.pos_bias_u", "attention.content.bias",  param("h d//h")),
    part("self_attn.pos_bias_v", "attention.position.bias", param("h d//h")),
    part("self_attn_layer_norm", "norm.attention",          affine("d")),
    part("concat_linear",        "attention.project",       dense("d + d -> d"), when="joined"),
    rows(
        part("ff_macaron_layer_norm",      "norm.mlp.first", affine("d")),
        part("feed_forward_macaron.conv1", "mlp.first.up",   conv("d -> ff, m")),
        part("feed_forward_macaron.conv2", "mlp.first.down", conv("ff -> d, m")),
        when="use_macaron_style_in_conformer"),
    rows(
        part("conv_layer_norm",             "norm.conv",       affine("d")),
        part("conv_module.pointwise_conv1", "conv.in",         conv("d -> d + d, 1", bias="convolution_bias")),
        part("conv_module.depthwise_conv",  "conv.depth",      conv("d -> d, k", groups="d", bias="convolution_bias")),
        part("conv_module.norm",            "norm.conv.batch", batchnorm("d")),
        part("conv_module.pointwise_conv2", "conv.out",        conv("d -> d, 1", bias="convolution_bias")),
        part("final_layer_norm",            "norm.layer",      affine("d")), when="use_cnn_in_conformer"),
    part("ff_layer_norm",        "norm.mlp", affine("d")),
    part("feed_forward.conv1",   "mlp.up",   conv("d -> ff, m")),
    part("feed_forward.conv2",   "mlp.down", conv("ff -> d, m")))


def stack(name: str) -> Dims:
    """The symbols of one stack of conformers, whose keys begin with its name."""
    keys = {"L": "layers", "h": "num_attention_heads", "f": "linear_units", "k": "kernel_size", "j": "concat_after"}
    return Dims(**{f"{symbol}{name[0]}": f"{name}_config.{key} | {name}_{key}" for symbol, key in keys.items()})


LAYERS = rows(                                 # a predictor: w channels, n the kernel, P layers behind the first
    part("conv_layers.0.conv",         "conv.in",   conv("d -> w, n")),
    part("conv_layers.0.layer_norm",   "norm.conv", affine("w")),
    part("conv_layers.{P}.conv",       "conv.in",   conv("w -> w, n")),
    part("conv_layers.{P}.layer_norm", "norm.conv", affine("w")))
BODY = rows(
    part("language_id_embedding", "embed.language", table("num_languages d"), when="num_languages > 1"),
    part("speaker_id_embedding",  "embed.speaker",  table("num_speakers d"),  when="num_speakers > 1"),
    part("projection",            "embed.speaker.project", dense("d + speaker_embed_dim -> d"),
         when="speaker_embed_dim > 0"),
    part("encoder.embed", "embed.token", table("vocab_size d")),
    under("encoder.conformer_layers.{Le}", LAYER, h="he", ff="fe", k="ke", joined="je", tower="encoder"),
    under("duration_predictor", LAYERS, P="Pd", w="duration_predictor_channels", n="duration_predictor_kernel_size",
          tower="duration"),
    under("pitch_predictor", LAYERS, P="Pp", w="pitch_predictor_channels", n="pitch_predictor_kernel_size",
          tower="pitch"),
    under("energy_predictor", LAYERS, P="Pe", w="energy_predictor_channels", n="energy_predictor_kernel_size",
          tower="energy"),
    part("duration_predictor.linear", "head.duration", dense("duration_predictor_channels -> 1")),
    part("pitch_predictor.linear",    "head.pitch",    dense("pitch_predictor_channels -> 1")),
    part("energy_predictor.linear",   "head.energy",   dense("energy_predictor_channels -> 1")),
    part("pitch_embed.conv",  "embed.pitch",  conv("1 -> d, pitch_embed_kernel_size")),
    part("energy_embed.conv", "embed.energy", conv("1 -> d, energy_embed_kernel_size")),
    under("decoder.conformer_layers.{Ld}", LAYER, h="hd", ff="fd", k="kd", joined="jd", tower="decoder"),
    part("speech_decoder_postnet.feat_out", "head.audio", dense("d -> z*reduction_factor")),
    part("speech_decoder_postnet.layers.{N}.conv", "head.audio.conv",
         conv("a -> o, speech_decoder_postnet_kernel", bias=False)),
    part("speech_decoder_postnet.layers.{N}.batch_norm", "norm.head", batchnorm("o")))
# z: bins of the spectrogram; a, o: channels of the last convolutions, in and out
FASTSPEECH2 = Architecture("fastspeech2_conformer", ties="false",
    dims=stack("encoder") | stack("decoder") | Dims(
        d="hidden_size", m="positionwise_conv_kernel_size", z="num_mel_bins",
        Pd="1 : duration_predictor_layers", Pp="1 : pitch_predictor_layers", Pe="1 : energy_predictor_layers",
        N="speech_decoder_postnet_layers",
        a="z when {N} == 0 | speech_decoder_postnet_units", o="z when {N} == N - 1 | speech_decoder_postnet_units"),
    heads=(head("Model", "", BODY, default=True),))
FASTSPEECH2_WITH_HIFIGAN = Architecture("fastspeech2_conformer_with_hifigan", dims=Dims(), ties="false",
    heads=(
        head("WithHifiGan", "",
             submodel("model", "model.", FASTSPEECH2, config="model_config", head="Model"),
             submodel("vocoder", "vocoder.", FASTSPEECH2_HIFIGAN, config="vocoder_config"), default=True),))
