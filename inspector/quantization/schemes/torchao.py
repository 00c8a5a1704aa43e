"""torchao's safetensors: `_weight_qdata`, `_weight_scale`, `_weight_zero_point` represent `weight`.

int8 and float8 keep the shape, and so do unpacked integers of fewer bits, one per byte. Packed
4-bit integers are packed two per byte along the input.
"""

from __future__ import annotations

import re
from typing import Final

from inspector.loader.dtype import BITS
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import FLOAT8, ModuleReading, Scheme, Tensors, UnpackedTensor, product
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings


def _is_torchao(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["_weight_qdata"]
    return len(values.shape) >= 2 and (values.dtype in FLOAT8 or BITS[values.dtype] == 8 or len(values.shape) == 4)


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["_weight_qdata"], tensors.get("_weight_scale")
    shape = values.shape
    if values.dtype in ("U8",) and setting.bits == 4:
        shape = (*shape[:-1], 2 * shape[-1])
    reading.number_type(values)
    rows = product(shape[:-1])
    whole = scale is None or scale.elements == 1 or scale.shape in ((*shape[:-1], scale.shape[-1]), (rows,))
    allowed = (
        (rows,) if setting.strategy == "channel" else (1, rows, rows * -(-shape[-1] // (setting.group_size or 128)))
    )
    if scale is None or not whole or scale.elements not in allowed:
        sizes = () if setting.strategy == "channel" else (16, 32, 64, 128, 256)
        groups = next((size for size in sizes if scale and whole and scale.elements * size == product(shape)), 0)
        if not groups:
            whole = False
            reading.helper("_weight_scale", [(*shape[:-1], 1)], "one for each output")
    if scale is not None:
        each = scale.shape if whole else (*shape[:-1], 1)
        reading.helper("_weight_zero_point", [each], "one for each scale", required=setting.zeros is True)
        if whole:
            reading.helper("_weight_scale", [scale.shape])
    fewer = setting.bits is not None and 0 < setting.bits < 8 and values.dtype not in FLOAT8
    bits = setting.bits if fewer and setting.bits is not None else 8
    return reading.result("_weight_qdata", "torchao", shape, bits, setting.group_size)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The torchao config: the name of a method, or a config object as its class writes it."""
    kind = block.text("quant_type")
    data = block.inner("quant_type").inner("default").inner("_data")
    integers = re.fullmatch(r"int(\d\d?)", data.inner("weight_dtype").text("_data") or "")
    bits = int(integers[1]) if integers else None
    if kind is not None:
        bits = 4 if "int4" in kind else 8 if "8" in kind else None
    size = block.inner("quant_type_kwargs").integer("group_size") if kind is not None else None
    rows = data.inner("granularity").text("_type") == "PerRow"
    name = kind or block.inner("quant_type").inner("default").text("_type") or ""
    base = block.module_settings(
        {"number_type": "quant_type"},
        bits=bits,
        group_size=size,
        strategy="channel" if rows else None,
        number_type=next((number for words, number in NUMBER_TYPES.items() if name.casefold().endswith(words)), None),
        zeros=True if "intx" in name.casefold() else None,
        shown={"number_type": name},
    )
    return QuantizationSettings(base, ignored=block.ignored())


NUMBER_TYPES: Final = {
    "float8_weight_only": "float", "float8weightonlyconfig": "float", "float8weightconfig": "float",
    "int8_weight_only": "integer", "int8weightonlyconfig": "integer", "int8weightconfig": "integer",
    "intxweightonlyconfig": "integer", "intxweightconfig": "integer",
}  # fmt: skip
"""End of the name of a method or config -> whether the stored values are floats or integers."""
MAY = ("_weight_zero_point", "_weight_act_quant_scale", "_weight_act_pre_scale")
TORCHAO = Scheme("torchao", "_weight_qdata", ("_weight_scale",), MAY, _is_torchao, _open)
