"""Gemma 4's vision and audio towers.

modeling_gemma4.py: with `use_clipped_linears` every linear has four 0-dimensional buffers, its bounds; positions are
two tables in one; the audio's attention has a matrix for relative positions.
"""

from inspector.architectures.blocks import SANDWICH
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import buffer, conv, dense, linear, param, scale

BOUNDS = rows(
    part("input_min",  "bound.input.min",  buffer("")),
    part("input_max",  "bound.input.max",  buffer("")),
    part("output_min", "bound.output.min", buffer("")),
    part("output_max", "bound.output.max", buffer("")), when="use_clipped_linears")
VISION_LINEARS = rows(
    under("self_attn.q_proj", part("linear", "attention.query",  linear("d -> h*dh")),  rows(BOUNDS, tower="query")),
    under("self_attn.k_proj", part("linear", "attention.key",    linear("d -> kv*dh")), rows(BOUNDS, tower="key")),
    under("self_attn.v_proj", part("linear", "attention.value",  linear("d -> kv*dh")), rows(BOUNDS, tower="value")),
    under("self_attn.o_proj", part("linear", "attention.output", linear("h*dh -> d")),  rows(BOUNDS, tower="output")),
    under("mlp.gate_proj",    part("linear", "mlp.gate",         linear("d -> ff")),    rows(BOUNDS, tower="gate")),
    under("mlp.up_proj",      part("linear", "mlp.up",           linear("d -> ff")),    rows(BOUNDS, tower="up")),
    under("mlp.down_proj",    part("linear", "mlp.down",         linear("ff -> d")),    rows(BOUNDS, tower="down")))
GEMMA4_VISION = Architecture("gemma4_vision", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d/h",
              ff="intermediate_size", p="patch_size", n="position_embedding_size"),
    parts=rows(
        part("patch_embedder.input_proj",               "embed.patch",    linear("3*p*p -> d")),
        part("patch_embedder.position_embedding_table", "embed.position", param("2 n d")),
        under("encoder.layers.{L}", SANDWICH, VISION_LINEARS,
            part("self_attn.q_norm", "norm.query", scale("dh")),
            part("self_attn.k_norm", "norm.key",   scale("dh"))),
        part("std_bias",  "norm.final.bias", buffer("d"), when="standardize"),
        part("std_scale", "norm.final",      buffer("d"), when="standardize")))
FEED_FORWARD = rows(
    part("pre_layer_norm",  "norm.mlp",      scale("d")),
    part("post_layer_norm", "norm.mlp.post", scale("d")),
    under("ffw_layer_1", part("linear", "mlp.up",   linear("d -> 4*d")), BOUNDS),
    part("ffw_layer_2.linear", "mlp.down", linear("4*d -> d")))
DOWN_BOUNDS = under("ffw_layer_2", BOUNDS)
GEMMA4_AUDIO = Architecture("gemma4_audio", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="d//h", k="conv_kernel_size",
              o="output_proj_dims",
              x="subsampling_conv_channels[0]", y="subsampling_conv_channels[1]"),
    parts=rows(
        under("subsample_conv_projection",
            part("layer0.conv", "embed.audio.1",       conv("1 -> x, 3 3", bias=False)),
            part("layer0.norm", "norm.embed.1",        scale("x")),
            part("layer1.conv", "embed.audio.2",       conv("x -> y, 3 3", bias=False)),
            part("layer1.norm", "norm.embed.2",        scale("y")),
            part("input_proj_linear", "embed.project", linear("x//4*y -> d"))),
        under("layers.{L}",
            under("feed_forward1", FEED_FORWARD, tower="start"),
            under("feed_forward1", DOWN_BOUNDS,  tower="start.down"),
            under("feed_forward2", FEED_FORWARD, tower="end"),
            under("feed_forward2", DOWN_BOUNDS,  tower="end.down"),
            part("norm_pre_attn",  "norm.attention",      scale("d")),
            part("norm_post_attn", "norm.attention.post", scale("d")),
            part("norm_out",       "norm.final",          scale("d")),
            under("self_attn.q_proj", part("linear", "attention.query",  linear("d -> h*dh")),
                  rows(BOUNDS, tower="query")),
            under("self_attn.k_proj", part("linear", "attention.key",    linear("d -> h*dh")),
                  rows(BOUNDS, tower="key")),
            under("self_attn.v_proj", part("linear", "attention.value",  linear("d -> h*dh")),
                  rows(BOUNDS, tower="value")),
            under("self_attn.post",   part("linear", "attention.output", linear("h*dh -> d")),
                  rows(BOUNDS, tower="output")),
            part("self_attn.relative_k_proj", "attention.position", linear("d -> h*dh")),
            part("self_attn.per_dim_scale",   "attention.scale",    param("dh")),
            part("lconv1d.pre_layer_norm",    "norm.conv",          scale("d")),
            part("lconv1d.conv_norm",         "norm.conv.post",     scale("d")),
            part("lconv1d.depthwise_conv1d",  "resnet.conv",        conv("d -> d, k", groups="d", bias=False)),
            under("lconv1d.linear_start", part("linear", "resnet.in",  linear("d -> d + d", packs="input gate")),
                  rows(BOUNDS, tower="in")),
            under("lconv1d.linear_end",   part("linear", "resnet.out", linear("d -> d")), rows(BOUNDS, tower="out"))),
        part("output_proj", "head.project", dense("d -> o"))))
