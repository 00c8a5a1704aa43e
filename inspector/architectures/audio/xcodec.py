"""X-Codec, a codec of sounds and meanings, and UnivNet, a vocoder.

modeling_xcodec.py: DAC's encoder and decoder without its codebooks, a speech model, and convolutions around its output;
both outputs side by side are quantized. All codebooks are buffers; their number follows from the last bandwidth.
modeling_univnet.py: the weights and biases of the convolutions of each stage are predicted from the spectrogram; the
residual blocks of the predictor have `model_in_channels`.
"""

from msgspec.structs import replace

from inspector.architectures.audio.dac import DAC, DAC_DECODER, DAC_ENCODER
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import buffer, conv, conv_t, dense

RESIDUAL = rows(                               # z its width
    part("conv1", "resnet.conv.1", conv("z -> z, unit_kernel_size", bias=False)),
    part("conv2", "resnet.conv.2", conv("z -> z, 1", bias=False)))
XCODEC = Architecture("xcodec", heads=(head("Model", ""),),
    dims=Dims(s="semantic.d", a="acoustic.d", H="a + s", K="codebook_size", e="codebook_dim | H", k="kernel_size",
              S="len(strides)", U="len(block_dilations)", E="S[strides == 1]", F="S - E",
              i="floor(s*channel_ratios[{S}-1]) when {S} > 0 | s", o="floor(s*channel_ratios[{S}])",
              u="floor(s*channel_ratios[{S}+1]) | s",
              step="3 when strides[{S}] == 1 | 2*strides[{S}]",
              rate="(sample_rate + hop - 1)//hop", hop="prod(acoustic_model_config.downsampling_ratios)",
              n="floor(1000*target_bandwidths[len(target_bandwidths)-1] // (rate*(log2(K-1)+1)))"),
    parts=rows(
        submodel("acoustic", "", replace(DAC, parts=rows(
            under("acoustic_encoder", DAC_ENCODER), under("acoustic_decoder", DAC_DECODER))),
            config="acoustic_model_config"),
        submodel("semantic", "semantic_model.", config="semantic_model_config", head="Model"),
        under("encoder_semantic",
            part("conv",                "conv.in",   conv("s -> s, k", bias=False)),
            part("conv_blocks.{S}.conv", "conv.down", conv("i -> o, step")),
            under("conv_blocks.{S}.res_units.{U}", RESIDUAL, z="i"), tower="semantic.encoder"),
        under("decoder_semantic",
            part("conv1",                "conv.in",  conv("s -> floor(s*channel_ratios[0]), k", bias=False)),
            part("conv2",                "conv.out", conv("s -> s, k", bias=False)),
            part("conv_blocks.{E}.conv", "conv.up",  conv("o -> u, 3")),
            part("conv_blocks.{F}.conv", "conv.up",  conv_t("o -> u, 2*strides[{S}]", bias=False)),
            under("conv_blocks.{S}.res_units.{U}", RESIDUAL, z="u"), tower="semantic.decoder"),
        part("fc",  "project",          dense("H -> H")),
        part("fc1", "bridge.semantic.in", dense("H -> s")),
        part("fc2", "bridge.acoustic.out", dense("H -> a")),
        under("quantizer.quantizers.{n}.codebook",
            part("inited",       "quantizer.ready",   buffer("1")),
            part("cluster_size", "quantizer.size",    buffer("K")),
            part("embed",        "quantizer.codes",   buffer("K e")),
            part("embed_avg",    "quantizer.average", buffer("K e")))))
UNIVNET = Architecture("univnet", heads=(head("Model", ""),), ignores="leaky_relu_slope",
    dims=Dims(i="model_in_channels", d="model_hidden_channels", m="num_mel_bins",
              N="len(resblock_stride_sizes)", k="resblock_kernel_sizes[{N}]", s="resblock_stride_sizes[{N}]",
              B="len(resblock_dilation_sizes[{N}])", P="kernel_predictor_num_blocks",
              h="kernel_predictor_hidden_channels", q="kernel_predictor_conv_size"),
    parts=rows(
        part("conv_pre",  "conv.in",  conv("i -> d, 7")),
        part("conv_post", "conv.out", conv("d -> 1, 7")),
        under("resblocks.{N}",
            part("convt_pre",                    "conv.up",        conv_t("d -> d, 2*s")),
            part("kernel_predictor.input_conv",  "conv.condition", conv("m -> h, 5")),
            part("kernel_predictor.kernel_conv", "conv.weight",    conv("h -> 2*d*d*k*B, q")),
            part("kernel_predictor.bias_conv",   "conv.bias",      conv("h -> 2*d*B, q")),
            under("kernel_predictor.resblocks.{P}",
                part("conv1", "resnet.conv.1", conv("i -> i, q")),
                part("conv2", "resnet.conv.2", conv("i -> i, q"))),
            part("resblocks.{B}.conv", "resnet.conv", conv("d -> d, k")))))
