"""Gemma in integers, as `integrations/gemma_quant.py` of transformers 5.23 reads it: one scale for each row.

`weight` U8 [out, in/2] of 4 bits or [out, in/4] of 2 bits, or I8 [out, in], with `weight_scale` [out, 1] and the scales
of what goes in and out, `input_activation_scale` and `output_activation_scale`, each one number. An embedding is
`embedding_quantized` with `embedding_scale` [rows, 1], or one for each block of a row.
"""

from __future__ import annotations

from msgspec.structs import replace

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import regex

ACTIVATIONS = ("input_activation_scale", "output_activation_scale")
WIDTHS = (4, 2)
USUAL = 4
"""The bits if the block states none."""
ROWS = "embedding_quantized"


def _is_linear(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight"]
    named = any(name in tensors for name in ACTIVATIONS) and "weight_scale" in tensors
    return len(values.shape) == 2 and (setting.method == "gemma" or named)


def _linear(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    reading.helper("weight_scale", [(tensors["weight"].shape[0], 1)], "one for each output", FLOATS)
    for name in ACTIVATIONS:
        reading.helper(name, [()], "one number", FLOATS, required=False)
    return _unpacked(reading, "weight")


def _is_embedding(tensors: Tensors, setting: ModuleSettings) -> bool:
    return len(tensors[ROWS].shape) == 2


def _embedding(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, scale = tensors[ROWS].shape[0], tensors.get("embedding_scale")
    blocks = scale.shape[-1] if scale is not None and len(scale.shape) == 2 and scale.shape[0] == rows else 1
    reading.helper("embedding_scale", [(rows, blocks)], "one for each row", FLOATS)
    return _unpacked(reading, ROWS)


def _unpacked(reading: ModuleReading, suffix: str) -> UnpackedTensor:
    values, setting = reading.tensors[suffix], reading.setting
    rows, width = values.shape
    if values.dtype == "I8":
        reading.compare("bits", 8)
        return reading.result(suffix, "gemma", (rows, width), 8)
    fitting = [bits for bits in WIDTHS if width * 8 // bits in setting.dims]
    stated = setting.bits if setting.bits in WIDTHS else None
    bits = stated if stated in fitting or (stated and not fitting) else (*fitting, USUAL)[0]
    reading.compare("bits", bits)
    most = width * 8 // bits
    least = (width - 1) * 8 // bits + 1
    inputs = next((dim for dim in range(most, least - 1, -1) if dim in setting.dims), most)
    bounds = () if inputs in setting.dims else ((rows, rows), (least, most))
    return reading.result(suffix, "gemma", (rows, inputs), bits, bounds=bounds)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The bits of all modules, and those of each name pattern; the first matching pattern counts."""
    base = block.module_settings({"bits": "num_bits"}, bits=block.integer("num_bits") or USUAL)
    patterns = block.inner("module_quant_configs")
    special = [
        (regex(text, anywhere=True), replace(base, bits=bits, keys={**base.keys, "bits": f"{one.key}.num_bits"}))
        for text, one in patterns.blocks()
        if (bits := one.integer("num_bits")) is not None
    ]
    return QuantizationSettings(base, special=tuple(reversed(special)), ignored=block.ignored("modules_to_not_convert"))


LINEAR = Scheme("gemma", "weight", ("weight_scale",), ACTIVATIONS, _is_linear, _linear)
EMBEDDING = Scheme("gemma", ROWS, ("embedding_scale",), (), _is_embedding, _embedding)
