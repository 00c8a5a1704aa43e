"""HiFi-GAN as a vocoder of its own: spectrograms in, a waveform out.

modeling_speecht5.py (`SpeechT5HifiGan`, of SpeechT5, AudioLDM and MusicLDM) and modeling_fastspeech2_conformer.py
(`FastSpeech2ConformerHifiGan`): upsamplings times kernels blocks, and the mean and the scale of its input as buffers.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows
from inspector.notation.kinds import buffer, conv, conv_t

# z input, u first channels, U upsamplings, R blocks; r, x, D: channels, kernel and dilations of a block
HIFI_GAN = rows(
    part("conv_pre",                 "conv.in",       conv("z -> u, 7")),
    part("upsampler.{U}",            "conv.up",
         conv_t("u // 2**{U} -> u // 2**({U}+1), upsample_kernel_sizes[{U}]")),
    part("resblocks.{R}.convs1.{D}", "resnet.conv.1", conv("r -> r, x")),
    part("resblocks.{R}.convs2.{D}", "resnet.conv.2", conv("r -> r, x")),
    part("conv_post",                "conv.out",      conv("u // 2**U -> 1, 7")))
VOCODER = rows(
    part("mean",  "embed.mean",  buffer("z")),
    part("scale", "embed.scale", buffer("z")),
    HIFI_GAN)
DIMS = Dims(z="model_in_dim", u="upsample_initial_channel", U="min(len(upsample_rates), len(upsample_kernel_sizes))",
            K="min(len(resblock_kernel_sizes), len(resblock_dilation_sizes))", R="U*K",
            r="u // 2**({R}//K + 1)", x="resblock_kernel_sizes[{R} % K]",
            D="len(resblock_dilation_sizes[{R} % K])")
SPEECHT5_HIFIGAN = Architecture("speecht5_hifigan hifigan", dims=DIMS,
    heads=(head("SpeechT5HifiGan", "", VOCODER, default=True),))
FASTSPEECH2_HIFIGAN = Architecture("fastspeech2_conformer_hifigan", dims=DIMS,
    heads=(head("FastSpeech2ConformerHifiGan", "", VOCODER, default=True),))
