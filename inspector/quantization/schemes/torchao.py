"""torchao's safetensors: `_weight_qdata`, `_weight_scale`, `_weight_zero_point` represent `weight`.

int8 and float8 keep the shape, and so do unpacked integers of fewer bits, one per byte. MX formats have a byte for
32 values, NVFP4 [out, in/2] a float8 for 16. Packed 4-bit integers are [out, in/2] bytes or [out, in/8] words with
scales [in/g, out]; in tiles, `_weight_qdata` I32 [out/8, in/(32*t), 32, t] with `_weight_scale_and_zero` [in/g, out,
2], outputs padded to 8 and inputs to 1024 (torchao 0.18, `quantize_/workflows` and `prototype/mx_formats`).
"""

from __future__ import annotations

import re
from typing import Final

from inspector.loader.dtype import BITS
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import (
    BYTES,
    FLOAT8,
    ModuleReading,
    Scheme,
    Shape,
    Tensors,
    UnpackedTensor,
    ceil_div,
    product,
)
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

PADDED: Final = (8, 1024)
"""The multiples to which outputs and inputs are padded before they are stored in tiles."""


def _is_tiles(tensors: Tensors, setting: ModuleSettings) -> bool:
    return tensors["_weight_qdata"].dtype == "I32" and len(tensors["_weight_qdata"].shape) in (4, 5)


