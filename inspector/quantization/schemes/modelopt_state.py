"""ModelOpt's state before its export: values as `mtq.compress` packs them in `weight`, and scales in quantizers.

NVFP4: U8 [..., out, in/2] with `weight_quantizer._scale` F8_E4M3 [..., out, in/16] and `_double_scale`. FP8: F8_E4M3
[..., out, in] with a `_scale`. INT4: U8 [..., out, in/2] with a `_scale` for each block. Quantizers of inputs and
outputs keep `_amax`, and `_pre_quant_scale` of AWQ. Without `mtq.compress` the weights stay floats, next to `_amax`.

Source: `torch/quantization/nn/modules/tensor_quantizer.py` and `qtensor` of ModelOpt 0.47, whose `export_hf_checkpoint`
computes the exported scales from them.
"""

from __future__ import annotations

from inspector.findings.types.unexported import CalibrationOfModelopt, StateOfModelopt
from inspector.quantization.missing_block import STATE_OF_QUANTIZERS
from inspector.quantization.module import FLOAT8, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings

SCALE = "weight_quantizer._scale"
RANGE = "weight_quantizer._amax"
OF_INPUTS = ("input_quantizer._amax", "input_quantizer._pre_quant_scale", "output_quantizer._amax")
STATE = (
    "weight_quantizer._double_scale", RANGE, "weight_quantizer._scale_zeros", "weight_quantizer._pre_quant_scale",
    *OF_INPUTS,
)  # fmt: skip
NAME = STATE_OF_QUANTIZERS


def _is_state(tensors: Tensors, setting: ModuleSettings) -> bool:
    return SCALE in tensors and len(tensors["weight"].shape) > 1


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    values, scale = tensors["weight"], tensors[SCALE]
    *rows, width = values.shape
    bits = 8 if values.dtype in FLOAT8 or values.dtype == "I8" else 4
    inputs = width * 8 // bits
    groups = scale.shape[-1] if scale.shape[:-1] == values.shape[:-1] else 0
    size = inputs // groups if groups and inputs % groups == 0 else None
    stored = tuple(name for name in (SCALE, *STATE) if name in tensors)
    reading = ModuleReading(tensors, setting, faults=[StateOfModelopt(stored=stored)])
    return reading.result("weight", NAME, (*rows, inputs), bits, size)


def _is_calibrated(tensors: Tensors, setting: ModuleSettings) -> bool:
    return SCALE not in tensors and any(name in tensors for name in (RANGE, *OF_INPUTS))


def _open_calibrated(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    stored = tuple(name for name in STATE if name in tensors)
    reading = ModuleReading(tensors, setting)
    return UnpackedTensor(tensors["weight"], None, reading.others("weight"), (CalibrationOfModelopt(stored=stored),))


CALIBRATED = Scheme(NAME, "weight", (RANGE,), STATE, _is_calibrated, _open_calibrated)
STATE_OF_MODELOPT = Scheme(NAME, "weight", (SCALE,), STATE, _is_state, _open)
