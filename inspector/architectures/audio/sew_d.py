"""SEW-D and Parakeet. modeling_sew_d.py: SEW's front over DeBERTa-v2's layers, whose relative table is normed.
modeling_parakeet.py: a conformer after convolutions that halve both axes, every second one depthwise; transformers 4
gives the convolutions of a layer a bias whatever `convolution_bias` says.
modeling_nemotron_asr_streaming.py: the same for streams, with a layer norm between the convolutions.
"""

from inspector.architectures.audio.wav2vec2 import CONVOLUTIONS, CTC, MASK, OLD_WEIGHT_NORM, POSITION, SEQUENCE, SPEECH
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param, table

BIAS_OF_4 = "not convolution_bias and transformers_version[0] == '4'"

SEW_D = Architecture("sew-d", dialects=({}, OLD_WEIGHT_NORM),
    dims=SPEECH | Dims(R="position_buckets when position_buckets > 0 "
                         "| max_relative_positions when max_relative_positions > 0"
                         " | max_position_embeddings", c2p="'c2p' in pos_att_type", p2c="'p2c' in pos_att_type"),
    parts=rows(
        MASK, CONVOLUTIONS, POSITION,
        part("layer_norm",                     "norm.embed",         affine("f")),
        part("feature_projection",             "embed.project",      dense("f -> d"), when="f != d"),
        part("encoder.upsample.projection",    "embed.upsample",     dense("d -> d*squeeze_factor")),
        part("encoder.encoder.rel_embeddings", "attention.position", table("2*R d"), when="relative_attention"),
        part("encoder.encoder.LayerNorm",      "norm.position",      affine("d"),
             when="norm_rel_ebd in 'layer_norm layer_norm|none none|layer_norm'"),
        under("encoder.encoder.layer.{L}",
            part("attention.self.query_proj",  "attention.query",    dense("d -> d")),
            part("attention.self.key_proj",    "attention.key",      dense("d -> d")),
            part("attention.self.value_proj",  "attention.value",    dense("d -> d")),
            part("attention.self.pos_key_proj", "attention.position.key", dense("d -> d"),
                 when="relative_attention and not share_att_key and c2p"),
            part("attention.self.pos_query_proj", "attention.position.query", dense("d -> d"),
                 when="relative_attention and not share_att_key and p2c"),
            part("attention.output.dense",     "attention.output",   dense("d -> d")),
            part("attention.output.LayerNorm", "norm.attention",     affine("d")),
            part("intermediate.dense",         "mlp.up",             dense("d -> ff")),
            part("output.dense",               "mlp.down",           dense("ff -> d")),
            part("output.LayerNorm",           "norm.mlp",           affine("d")))),
    heads=(
        head("Model",                     ""),
        head("ForCTC",                    "sew_d.", CTC),
        head("ForSequenceClassification", "sew_d.", SEQUENCE)))

CONFORMER = rows(                              # what comes before the norm within the convolutions of a layer; b bias
    part("norm_feed_forward1",        "norm.mlp.first",     affine("d")),
    part("feed_forward1.linear1",     "mlp.first.up",       linear("d -> ff", bias="b")),
    part("feed_forward1.linear2",     "mlp.first.down",     linear("ff -> d", bias="b")),
    part("norm_self_att",             "norm.attention",     affine("d")),
    part("self_attn.q_proj",          "attention.query",    linear("d -> h*dh",  bias="b")),
    part("self_attn.k_proj",          "attention.key",      linear("d -> kv*dh", bias="b")),
    part("self_attn.v_proj",          "attention.value",    linear("d -> kv*dh", bias="b")),
    part("self_attn.o_proj",          "attention.output",   linear("h*dh -> d",  bias="b")),
    part("self_attn.relative_k_proj", "attention.position", linear("d -> h*dh")),
    part("self_attn.bias_u",          "attention.content.bias",  param("h dh")),
    part("self_attn.bias_v",          "attention.position.bias", param("h dh")),
    part("norm_conv",                 "norm.conv",          affine("d")),
    part("conv.pointwise_conv1",      "conv.in",            conv("d -> d + d, 1", bias="convolution_bias")),
    part("conv.depthwise_conv",       "conv.depth",
         conv("d -> d, conv_kernel_size", groups="d", bias="convolution_bias")))
