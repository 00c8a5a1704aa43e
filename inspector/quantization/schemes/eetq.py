"""EETQ: `weight` I8 stored transposed, [in, out], with `weight_scales` [out]."""

from __future__ import annotations

from inspector.quantization.module import FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings


def _is_eetq(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight"]
    return values.dtype == "I8" and len(values.shape) == 2 and ("weight_scales" in tensors or setting.method == "eetq")


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    inputs, outputs = tensors["weight"].shape
    reading.helper("weight_scales", [(outputs,)], "one for each output", FLOATS)
    return reading.result("weight", "eetq", (outputs, inputs), 8)


EETQ = Scheme("eetq", "weight", ("weight_scales",), (), _is_eetq, _open)
