"""TinyTimeMixer (Granite TTM), a class of the package granite-tsfm.

tsfm_public/models/tinytimemixer/modeling_tinytimemixer.py there: PatchTSMixer's mixers. With `adaptive_patching_levels`
there is one block of mixers for each level, whose patches are twice as many and half as wide as those of the level
behind it; without, one mixer for each layer. With `resolution_prefix_tuning` a vector of the resolution is one patch
more. What `enable_forecast_channel_mixing` adds is counted and not checked.
"""

from inspector.architectures.timeseries.patchtsmixer import ATTENTION, MIXER
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, under
from inspector.notation.kinds import dense, param, table

LAYER = rows(                                  # z patches of width d in c channels; mixes: the mode
    under("patch_mixer",           MIXER, ATTENTION, tower="patches", when="z > 1"),
    under("feature_mixer",         MIXER, z="d", tower="features"),
    under("channel_feature_mixer", MIXER, z="c", tower="channels", when="mixes == 'mix_channel'"))
DECODER = under("decoder",
    part("adapter",               "bridge.in",   dense("d -> w"), when="d != w"),
    part("decoder_raw_embedding", "embed.patch", dense("p -> w"), when="decoder_raw_residual"),
    under("decoder_block",
        under("mixers.{D}", LAYER, z="n", d="w", c="k", mixes="decoder_mode", when="not (B > 0)"),
        under("mixers.{B}.mixer_layers.{D}", LAYER, z="n*2**(B-1-{B})", d="w//2**(B-1-{B})", c="k",
              mixes="decoder_mode", when="B > 0")), when="use_decoder", tower="decoder")
TINYTIMEMIXER = Architecture("tinytimemixer",
    ignores="num_patches patch_last init_processing post_init d_model_scale decoder_d_model_scale stride_ratio"
            " mask_value quantile huber_delta loss scaling self_attn_heads positional_encoding_type"
            " prediction_filter_length prediction_channel_indices exogenous_channel_indices",
    dims=Dims(d="d_model", L="num_layers", c="num_input_channels", p="patch_length", x="expansion_factor",
              t="masked_context_length | context_length", prefix="1 when resolution_prefix_tuning | 0",
              n="(max(t, p) - p)//patch_stride + 1 + prefix", layered="norm_mlp != 'BatchNorm'",
              gated="gated_attn | true", A="adaptive_patching_levels", m="(p + d)//2", mixes="mode",
              w="decoder_d_model", B="decoder_adaptive_patching_levels", D="decoder_num_layers",
              k="c + len(categorical_vocab_size_list) when categorical_vocab_size_list != null | c",
              o="prediction_length", u="w when use_decoder | d"),
    parts=rows(
        part("patcher",                         "embed.patch",    dense("p -> d")),
        part("positional_encoder.position_enc", "embed.position", param("n d"), when="use_positional_encoding"),
        under("freq_mod",
            part("0", "embed.frequency",     table("frequency_token_vocab_size p")),
            part("1", "embed.frequency.up",  dense("p -> m")),
            part("3", "embed.frequency.out", dense("m -> d")), when="resolution_prefix_tuning"),
        under("mlp_mixer_encoder.mixers.{L}", LAYER, z="n", when="not (A > 0)"),
        under("mlp_mixer_encoder.mixers.{A}.mixer_layers.{L}", LAYER, z="n*2**(A-1-{A})", d="d//2**(A-1-{A})",
              when="A > 0")),
    heads=(
        head("Model", "encoder."),
        head("ForPrediction", "backbone.encoder.", DECODER,
            part("head.base_forecast_block", "head.series", dense("n*u -> o")),
            opaque("head.fcm_block.", "the channels that a mixer of the forecast adds",
                   when="enable_forecast_channel_mixing"), default=True)))