BEHIND_NORM = rows(
    part("conv.pointwise_conv2",      "conv.out",           conv("d -> d, 1", bias="convolution_bias")),
    part("norm_feed_forward2",        "norm.mlp.second",    affine("d")),
    part("feed_forward2.linear1",     "mlp.second.up",      linear("d -> ff", bias="b")),
    part("feed_forward2.linear2",     "mlp.second.down",    linear("ff -> d", bias="b")),
    part("norm_out",                  "norm.layer",         affine("d")))
PARAKEET_ENCODER = Architecture("parakeet_encoder",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d/h", ff="intermediate_size", c="subsampling_conv_channels",
              k="subsampling_conv_kernel_size",
              n="log2(subsampling_factor)", X="2 : 2 + 3*(n-1) : 3", Y="3 : 3 + 3*(n-1) : 3",
              o="num_mel_bins//subsampling_conv_stride**n", b="attention_bias"),
    heads=(head("Encoder", ""),),
    parts=rows(
        part("subsampling.layers.0",   "embed.audio",       conv("1 -> c, k k")),
        part("subsampling.layers.{X}", "embed.audio.depth", conv("c -> c, k k", groups="c")),
        part("subsampling.layers.{Y}", "embed.audio.point", conv("c -> c, 1 1")),
        part("subsampling.linear",     "embed.project",     dense("c*o -> d")),
        under("layers.{L}",
            CONFORMER,
            part("conv.norm", "norm.conv.batch", batchnorm("d")),
            BEHIND_NORM,
            maybe("conv.pointwise_conv1.bias", "conv.in.bias",      param("2*d"), when=BIAS_OF_4),
            maybe("conv.depthwise_conv.bias",  "conv.depth.bias",   param("d"),   when=BIAS_OF_4),
            maybe("conv.pointwise_conv2.bias", "conv.out.bias",     param("d"),   when=BIAS_OF_4))))
PARAKEET_CTC = Architecture("parakeet_ctc", dims=Dims(),
    heads=(
        head("ForCTC", "", submodel("encoder", "encoder.", PARAKEET_ENCODER),
            part("ctc_head", "head.token", conv("encoder.d -> vocab_size, 1"))),))


# f1 ... f5: bins of the spectrogram behind each halving, which pads both sides of it
STREAMING_ENCODER = Architecture("nemotron_asr_streaming_encoder",
    ignores="sliding_window default_num_lookahead_tokens",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d//h", ff="intermediate_size", c="subsampling_conv_channels",
              k="subsampling_conv_kernel_size", n="log2(subsampling_factor)", N="n - 1", b="attention_bias",
              s="subsampling_conv_stride", f1="(num_mel_bins + s - 2)//s + 1", f2="(f1 + s - 2)//s + 1",
              f3="(f2 + s - 2)//s + 1", f4="(f3 + s - 2)//s + 1", f5="(f4 + s - 2)//s + 1",
              f="f1 when n == 1 | f2 when n == 2 | f3 when n == 3 | f4 when n == 4 | f5 when n == 5"),
    heads=(head("Encoder", ""),),
    parts=rows(
        part("subsampling.conv_in",                   "embed.audio",       conv("1 -> c, k k")),
        part("subsampling.layers.{N}.depthwise_conv", "embed.audio.depth", conv("c -> c, k k", groups="c")),
        part("subsampling.layers.{N}.pointwise_conv", "embed.audio.point", conv("c -> c, 1 1")),
        part("subsampling.linear",                    "embed.project",     dense("c*f -> d")),
        under("layers.{L}",
            CONFORMER,
            part("conv.norm", "norm.conv.depth", affine("d")),
            BEHIND_NORM)))
