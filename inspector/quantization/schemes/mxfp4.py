"""MXFP4 as in gpt-oss: `X_blocks` U8 [E, rows, G, 16] and `X_scales` U8 [E, rows, G] for a stacked parameter X.

16 bytes hold 32 values. The dense parameter is the transpose, [E, G*32, rows].
"""

from __future__ import annotations

from inspector.quantization.module import BYTES, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings


def _is_blocks(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["blocks"]
    return values.dtype == "U8" and len(values.shape) >= 3 and values.shape[-1] in (16, 8)


def _blocks(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values = tensors["blocks"]
    *lead, rows, groups, half = values.shape
    reading.helper("block_scales", [values.shape[:-1]], f"one for each block of {2 * half}", BYTES)
    return reading.result("blocks", "mxfp4", (*lead, groups * 2 * half, rows), 4, 2 * half)


MXFP4 = Scheme("mxfp4", "blocks", ("block_scales",), (), _is_blocks, _blocks, "")
