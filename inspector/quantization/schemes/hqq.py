"""HQQ: `W_q` with `scale` and `zero`, the weight reshaped to groups; the header determines elements but not the shape.

M values become [M/g, g] (axis 1) or [g, M/g] (axis 0) and are packed along the first dim: 8, 4, 2, 1 bit in bytes,
3 bit ten in a word of I32. `scale`, `zero` are [M/g, 1] or [1, M/g]. Every setting is a separate tensor.
"""

from __future__ import annotations

from inspector.loader.layout import Layout
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import FLOATS, GROUPS, ModuleReading, Scheme, Tensors, UnpackedTensor, ceil_div
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import listed

SETTINGS = ("axis", "channel_wise", "compute_dtype", "encoded_state_dict", "group_size", "nbits", "offload_meta",
            "optimize", "packing", "quant_scale", "quant_zero", "round_zero", "shape", "stores_quant_config",
            "unpack_view_dtype", "view_as_float", "scale_q", "zero_q", "zero_scale", "meta", "quantized")  # fmt: skip
NEEDED = ("shape", "nbits", "group_size", "axis", "packing", "view_as_float", "quant_scale", "quant_zero",
          "offload_meta", "encoded_state_dict", "compute_dtype", "unpack_view_dtype", "stores_quant_config",
          "channel_wise", "optimize", "round_zero")  # fmt: skip
"""Settings that each module has if it has any. Measured with transformers 4.57 and hqq 0.2.8: without any one of them
the load ends in KeyError (`HqqHfQuantizer.update_expected_keys` expects all keys of `HQQLinear.state_dict_keys`).
"""
IN_BYTE = {8: 1, 4: 2, 2: 4, 1: 8}


def _is_hqq(tensors: Tensors, setting: ModuleSettings) -> bool:
    return len(tensors["W_q"].shape) == 2 and setting.method != "sinq"


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values = tensors["W_q"]
    shown = tensors.get("scale", tensors.get("zero"))
    rows, columns = values.shape
    if shown is None or len(shown.shape) != 2:
        bits = setting.bits or (3 if values.dtype == "I32" else 4)
        size = setting.group_size or 64
        elements = rows * columns * _each(bits)
        reading.helper("scale", [(elements // size, 1)])
        reading.helper("zero", [(elements // size, 1)])
        return reading.result("W_q", "hqq", (elements,), bits, size, shaped=False, padding=elements % 10)
    across = any(shape == (1, columns) for shape in _shapes(tensors))  # axis 0
    groups = columns if across else _groups(values, tensors, setting)
    if across:
        bits, size = _of_axis_0(rows, values.dtype, setting)
    else:
        size = columns
        bits = next((b for b in (4, 8, 2, 1, 3) if _packs(b, values.dtype) and ceil_div(groups, _each(b)) == rows), 0)
    if not bits:
        bits = setting.bits or 4
        reading.widths(f"W_q has {rows} rows of {_each(bits)} values", f"scale has {groups} groups")
    reading.compare("bits", bits)
    if setting.group_size is not None and setting.group_size > 0:
        reading.compare("group_size", size)
    for helper in ("scale", "zero"):
        reading.helper(helper, [(1, groups) if across else (groups, 1)], "one for each group", FLOATS)
    if any(name in tensors for name in NEEDED):
        for name in NEEDED:
            shape = (2,) if name == "shape" else tensors[name].shape if name in tensors else ()
            reading.helper(name, [shape])
    if across and (setting.bits, setting.group_size) != (bits, size):  # the rows may have any bits with other groups
        most = values.elements * (10 if values.dtype == "I32" else 8)
        return reading.result("W_q", "hqq", (most,), bits, size, shaped=False, padding=most - values.elements)
    return reading.result("W_q", "hqq", (size * groups,), bits, size, shaped=False)


def _shapes(tensors: Tensors) -> list[tuple[int, ...]]:
    return [tensors[name].shape for name in ("scale", "zero") if name in tensors]


def _groups(values: Layout, tensors: Tensors, setting: ModuleSettings) -> int:
    """Number of groups by scale and zero; if they differ, the number that fills the packed rows.

    Ten 3-bit values share a word, and the last word may be partly filled: the number must then fill rows of one of the
    model's widths.
    """
    rows, columns = values.shape
    reported = list(dict.fromkeys(shape[0] for shape in _shapes(tensors) if shape))
    for bits in (setting.bits or 4, 4, 8, 2, 1):
        for groups in reported if _packs(bits, values.dtype) else ():
            if groups == rows * _each(bits):
                return groups
    filling = [groups for groups in reported if _packs(3, values.dtype) and ceil_div(groups, 10) == rows]
    whole = (groups for groups in filling if any(groups * columns % dim == 0 for dim in setting.dims))
    return next(whole, (*filling, *reported)[0])


def _packs(bits: int, dtype: str) -> bool:
    return (dtype == "I32") == (bits == 3)


def _each(bits: int) -> int:
    """Number of values in one stored element."""
    return IN_BYTE.get(bits, 10)


def _of_axis_0(rows: int, dtype: str, setting: ModuleSettings) -> tuple[int, int]:
    packs = setting.bits is not None and _packs(setting.bits, dtype)
    if packs and setting.bits and setting.group_size and ceil_div(setting.group_size, _each(setting.bits)) == rows:
        return setting.bits, setting.group_size
    if dtype == "I32":
        if setting.group_size and 10 * (rows - 1) < setting.group_size <= 10 * rows:
            return 3, setting.group_size
        usual = (size for size in GROUPS if 10 * (rows - 1) < size <= 10 * rows)
        return 3, next(usual, 10 * rows)
    filling = next((bits for bits, each in IN_BYTE.items() if each * rows == setting.group_size), None)
    if filling is not None and setting.group_size:
        return filling, setting.group_size
    bits = setting.bits if setting.bits in IN_BYTE else 4
    return bits, IN_BYTE[bits] * rows


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The HQQ config: one for all modules, or one for each module name."""
    config = block.inner("quant_config")
    special = []
    for name, layer in config.blocks() if config.values.get("weight_quant_params") is None else ():
        inner = layer.inner("weight_quant_params")
        special.append((listed(name), _entry(inner if inner.values else layer)))
    return QuantizationSettings(
        _entry(config.inner("weight_quant_params")), special=tuple(special), ignored=block.ignored()
    )


def _entry(block: ConfigBlock) -> ModuleSettings:
    return block.module_settings({"bits": "nbits"}, bits=block.integer("nbits"), group_size=block.integer("group_size"))


HQQ = Scheme("hqq", "W_q", ("scale", "zero"), SETTINGS, _is_hqq, _open)
