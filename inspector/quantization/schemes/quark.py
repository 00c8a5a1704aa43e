"""Quark's 4-bit integers: `weight` I32 [in, out/8], transposed as in AWQ. Its other formats are in fp8 and modelopt.

`weight_scale` [in/g, out], `weight_zero_point` I32 [in/g, out/8], stored for symmetric weights too. Without groups
`weight` I32 [out, in/8] and `weight_scale` [out] or one number (amd-quark 0.13, `utils/pack.py`).
"""

from __future__ import annotations

from typing import Final

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.schemes.awq import packed_outputs
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import listed

WITHOUT_GROUPS: Final = ("per_channel", "per_tensor")


def _is_words(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if values.dtype != "I32" or len(values.shape) < 2:
        return False
    if scale is not None:
        return len(scale.shape) == len(values.shape)
    return (setting.method == "quark" or "weight_zero_point" in tensors) and setting.variant not in WITHOUT_GROUPS


def _words(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    names = ("weight", "weight_scale", "weight_zero_point")
    return packed_outputs(tensors, setting, names, "quark-int4", zeros=True)


def _is_rows(tensors: Tensors, setting: ModuleSettings) -> bool:
    scale = tensors.get("weight_scale")
    without = len(scale.shape) < 2 if scale is not None else setting.variant in WITHOUT_GROUPS
    return without and len(tensors["weight"].shape) == 2


def _rows(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """Opens weights with one scale for each output, or one for all outputs; these are not transposed."""
    reading = ModuleReading(tensors, setting)
    outputs, columns = tensors["weight"].shape
    reading.compare("bits", 4)
    scale = tensors.get("weight_scale")
    whole = setting.variant == "per_tensor" if setting.variant or scale is None else scale.elements == 1
    reading.helper("weight_scale", [(), (1,)] if whole else [(outputs,)], "one for each output")
    reading.helper("weight_zero_point", [(), (1,)] if whole else [(outputs // 8,)], "8 in a word", required=False)
    return reading.result("weight", "quark-int4", (outputs, 8 * columns), 4, -1)


_DTYPES: Final = {"int4": 4, "uint4": 4, "int8": 8, "uint8": 8, "fp8_e4m3": 8, "fp8_e5m2": 8, "fp4": 4, "mxfp4": 4,
                  "fp6_e3m2": 6, "fp6_e2m3": 6,
                  "int2": 2, "int3": 3}  # fmt: skip
_STRATEGIES: Final = {"per_tensor": "tensor", "per_channel": "channel", "per_group": "group"}


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The Quark config: one for all modules, others for modules that match a pattern."""
    layers = block.inner("layer_quant_config").blocks()
    special = tuple((listed(name), _layer(layer)) for name, layer in layers)
    return QuantizationSettings(
        _layer(block.inner("global_quant_config")), special=special, ignored=block.ignored("exclude")
    )


def _layer(block: ConfigBlock) -> ModuleSettings:
    several = block.values.get("weight")
    if isinstance(several, list) and several:
        block = ConfigBlock(block.key, {**block.values, "weight": several[0]}, block.method)
    weight = block.inner("weight")
    dtype = weight.text("dtype") or ""
    bits = _DTYPES.get(dtype)
    return weight.module_settings(
        {"bits": "dtype", "strategy": "qscheme", "number_type": "dtype"},
        bits=bits,
        number_type=None if bits is None else "float" if "fp" in dtype else "integer",
        group_size=weight.integer("group_size"),
        variant=weight.text("qscheme"),
        strategy=_STRATEGIES.get(weight.text("qscheme") or "") if bits == 8 else None,
        activations="input_scale" if block.inner("input_tensors").truth("is_dynamic") is False else None,
        shown={
            "bits": weight.text("dtype") or "",
            "number_type": weight.text("dtype"),
            "strategy": weight.values.get("qscheme"),
        },
    )


QUARK = Scheme("quark-int4", "weight", ("weight_scale", "weight_zero_point"), ("input_scale",), _is_words, _words)
ROWS = Scheme("quark-int4", "weight", ("weight_scale",), ("weight_zero_point", "input_scale"), _is_rows, _rows)
