"""AQLM: `codes` [out/og, in/ig, n] into `codebooks` [n, 2^bits, og, ig], `scales` [out/og, 1, 1, 1].

og and ig, outputs and inputs of one code, are the last dims of the codebooks: the header determines everything. Codes
are integers of 8, 16 or 32 bits, as their number of entries needs (`get_int_dtype` of aqlm 1.1).
"""

from __future__ import annotations

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

SIZES = {"num_codebooks": 1, "out_group_size": 1, "in_group_size": 8}
"""Sizes that the loader takes from the config (`replace_with_aqlm_linear` of transformers), with their defaults."""


def _is_aqlm(tensors: Tensors, setting: ModuleSettings) -> bool:
    books = tensors.get("codebooks")
    return len(tensors["codes"].shape) == 3 and (books is None or len(books.shape) == 4)


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, columns, codes = tensors["codes"].shape
    books = tensors.get("codebooks")
    outputs, inputs = setting.block or (1, 8)
    entries = 2 ** (setting.bits or 16)
    if books is not None and len(books.shape) == 4:
        number, entries, outputs, inputs = books.shape
        shown = {"num_codebooks": number, "out_group_size": outputs, "in_group_size": inputs}
        wrong = [key for key in shown if key in setting.shown and setting.shown[key] != shown[key]]
        for key in wrong if number == codes else ():
            reading.contradicts(key, setting.shown[key], shown[key])
        if entries & (entries - 1):
            entries = 2 ** (setting.bits or max(entries - 1, 1).bit_length())
        reading.compare("bits", entries.bit_length() - 1)
        width = next((width for width in (8, 16, 32) if entries <= 2**width), 32)
        reading.stored_as("codes", frozenset({f"I{width}", f"U{width}"}))
    reading.helper("codebooks", [(codes, entries, outputs, inputs)], "one for each code")
    reading.helper("scales", [(rows, 1, 1, 1)], "one for each row of codes")
    bits = codes * (max(entries, 2) - 1).bit_length() / max(outputs * inputs, 1)
    return reading.result("codes", "aqlm", (rows * outputs, columns * inputs), bits)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The AQLM config, with the defaults of transformers' AqlmConfig."""
    sizes = block.integer("out_group_size"), block.integer("in_group_size")
    bits = block.integer("nbits_per_codebook") or 16
    base = block.module_settings(
        {"bits": "nbits_per_codebook"},
        block=(sizes[0] or 1, sizes[1] or 8),
        bits=bits if 0 < bits <= 32 else 16,
        shown={key: block.values.get(key, usual) for key, usual in SIZES.items()},
    )
    return QuantizationSettings(base, ignored=block.ignored())


AQLM = Scheme("aqlm", "codes", ("codebooks", "scales"), (), _is_aqlm, _open)
