"""Weights repacked for Marlin kernels: tiles of 16 inputs, b bits of 16 outputs in 32-bit words, scales [in/g, out].

GPTQ and AutoAWQ: `B` or `qweight` I32 [in/16, out*b/2]. QQQ adds a float32 scale for each output, and has no groups
where `s_group` is empty. 2:4 sparse: `weight_packed` I32 [in/32, out*b/2], `meta` I16 [in/32, 2*out]. Sources: vLLM's
`gptq_marlin_24.py`, AutoAWQ's `linear/marlin.py`, GPTQModel's `qlinear/qqq.py`.
"""

from __future__ import annotations

from functools import partial

from inspector.findings.types.obsolete import MARLIN, PackingObsolete
from inspector.quantization.module import ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings

WIDTHS = (4, 8)


def _recognised(values: str, scales: str, tensors: Tensors, setting: ModuleSettings) -> bool:
    stored, scale = tensors[values], tensors.get(scales)
    if len(stored.shape) != 2 or "qzeros" in tensors:
        return False
    if setting.variant == "marlin" or "meta" in tensors:
        return scale is None or len(scale.shape) == 2
    if values == "B":
        return scale is not None and len(scale.shape) == 2
    return (
        scale is not None
        and len(scale.shape) == 2
        and 2 * stored.shape[1] in [scale.shape[1] * bits for bits in WIDTHS]
    )


def _opened(values: str, scales: str, tile: int, tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, columns = tensors[values].shape
    scale = tensors.get(scales)
    inputs = tile * rows
    width = scale.shape[1] if scale is not None and len(scale.shape) > 1 else 0
    bits = next((bits for bits in WIDTHS if width * bits == 2 * columns), setting.bits or 4)
    outputs = 2 * columns // bits
    if outputs * bits != 2 * columns:
        reading.widths(f"{values} has {columns} columns of {bits} bits", f"{scales} has {width} outputs")
    reading.compare("bits", bits)
    size: int | None = -1
    if scales == "s_channel":
        reading.helper(scales, [(1, outputs)], "one for each output")
        if "s_group" in tensors and tensors["s_group"].elements:
            groups, size = reading.grouped(("s_group",), 0, inputs)
            reading.helper("s_group", [(groups, outputs)], "one for each group and output")
        elif "s_group" in tensors:
            reading.compare("group_size", size)
    else:
        groups, size = reading.grouped((scales,), 0, inputs)
        reading.helper(scales, [(groups, outputs)], "one for each group and output")
    if tile == 32:
        reading.helper("meta", [(inputs // 32, 2 * outputs)], "positions of the values that are kept")
    if (values, scales) == ("B", "s"):
        reading.faults.append(PackingObsolete(layout=MARLIN))
    return reading.result(values, "qqq" if scales == "s_channel" else "marlin", (outputs, inputs), bits, size)


_is_gptq, _gptq = partial(_recognised, "B", "s"), partial(_opened, "B", "s", 16)
_is_qqq, _qqq = partial(_recognised, "B", "s_channel"), partial(_opened, "B", "s_channel", 16)
_is_awq, _awq = partial(_recognised, "qweight", "scales"), partial(_opened, "qweight", "scales", 16)
_is_sparse = partial(_recognised, "weight_packed", "scale_packed")
_sparse = partial(_opened, "weight_packed", "scale_packed", 32)
GPTQ = Scheme("marlin", "B", ("s",), ("workspace",), _is_gptq, _gptq)
QQQ = Scheme("qqq", "B", ("s_channel",), ("s_group", "workspace"), _is_qqq, _qqq)
AWQ = Scheme("marlin", "qweight", ("scales",), ("workspace",), _is_awq, _awq)
SPARSE = Scheme("marlin", "weight_packed", ("scale_packed",), ("meta", "workspace"), _is_sparse, _sparse)