def _tiles(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    *lead, rows, columns, lanes, inner = tensors["_weight_qdata"].shape
    outputs, inputs = 8 * rows, lanes * columns * inner
    if inputs % PADDED[1]:
        reading.widths(f"_weight_qdata holds {inputs:,} inputs", f"they are padded to a multiple of {PADDED[1]:,}")
        inputs = PADDED[1] * ceil_div(inputs, PADDED[1])
    groups, size = reading.grouped(("_weight_scale_and_zero",), -3, inputs)
    reading.helper("_weight_scale_and_zero", [(*lead, groups, outputs, 2)], "a scale and a zero for each group")
    bounds = [(dim, dim) for dim in lead]
    bounds += [(max(dim - most + 1, 1), dim) for dim, most in zip((outputs, inputs), PADDED, strict=True)]
    return reading.result("_weight_qdata", "torchao", (*lead, outputs, inputs), 4, size, bounds=tuple(bounds))


def _is_packed(tensors: Tensors, setting: ModuleSettings) -> bool:
    """Integers of 4 bits by their scales, which are transposed; without scales by their width and zero points."""
    values, scale = tensors["_weight_qdata"], tensors.get("_weight_scale", tensors.get("_weight_zero_point"))
    if values.dtype not in ("I32", "U8", "I8") or len(values.shape) not in (2, 3):
        return False
    if values.dtype == "I32" or setting.variant == PACKED_VARIANT:
        return True
    transposed = scale is not None and len(scale.shape) == len(values.shape) and (
        scale.shape[-1] == values.shape[-2] != scale.shape[-2] > 1
    )  # fmt: skip
    return transposed and "_weight_zero_point" in tensors


def _packed(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    *lead, outputs, columns = tensors["_weight_qdata"].shape
    inputs = columns * BITS[tensors["_weight_qdata"].dtype] // 4
    groups, size = reading.grouped(("_weight_scale", "_weight_zero_point"), -2, inputs)
    for helper in ("_weight_scale", "_weight_zero_point"):
        reading.helper(helper, [(*lead, groups, outputs)], "one for each group and output")
    return reading.result("_weight_qdata", "torchao", (*lead, outputs, inputs), 4, size)


def _is_microscaled(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scale = tensors["_weight_qdata"], tensors.get("_weight_scale")
    if values.dtype in ("U8", "F4"):
        return len(values.shape) >= 2 and (scale is None or scale.dtype in BYTES | FLOAT8)
    return len(values.shape) >= 2 and scale is not None and scale.dtype in BYTES


def _microscaled(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """MX and NVFP4; swizzled scales are padded to tiles of 128 rows and 4 columns."""
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["_weight_qdata"], tensors.get("_weight_scale")
    halves, size = values.dtype in ("U8", "F4"), 32 if scale is not None and scale.dtype in BYTES else 16
    *lead, outputs, columns = values.shape
    inputs = columns * (2 if values.dtype == "U8" else 1)
    groups = ceil_div(inputs, size)
    swizzled = (128 * ceil_div(outputs, 128), 4 * ceil_div(groups, 4))
    shapes = [(*lead, outputs, groups), (*lead, *swizzled)]
    reading.helper("_weight_scale", shapes, f"one for {size} values", BYTES | FLOAT8)
    return reading.result("_weight_qdata", "torchao", (*lead, outputs, inputs), 4 if halves else 8, size)


def _is_torchao(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["_weight_qdata"]
    eight = values.dtype in FLOAT8 or BITS[values.dtype] == 8
    return len(values.shape) >= 2 and eight and setting.variant != PACKED_VARIANT


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["_weight_qdata"], tensors.get("_weight_scale")
    shape = values.shape
    reading.number_type(values)
    rows = product(shape[:-1])
    each = _by_zeros(tensors, shape)
    whole = scale is None or scale.elements == 1 or scale.shape in ((*shape[:-1], scale.shape[-1]), (rows,))
    allowed = (
        (rows,) if setting.strategy == "channel" else (1, rows, rows * -(-shape[-1] // (setting.group_size or 128)))
    )
    if scale is None or not whole or scale.elements not in allowed:
        sizes = () if setting.strategy == "channel" else (16, 32, 64, 128, 256)
        groups = next((size for size in sizes if scale and whole and scale.elements * size == product(shape)), 0)
        if not groups:
            whole = False
            reading.helper("_weight_scale", [each], "one for each output" if each[-1] == 1 else "one for each group")
    if scale is not None:
        reading.helper(
            "_weight_zero_point", [scale.shape if whole else each], "one for each scale", required=setting.zeros is True
        )
        if whole:
            reading.helper("_weight_scale", [scale.shape])
        if whole and scale.elements > rows and setting.group_size is not None:
            reading.compare("group_size", product(shape) // scale.elements)
    fewer = setting.bits is not None and 0 < setting.bits < 8 and values.dtype not in FLOAT8
    bits = setting.bits if fewer and setting.bits is not None else 8
    return reading.result("_weight_qdata", "torchao", shape, bits, setting.group_size)


def _by_zeros(tensors: Tensors, shape: Shape) -> Shape:
    """The shape of the scales if their own is wrong: that of the zero points of groups, else one for each output."""
    zeros = tensors.get("_weight_zero_point")
    return zeros.shape if zeros is not None and zeros.shape[:-1] == shape[:-1] else (*shape[:-1], 1)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The torchao config: the name of a method, or a config object as its class writes it."""
    kind = block.text("quant_type")
    data = block.inner("quant_type").inner("default").inner("_data")
    integers = re.fullmatch(r"int(\d\d?)", data.inner("weight_dtype").text("_data") or "")
    bits = int(integers[1]) if integers else None
    name = kind or block.inner("quant_type").inner("default").text("_type") or ""
    if kind is not None:
        bits = 4 if "int4" in kind else 8 if "8" in kind else None
    elif name in PACKED_CONFIGS:
        bits = 4
    inner = block.inner("quant_type_kwargs") if kind is not None else data
    size = inner.integer("group_size") or data.inner("granularity").inner("_data").integer("group_size")
    rows = data.inner("granularity").text("_type") == "PerRow"
    base = block.module_settings(
        {"number_type": "quant_type", "group_size": "quant_type"},
        bits=bits,
        group_size=size,
        strategy="channel" if rows else None,
        variant=PACKED_VARIANT if name in PACKED_CONFIGS else None,
        number_type=next((number for words, number in NUMBER_TYPES.items() if name.casefold().endswith(words)), None),
        zeros=True if "intx" in name.casefold() else None,
        shown={"number_type": name},
    )
    return QuantizationSettings(base, ignored=block.ignored())


PACKED_VARIANT: Final = "packed"
PACKED_CONFIGS: Final = ("Int4WeightOnlyConfig", "Float8DynamicActivationInt4WeightConfig")
"""Configs with which 4-bit integers are stored packed."""
NUMBER_TYPES: Final = {
    "mxdynamicactivationmxweightconfig": "float", "nvfp4weightonlyconfig": "float",
    "nvfp4dynamicactivationnvfp4weightconfig": "float",
    "float8_weight_only": "float", "float8weightonlyconfig": "float", "float8weightconfig": "float",
    "int8_weight_only": "integer", "int8weightonlyconfig": "integer", "int8weightconfig": "integer",
    "intxweightonlyconfig": "integer", "intxweightconfig": "integer",
}  # fmt: skip
"""End of the name of a method or config -> "float" or "integer", the kind of the stored values."""
MAY = ("_weight_zero_point", "_weight_act_quant_scale", "_weight_act_pre_scale", "_weight_per_tensor_scale",
       "_weight_act_per_tensor_scale")  # fmt: skip
TORCHAO = Scheme("torchao", "_weight_qdata", ("_weight_scale",), MAY, _is_torchao, _open)
TILES = Scheme("torchao", "_weight_qdata", ("_weight_scale_and_zero",), MAY, _is_tiles, _tiles)
PACKED = Scheme("torchao", "_weight_qdata", ("_weight_scale", "_weight_zero_point"), MAY, _is_packed, _packed)
MICROSCALED = Scheme("torchao", "_weight_qdata", ("_weight_scale",), MAY, _is_microscaled, _microscaled)
