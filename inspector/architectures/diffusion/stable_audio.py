"""Stable Audio: its transformer, the projection of its conditions and its autoencoder.

stable_audio_transformer.py: only cross attention has fewer keys and values than heads; the time's frequencies are
stored.
autoencoder_oobleck.py: weight norm everywhere, under the names of the first versions of torch; a block's residual units
are before its strided convolution on the way down and after it on the way up, where ratios and widths are read
backwards.
"""

from inspector.architectures.diffusion.diffusion_blocks import ATTENTION, GATED_FEED_FORWARD
from inspector.architectures.diffusion.diffusion_transformer import WIDTH
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, conv_t, dense, linear, param, weight_norm

STABLEAUDIODITMODEL = Architecture("StableAudioDiTModel",
    dims=WIDTH | Dims(kv="num_key_value_attention_heads | h", e="cross_attention_dim", o="out_channels"),
    parts=rows(
        part("time_proj.weight",  "embed.time.frequency", param("time_proj_dim//2")),
        part("timestep_proj.0",   "embed.time.1",   dense("time_proj_dim -> d")),
        part("timestep_proj.2",   "embed.time.2",   dense("d -> d")),
        part("global_proj.0",     "embed.global", linear("global_states_input_dim -> d")),
        part("global_proj.2",     "embed.global", linear("d -> d")),
        part("cross_attention_proj.0", "embed.text.1", linear("cross_attention_input_dim -> e")),
        part("cross_attention_proj.2", "embed.text.2", linear("e -> e")),
        part("preprocess_conv", "embed.audio.conv", conv("c -> c, 1", bias=False)),
        part("proj_in",         "embed.audio",      linear("c -> d")),
        under("transformer_blocks.{L}",
            part("norm1", "norm.attention", affine("d")),
            part("norm2", "norm.cross",     affine("d")),
            part("norm3", "norm.mlp",       affine("d")),
            under("attn1", ATTENTION),
            part("attn2.to_q",     "cross.query",  linear("d -> d")),
            part("attn2.to_k",     "cross.key",    linear("e -> kv*dh")),
            part("attn2.to_v",     "cross.value",  linear("e -> kv*dh")),
            part("attn2.to_out.0", "cross.output", linear("d -> d")),
            under("ff", GATED_FEED_FORWARD, b="true")),
        part("proj_out",         "head.audio",      linear("d -> o")),
        part("postprocess_conv", "head.audio.conv", conv("o -> o, 1", bias=False))))

SECONDS = rows(                                # e the width of a condition
    part("time_positional_embedding.0.weights", "embed.time.frequency", param("128")),
    part("time_positional_embedding.1",         "embed.time.project",   dense("257 -> e")))
STABLEAUDIOPROJECTIONMODEL = Architecture("StableAudioProjectionModel", ignores="min_value max_value",
    dims=Dims(d="text_encoder_dim", e="conditioning_dim"),
    parts=rows(
        part("text_projection", "project.text", dense("d -> e"), when="d != e"),
        under("start_number_conditioner", SECONDS, tower="start"),
        under("end_number_conditioner",   SECONDS, tower="end")))

SNAKE = rows(                                  # w channels
    part("alpha", "scale.frequency", param("1 w 1")),
    part("beta",  "scale.magnitude", param("1 w 1")))
UNIT = rows(
    under("snake1", SNAKE, tower="first"),
    part("conv1", "resnet.conv.1", weight_norm(conv("w -> w, 7"), axis=0)),
    under("snake2", SNAKE, tower="second"),
    part("conv2", "resnet.conv.2", weight_norm(conv("w -> w, 1"), axis=0)))
UNITS = rows(
    under("res_unit1", UNIT, tower="unit.1"),
    under("res_unit2", UNIT, tower="unit.2"),
    under("res_unit3", UNIT, tower="unit.3"))
AUTOENCODEROOBLECK = Architecture("AutoencoderOobleck",
    dialects=({}, {"*.parametrizations.weight.original0": ".weight_g",
                   "*.parametrizations.weight.original1": ".weight_v"}),
    dims=Dims(a="encoder_hidden_size", b="decoder_channels", z="decoder_input_channels", c="audio_channels", d="a",
              x="channel_multiples",
              r="downsampling_ratios", S="len(r)", U="len(r)", M="len(x)", w="a*x[{S}-1] | a", v="a*x[{S}]",
              m="a*x[M-1]", md="b*x[M-1]",
              p="b*x[M-1-{U}]", q="b*x[M-2-{U}] | b"),
    parts=rows(
        under("encoder",
            part("conv1", "embed.audio", weight_norm(conv("c -> a, 7"), axis=0)),
            under("block.{S}", UNITS),
            under("block.{S}.snake1", SNAKE, tower="down"),
            part("block.{S}.conv1", "resnet.down", weight_norm(conv("w -> v, 2*r[{S}]"), axis=0)),
            under("snake1", SNAKE, w="m", tower="encoder.last"),
            part("conv2", "head.latent", weight_norm(conv("m -> a, 3"), axis=0)), tower="encoder"),
        under("decoder",
            part("conv1", "embed.latent", weight_norm(conv("z -> md, 7"), axis=0)),
            under("block.{U}.snake1", SNAKE, w="p", tower="up"),
            part("block.{U}.conv_t1", "resnet.up", weight_norm(conv_t("p -> q, 2*r[S-1-{U}]"), axis=0)),
            under("block.{U}", UNITS, w="q"),
            under("snake1", SNAKE, w="b", tower="decoder.last"),
            part("conv2", "head.audio", weight_norm(conv("b -> c, 7", bias=False), axis=0)), tower="decoder")))
