"""optimum-quanto: `weight._data` (8 bits, unpacked) or `weight._data._data` (fewer bits, packed in bytes by groups).

Packed: M values as [M/128, 128] with 2 or 4 in a byte along the first dim; `weight._scale` and `weight._shift`
[M/128, 1]; the header determines the number of elements but not the shape. `input_scale` and
`output_scale` are always saved.
"""

from __future__ import annotations

from typing import Final

from inspector.loader.config_file import QUANTO_FILE, QUANTO_MAP
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import exact

SHIFTS: Final = FLOATS | {"U8"}
"""Dtypes of shifts: floats, or codes of zero in bytes (`zeropoint=True` of `AffineOptimizer`)."""
MAY = ("weight._shift", "input_scale", "output_scale", "input_zero_point")


def _in_shape(tensors: Tensors, setting: ModuleSettings) -> bool:
    return "weight._data._data" not in tensors


def _open_in_shape(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    shape = tensors["weight._data"].shape
    columns = (1,) * (len(shape) - 1)
    allowed = [(*shape[:1], *columns), (), (1,)]
    reading.helper("weight._scale", allowed, "one for each output")
    reading.compare("bits", 8)
    reading.number_type(tensors["weight._data"])
    if len(shape) == 2:
        reading.activations()
    return reading.result("weight._data", "quanto", shape, 8)


def _is_packed(tensors: Tensors, setting: ModuleSettings) -> bool:
    return len(tensors["weight._data._data"].shape) == 2


def _open_packed(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values = tensors["weight._data._data"]
    scale = tensors.get("weight._scale", tensors.get("weight._shift"))
    rows, columns = values.shape
    size, bits, groups = columns, setting.bits or 4, 0
    reported = [tensors[name] for name in ("weight._scale", "weight._shift") if name in tensors]
    if scale is not None and len(scale.shape) == 2:
        whole = [one for one in reported if 1 in one.shape and one.elements in (rows * 2, rows * 4)]
        scale = whole[0] if whole else scale
        groups = scale.elements
        if scale.shape[0] == 1 and scale.shape[1] == columns:
            size = rows * 8 // bits
        else:
            bits = next((width for width in (4, 2) if -(-groups * width // 8) == rows), 0) or bits
    groups = groups or rows * 8 // bits
    reading.compare("bits", bits)
    last = scale is not None and scale.shape == (1, columns)  # quantized along the last axis
    shape = (1, columns) if last else (groups, 1)
    if not last and -(-groups * bits // 8) != rows:
        reading.widths(f"weight._data._data has {rows} rows", f"weight._scale has {groups} groups")
    reading.helper("weight._scale", [shape], "one for each group", FLOATS)
    reading.helper("weight._shift", [shape], "one for each group", SHIFTS)
    reading.activations()
    return reading.result("weight._data._data", "quanto", (size * groups,), bits, size, shaped=False)


_BITS: Final = {"int2": 2, "int4": 4, "int8": 8, "float8": 8}


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The config of diffusers and transformers, one for all modules; quanto's own file has an entry for each module."""
    if block.key in (QUANTO_FILE, QUANTO_MAP):
        special = tuple((exact(name), _entry(entry)) for name, entry in block.blocks())
        return QuantizationSettings(block.module_settings(skipped=""), special=special)
    return QuantizationSettings(_entry(block), ignored=block.ignored())


def _entry(block: ConfigBlock) -> ModuleSettings:
    weights, inputs = block.text("weights") or block.text("weights_dtype") or "", block.text("activations")
    bits = _BITS.get(weights.removeprefix("q").partition("_")[0])
    return block.module_settings(
        dict.fromkeys(("bits", "number_type"), "weights" if "weights" in block.values else "weights_dtype"),
        bits=bits,
        number_type=None if bits is None else "float" if "float" in weights else "integer",
        activations=None if inputs in (None, "none") else "input_scale",
        shown={"bits": weights, "number_type": weights},
    )


QUANTO = Scheme("quanto", "weight._data", ("weight._scale",), MAY, _in_shape, _open_in_shape)
QUANTO_PACKED = Scheme("quanto-packed", "weight._data._data", ("weight._scale", "weight._shift"), MAY, _is_packed,
                       _open_packed)  # fmt: skip
