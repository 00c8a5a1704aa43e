"""BitNet: four ternary values in a byte along the output, `weight` U8 [ceil(out/4), in], and one `weight_scale`.

AutoBitLinear may store the unpacked float weight together with the scale (online mode).
"""

from __future__ import annotations

from typing import Final

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor, is_scalar
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

AUTO_BIT_LINEAR: Final = "autobitlinear"
"""The `linear_class` of modules that also accept float weights."""


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The bitnet config of transformers; variant is its class of linear modules."""
    base = block.module_settings({"variant": "linear_class"}, variant=block.text("linear_class"))
    return QuantizationSettings(base, ignored=block.ignored())


def _is_packed(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if values.dtype != "U8" or len(values.shape) != 2:
        return False
    if setting.method in ("modelopt", "quark"):
        return False
    return setting.method == "bitnet" if scale is None else is_scalar(scale)


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, inputs = tensors["weight"].shape
    reading.helper("weight_scale", [(1,), ()], "one number", FLOATS)
    known = [dim for dim in setting.dims if 4 * rows - 3 <= dim < 4 * rows]
    outputs = known[0] if len(known) == 1 and 4 * rows not in setting.dims else 4 * rows
    bounds = ((4 * rows - 3, 4 * rows), (inputs, inputs))
    return reading.result("weight", "bitnet", (outputs, inputs), 2, bounds=bounds)


def _is_online(tensors: Tensors, setting: ModuleSettings) -> bool:
    scale = tensors.get("weight_scale")
    return tensors["weight"].dtype in FLOATS and scale is not None and is_scalar(scale)


def _open_online(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    return UnpackedTensor(tensors["weight"], None, tuple(name for name in tensors if name not in ("weight", "bias")))


BITNET = Scheme("bitnet", "weight", ("weight_scale",), ("input_scale",), _is_packed, _open)
BITNET_ONLINE = Scheme("bitnet-online", "weight", ("weight_scale",), ("input_scale",), _is_online, _open_online)
