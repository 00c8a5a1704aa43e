"""LASR, the encoder of MedASR: a conformer whose norms have no bias, with rotary positions.

modeling_lasr.py: two linears and two convolutions before the layers; `attention_bias` is that of the MLPs, too.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import batchnorm, conv, dense, linear, scale

LASR_ENCODER = Architecture("lasr_encoder",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads | h",
              dh="head_dim | d//h", ff="intermediate_size", c="subsampling_conv_channels",
              k="subsampling_conv_kernel_size", b="attention_bias"),
    heads=(head("Encoder", ""),),
    parts=rows(
        part("subsampler.dense_0", "embed.audio.in",  dense("num_mel_bins -> d")),
        part("subsampler.conv_0",  "embed.audio.1",   conv("d -> d, k")),
        part("subsampler.conv_1",  "embed.audio.2",   conv("d -> c, k")),
        part("subsampler.dense_1", "embed.audio.out", dense("c -> d")),
        under("layers.{L}",
            part("norm_feed_forward1",    "norm.mlp.first",   scale("d")),
            part("feed_forward1.linear1", "mlp.first.up",     linear("d -> ff", bias="b")),
            part("feed_forward1.linear2", "mlp.first.down",   linear("ff -> d", bias="b")),
            part("norm_self_att",         "norm.attention",   scale("d")),
            part("self_attn.q_proj",      "attention.query",  linear("d -> h*dh",  bias="b")),
            part("self_attn.k_proj",      "attention.key",    linear("d -> kv*dh", bias="b")),
            part("self_attn.v_proj",      "attention.value",  linear("d -> kv*dh", bias="b")),
            part("self_attn.o_proj",      "attention.output", linear("h*dh -> d",  bias="b")),
            part("norm_conv",             "norm.conv",        scale("d")),
            part("conv.pointwise_conv1",  "conv.in",          conv("d -> d + d, 1", bias="convolution_bias")),
            part("conv.depthwise_conv",   "conv.depth",
                 conv("d -> d, conv_kernel_size", groups="d", bias="convolution_bias")),
            part("conv.norm",             "norm.conv.batch",  batchnorm("d")),
            part("conv.pointwise_conv2",  "conv.out",         conv("d -> d, 1", bias="convolution_bias")),
            part("norm_feed_forward2",    "norm.mlp.second",  scale("d")),
            part("feed_forward2.linear1", "mlp.second.up",    linear("d -> ff", bias="b")),
            part("feed_forward2.linear2", "mlp.second.down",  linear("ff -> d", bias="b")),
            part("norm_out",              "norm.layer",       scale("d"))),
        part("out_norm", "norm.final", scale("d"))))
LASR_CTC = Architecture("lasr_ctc", dims=Dims(),
    heads=(
        head("ForCTC", "", submodel("encoder", "encoder.", LASR_ENCODER),
            part("ctc_head", "head.token", conv("encoder.d -> vocab_size, 1"))),))
