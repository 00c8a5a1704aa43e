"""AQLM: `codes` [out/og, in/ig, n] into `codebooks` [n, 2^bits, og, ig], `scales` [out/og, 1, 1, 1].

og and ig, outputs and inputs of one code, are the last dims of the codebooks: the header determines everything.
"""

from __future__ import annotations

from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings


def _is_aqlm(tensors: Tensors, setting: ModuleSettings) -> bool:
    books = tensors.get("codebooks")
    return len(tensors["codes"].shape) == 3 and (books is None or len(books.shape) == 4)


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, columns, codes = tensors["codes"].shape
    books = tensors.get("codebooks")
    outputs, inputs, entries = (books.shape[2], books.shape[3], books.shape[1]) if books is not None else (1, 8, 65536)
    reading.helper("codebooks", [(codes, entries, outputs, inputs)], "one for each code")
    reading.helper("scales", [(rows, 1, 1, 1)], "one for each row of codes")
    bits = codes * (max(entries, 2) - 1).bit_length() / max(outputs * inputs, 1)
    return reading.result("codes", "aqlm", (rows * outputs, columns * inputs), bits)


AQLM = Scheme("aqlm", "codes", ("codebooks", "scales"), (), _is_aqlm, _open)
