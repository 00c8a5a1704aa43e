"""FP-Quant: two values in a byte of `qweight` [out, in/2], `scales` U8 [out, in/32] (mxfp4) or [out, in/16] (nvfp4).

Pseudo-quantized weights are `dqweight` [out, in] in floats. Both have two global scales and two Hadamard matrices
[h, h] (fp_quant 0.3, `module/linear.py`).
"""

from __future__ import annotations

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import BYTES, FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

ONE = ("weight_global_scale", "act_global_scale")
MATRICES = ("forward_hadamard_matrix", "backward_hadamard_matrix")
SIZES = (32, 16)
"""Number of values that share a scale in mxfp4 and nvfp4."""


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The config of FP-Quant."""
    size = {"mxfp4": 32, "nvfp4": 16}.get(block.text("forward_dtype") or "")
    base = block.module_settings({"group_size": "forward_dtype"}, bits=4, group_size=size,
                                 shown={"group_size": block.text("forward_dtype")})  # fmt: skip
    return QuantizationSettings(base, ignored=block.ignored())


def _is_fp_quant(tensors: Tensors, setting: ModuleSettings) -> bool:
    named = setting.method == "fp-quant" and not {"qzeros", "g_idx"} & tensors.keys()
    return named or any(name in tensors for name in (*MATRICES, "act_global_scale"))


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    *rows, columns = tensors["qweight"].shape
    scales = tensors.get("scales")
    fits = (size for size in SIZES if scales is not None and scales.shape[-1:] == (2 * columns // size,))
    size = next(fits, setting.group_size or SIZES[0])
    reading.compare("group_size", size)
    reading.helper("scales", [(*rows, 2 * columns // size)], f"one for {size} values", BYTES)
    _globals(reading)
    return reading.result("qweight", "fp-quant", (*rows, 2 * columns), 4, size)


def _open_floats(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    _globals(reading)
    return reading.result("dqweight", "fp-quant", tensors["dqweight"].shape, 4)


def _globals(reading: ModuleReading) -> None:
    for name in ONE:
        reading.helper(name, [(1,)], "one number", FLOATS)
    for name in MATRICES:
        stored = reading.tensors.get(name)
        size = stored.shape[-1] if stored is not None and stored.shape else reading.setting.group_size or 0
        reading.helper(name, [(size, size)], "a rotation")


FP_QUANT = Scheme("fp-quant", "qweight", ("scales", *ONE, *MATRICES), (), _is_fp_quant, _open)
FLOATS_ONLY = Scheme("fp-quant", "dqweight", (*ONE, *MATRICES), (), _is_fp_quant, _open_floats)
