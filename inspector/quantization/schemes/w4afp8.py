"""W4AFP8 of TensorRT-LLM and SGLang: experts of 4-bit integers, two in a byte along the inputs, and fp8 for the rest.

`weight` I8 [out, in/2], `weight_scale_inv` [out, in/128] and one `input_scale` for each matrix of an expert; all other
linear layers are fp8 with a `weight_scale_inv` for each block of 128 x 128. Sources: `W4AFp8Config` and
`W4AFp8MoEMethod` in SGLang's `layers/quantization/w4afp8.py` and of the same names in vLLM, which take 1 for a scale of
the inputs that is not stored; TensorRT-LLM refuses experts without one.
"""

from __future__ import annotations

from typing import Final

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import SCALE_DTYPES, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

METHOD: Final = "w4afp8"
GROUP: Final = 128
ACTIVATIONS: Final = "input_scale"
STATIC: Final = "static"
"""How the inputs of experts are scaled, if the config does not state it."""


def _is_w4afp8(tensors: Tensors, setting: ModuleSettings) -> bool:
    """True if integers have a scale for each row and group of inputs, or if the config states the method."""
    values, scale = tensors["weight"], tensors.get("weight_scale_inv")
    if values.dtype != "I8" or len(values.shape) < 2:
        return False
    if scale is None:
        return setting.method == METHOD
    rows, width = values.shape[-2], 2 * values.shape[-1]
    return rows > 1 and scale.shape == (*values.shape[:-1], -(-width // GROUP)) and scale.dtype in SCALE_DTYPES


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    *rows, halves = tensors["weight"].shape
    width = 2 * halves
    reading.helper("weight_scale_inv", [(*rows, -(-width // GROUP))], f"one for each row and {GROUP} inputs")
    reading.helper(ACTIVATIONS, [(1,), (), tuple(rows[:-1])], required=setting.variant == STATIC)
    return reading.result("weight", METHOD, (*rows, width), 4, GROUP)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The config of SGLang, whose blocks and groups are always of 128."""
    scheme = block.text("moe_activation_scheme") or STATIC
    base = block.module_settings({"variant": "moe_activation_scheme"}, variant=scheme)
    return QuantizationSettings(base, ignored=block.ignored())


W4AFP8 = Scheme(METHOD, "weight", ("weight_scale_inv",), (ACTIVATIONS,), _is_w4afp8, _open)
