"""ComfyUI's fp8: `weight` in F8 [out, in], `scale_weight` and sometimes `scale_input`, each one F32 number.

A tensor `scaled_fp8` without a module marks the file. Source: ComfyUI, `comfy/ops.py` (`scaled_fp8_ops`).
"""

from __future__ import annotations

from inspector.quantization.module import FLOAT8, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings

ONE = [(), (1,)]


def _is_scaled(tensors: Tensors, setting: ModuleSettings) -> bool:
    return tensors["weight"].dtype in FLOAT8 and "scale_weight" in tensors


def _scaled(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    reading.helper("scale_weight", ONE, "one for the matrix")
    if "scale_input" in tensors:
        reading.helper("scale_input", ONE, "one for the inputs")
    reading.compare("bits", 8)
    return reading.result("weight", "fp8-comfy", tensors["weight"].shape, 8)


COMFY = Scheme("fp8-comfy", "weight", ("scale_weight",), ("scale_input",), _is_scaled, _scaled)
