"""ComfyUI's own formats. fp8: `weight` in F8 [out, in], `scale_weight` and sometimes `scale_input`, each one F32
number; a tensor `scaled_fp8` without a module marks the file. Source: ComfyUI, `comfy/ops.py` (`scaled_fp8_ops`).

With `comfy_quant`, a text in bytes that names the format of the module: nvfp4, `weight` U8 [out, in/2], `weight_scale`
F8_E4M3 with one number for 16 values, `weight_scale_2` one F32 number; mxfp8, `weight` F8 [out, in], `weight_scale` one
byte for 32 values. Block scales are in the order of tensor cores: rows are padded to a multiple of 128 and columns to
a multiple of 4. Source: ComfyUI, `comfy/ops.py` (`mixed_precision_ops`) and `comfy/quant_ops.py`. Its fp8 and int8 are
read by `inspector.quantization.schemes.fp8`.
"""

from __future__ import annotations

from typing import Final

from inspector.quantization.module import (
    BYTES,
    FLOAT8,
    ModuleReading,
    Scheme,
    Shape,
    Tensors,
    UnpackedTensor,
    ceil_div,
)
from inspector.quantization.stated import ModuleSettings

ONE: Final[list[Shape]] = [(), (1,)]
MARK: Final = "comfy_quant"
"""The tensor that names the format of a module."""
TILE: Final = (128, 4)
"""Rows and columns of block scales that a tensor core reads together."""


def _is_scaled(tensors: Tensors, setting: ModuleSettings) -> bool:
    return tensors["weight"].dtype in FLOAT8 and "scale_weight" in tensors


def _scaled(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    reading.helper("scale_weight", ONE, "one for the matrix")
    if "scale_input" in tensors:
        reading.helper("scale_input", ONE, "one for the inputs")
    reading.compare("bits", 8)
    return reading.result("weight", "fp8-comfy", tensors["weight"].shape, 8)


def _tiled(rows: int, columns: int) -> list[Shape]:
    """The shapes of block scales: in whole tiles, or as they are."""
    whole = tuple(size * ceil_div(dim, size) for dim, size in zip((rows, columns), TILE, strict=True))
    return [(rows, columns), whole]


def _is_halves(tensors: Tensors, setting: ModuleSettings) -> bool:
    return MARK in tensors and tensors["weight"].dtype == "U8" and len(tensors["weight"].shape) == 2


def _halves(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, half = tensors["weight"].shape
    reading.helper("weight_scale", _tiled(rows, ceil_div(half, 8)), "one for 16 values", FLOAT8 | BYTES)
    reading.helper("weight_scale_2", ONE, "one number")
    if "input_scale" in tensors:
        reading.helper("input_scale", ONE, "one for the inputs")
    return reading.result("weight", "nvfp4", (rows, 2 * half), 4, 16)


def _is_tiled(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    of_blocks = scale is not None and scale.dtype in BYTES and len(scale.shape) == 2
    return MARK in tensors and len(values.shape) == 2 and of_blocks


def _tiles(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, columns = tensors["weight"].shape
    reading.helper("weight_scale", _tiled(rows, ceil_div(columns, 32)), "one for 32 values", BYTES)
    if "input_scale" in tensors:
        reading.helper("input_scale", ONE, "one for the inputs")
    return reading.result("weight", "mxfp8", (rows, columns), 8, 32)


COMFY = Scheme("fp8-comfy", "weight", ("scale_weight",), ("scale_input",), _is_scaled, _scaled)
HALVES = Scheme(
    "nvfp4", "weight", ("weight_scale",), ("weight_scale_2", "input_scale", "pre_quant_scale", MARK), _is_halves,
    _halves,
)  # fmt: skip
TILES = Scheme("mxfp8", "weight", ("weight_scale",), ("input_scale", "pre_quant_scale", MARK), _is_tiled, _tiles)
