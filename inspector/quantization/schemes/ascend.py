"""W8A8 of Ascend's ModelSlim: `weight` I8 [out, in], with the tensors that the NPU multiplies its integer results by.

`deq_scale` (F32 or I64) and `quant_bias` I32, each [out]; `input_scale` and `input_offset` [1]; `weight_scale` and
`weight_offset` [out, 1]. Source: vllm-ascend, `vllm_ascend/quantization/w8a8.py`.
"""

from __future__ import annotations

from inspector.quantization.module import FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings

ONE = [(1,), ()]
NEEDS = ("deq_scale", "quant_bias")
MAY = ("input_scale", "input_offset", "weight_scale", "weight_offset")


def _is_ascend(tensors: Tensors, setting: ModuleSettings) -> bool:
    values = tensors["weight"]
    several = any(name in tensors for name in NEEDS) and sum(name in tensors for name in (*NEEDS, *MAY)) > 1
    return values.dtype == "I8" and len(values.shape) == 2 and several


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    outputs, _ = tensors["weight"].shape
    reading.helper("deq_scale", [(outputs,)], "one for each output", FLOATS | {"I64"})
    reading.helper("quant_bias", [(outputs,)], "one for each output", frozenset({"I32"}))
    for name in MAY:
        each = name.startswith("weight_")
        if name in tensors:
            dtypes = FLOATS | {"I8"} if name.endswith("offset") else FLOATS
            reading.helper(name, [(outputs, 1), (outputs,)] if each else ONE, "", dtypes)
    return reading.result("weight", "ascend-w8a8", tensors["weight"].shape, 8)


ASCEND = Scheme("ascend-w8a8", "weight", NEEDS, MAY, _is_ascend, _open)
