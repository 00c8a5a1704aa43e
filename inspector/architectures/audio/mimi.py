"""Mimi. modeling_mimi.py: EnCodec's convolutions without weight norm and LSTM, a small transformer on each side, and
two quantizers whose codebooks are buffers; down- and upsampling by the ratio of the frame rates.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, linear, param

BLOCK = rows(                                  # w its width, m between
    part("block.1.conv",  "resnet.conv.1",   conv("w -> m, residual_kernel_size")),
    part("block.3.conv",  "resnet.conv.2",   conv("m -> w, 1")),
    part("shortcut.conv", "resnet.skip", conv("w -> w, 1"), when="use_conv_shortcut"))
TRANSFORMER = under("layers.{L}",
    part("self_attn.q_proj",           "attention.query",  linear("d -> h*dh",  bias="attention_bias")),
    part("self_attn.k_proj",           "attention.key",    linear("d -> kv*dh", bias="attention_bias")),
    part("self_attn.v_proj",           "attention.value",  linear("d -> kv*dh", bias="attention_bias")),
    part("self_attn.o_proj",           "attention.output", linear("h*dh -> d",  bias="attention_bias")),
    part("self_attn_layer_scale.scale", "attention.scale", param("d")),
    part("input_layernorm",            "norm.attention",   affine("d")),
    part("mlp.fc1",                    "mlp.up",           linear("d -> ff")),
    part("mlp.fc2",                    "mlp.down",         linear("ff -> d")),
    part("mlp_layer_scale.scale",      "mlp.scale",        param("d")),
    part("post_attention_layernorm",   "norm.mlp",         affine("d")))
QUANTIZER = rows(                              # n codebooks
    part("input_proj",  "quantizer.in",  conv("d -> x, 1", bias=False), when="x != d"),
    part("output_proj", "quantizer.out", conv("x -> d, 1", bias=False), when="x != d"),
    under("layers.{n}.codebook",
        part("initialized",   "quantizer.ready", buffer("1")),
        part("cluster_usage", "quantizer.size",  buffer("K")),
        part("embed_sum",     "quantizer.codes", buffer("K e"))))
# F, O: channels of the first and last convolution; M: numbered modules of the encoder, EB its blocks, ED its
# downsampling, EO the last; we, wd: channels; DU, DB, wu, wb: the same for the decoder; rd, ru: strides; k: kernel
# between the frame rates; hop: samples per frame; K, e: number and width of codes; x: width of the quantizer; s, a:
# semantic and acoustic
MIMI_STATE_DICT = {  # names in memory under transformers 5
    "encoder.layers.": "encoder.encoder_seanet.layers.",
    "encoder_transformer.": "encoder.encoder_transformer.",
    "downsample.": "encoder.downsample.",
    "upsample.": "decoder.upsample.",
    "decoder_transformer.": "decoder.decoder_transformer.",
    "decoder.layers.": "decoder.decoder_seanet.layers.",
}
MIMI = Architecture("mimi", dialects=({}, MIMI_STATE_DICT), heads=(head("Model", ""),),
    dims=Dims(d="hidden_size", F="num_filters", S="len(upsampling_ratios)", R="num_residual_layers", O="F * 2**S",
              K="codebook_size", e="codebook_dim", x="vector_quantization_hidden_dimension", L="num_hidden_layers",
              h="num_attention_heads", kv="num_key_value_heads | h", dh="head_dim | d/h", ff="intermediate_size",
              M="S*(R+2) + 1", EB="M[{M} > 0 and ({M} - 1) % (R+2) < R]", ED="M[{M} > 0 and {M} % (R+2) == 0]",
              EO="S*(R+2) + 2 : S*(R+2) + 3",
              we="F * 2**(({EB}-1)//(R+2))", wd="F * 2**({ED}//(R+2))", rd="upsampling_ratios[S - {ED}//(R+2)] | 1",
              DU="M[{M} > 1 and ({M} - 1) % (R+2) == 1]", DB="M[{M} > 1 and ({M} - 1) % (R+2) > 1]",
              wu="F * 2**(S - 1 - ({DU}-1)//(R+2))", wb="F * 2**(S - 1 - ({DB}-1)//(R+2))",
              ru="upsampling_ratios[({DU}-1)//(R+2)] | 1",
              hop="prod(upsampling_ratios)", rate="(sampling_rate + hop - 1)//hop", frames="frame_rate | _frame_rate",
              k="2*(floor(rate // frames) when frames != null | 2*hop*rate//sampling_rate)",
              s="num_semantic_quantizers", a="num_quantizers - s"),
    parts=rows(
        under("encoder.layers",
            part("0.conv",    "conv.in",   conv("audio_channels -> F, kernel_size")),
            under("{EB}", BLOCK, w="we", m="we//compress"),
            part("{ED}.conv", "conv.down", conv("wd//2 -> wd, 2*rd")),
            part("{EO}.conv", "conv.out",  conv("O -> d, last_kernel_size")), tower="encoder"),
        under("decoder.layers",
            part("0.conv",    "conv.in",   conv("d -> O, kernel_size")),
            part("{DU}.conv", "conv.up",   conv_t("2*wu -> wu, 2*ru")),
            under("{DB}", BLOCK, w="wb", m="wb//compress"),
            part("{EO}.conv", "conv.out",  conv("F -> audio_channels, last_kernel_size")), tower="decoder"),
        under("encoder_transformer", TRANSFORMER, tower="encoder"),
        under("decoder_transformer", TRANSFORMER, tower="decoder"),
        part("downsample.conv", "conv.frames.down", conv("d -> d, k", bias=False),
             when="frames == null or frames != rate"),
        part("upsample.conv",   "conv.frames.up",   conv_t("d -> d, k", groups="upsample_groups", bias=False),
             when="frames == null or frames != rate"),
        under("quantizer.semantic_residual_vector_quantizer", QUANTIZER, tower="semantic", n="s"),
        under("quantizer.acoustic_residual_vector_quantizer", QUANTIZER, tower="acoustic", n="a")))
