"""DAC. modeling_dac.py: stages of three residual units with a learned slope (`alpha`), widths doubling on the way down
and halving on the way up, kernels twice the ratio; codebooks are parameters here, with a projection in and out of each.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import conv, conv_t, param, table

UNIT = rows(
    part("snake1.alpha", "resnet.slope", param("1 w 1")),
    part("conv1",        "resnet.conv.1",  conv("w -> w, 7")),
    part("snake2.alpha", "resnet.slope", param("1 w 1")),
    part("conv2",        "resnet.conv.2",  conv("w -> w, 1")))
DAC_ENCODER = rows(
    rows(
        part("conv1",        "conv.in",    conv("1 -> E, 7")),
        part("snake1.alpha", "slope.out",  param("1 E*2**N 1")),
        part("conv2",        "conv.out",   conv("E * 2**N -> d, 3")),
        part("block.{N}.snake1.alpha", "slope.down", param("1 we 1")),
        part("block.{N}.conv1",        "conv.down",  conv("we -> 2*we, 2*re")), tower="encoder"),
    under("block.{N}.res_unit1", UNIT, w="we", tower="encoder.unit.1"),
    under("block.{N}.res_unit2", UNIT, w="we", tower="encoder.unit.2"),
    under("block.{N}.res_unit3", UNIT, w="we", tower="encoder.unit.3"))
DAC_DECODER = rows(
    rows(
        part("conv1",        "conv.in",    conv("d -> D, 7")),
        part("snake1.alpha", "slope.out",  param("1 D//2**M 1")),
        part("conv2",        "conv.out",   conv("D // 2**M -> 1, 7")),
        part("block.{M}.snake1.alpha", "slope.up", param("1 D//2**{M} 1")),
        part("block.{M}.conv_t1",      "conv.up",  conv_t("D // 2**{M} -> wd, 2*rd")), tower="decoder"),
    under("block.{M}.res_unit1", UNIT, w="wd", tower="decoder.unit.1"),
    under("block.{M}.res_unit2", UNIT, w="wd", tower="decoder.unit.2"),
    under("block.{M}.res_unit3", UNIT, w="wd", tower="decoder.unit.3"))
DAC = Architecture("dac", ignores="hop_length", heads=(head("Model", ""),),
    dims=Dims(E="encoder_hidden_size", D="decoder_hidden_size", N="len(downsampling_ratios)",
              M="len(upsampling_ratios) | N",
              d="hidden_size | E * 2**N", K="codebook_size", e="codebook_dim", n="n_codebooks",
              we="E * 2**{N}", wd="D // 2**({M}+1)",
              re="downsampling_ratios[{N}]", rd="upsampling_ratios[{M}] | downsampling_ratios[N-1-{M}]"),
    parts=rows(
        under("encoder", DAC_ENCODER),
        under("decoder", DAC_DECODER),
        under("quantizer.quantizers.{n}",
            part("codebook", "quantizer.codes", table("K e")),
            part("in_proj",  "quantizer.in",    conv("d -> e, 1")),
            part("out_proj", "quantizer.out",   conv("e -> d, 1")))))
