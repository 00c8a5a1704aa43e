"""EXL2 and EXL3, ExLlama's formats: bits vary within a model, and in EXL2 within a module.

EXL2: `q_weight` I32 [rows, out], out padded to 32, `q_scale` [G, out/8], `q_scale_max` [G], `q_groups` I16 [2*G],
`q_invperm` [in]. EXL3: `trellis` I16 [in/16, out/16, 16*K] with `suh` [in] or `su` [in/16] and `svh` [out] or `sv`
[out/16]; inputs and outputs may be padded to 128.
"""

from __future__ import annotations

from inspector.packing.module import Opened, Reading, Scheme, Tensors, ceil_div
from inspector.packing.said import Said


def _is_exl2(tensors: Tensors, said: Said) -> bool:
    return tensors["q_weight"].dtype == "I32" and len(tensors["q_weight"].shape) == 2


def _exl2(tensors: Tensors, said: Said) -> Opened:
    reading = Reading(tensors, said)
    rows, outputs = tensors["q_weight"].shape
    order, most, pairs = (tensors.get(name) for name in ("q_invperm", "q_scale_max", "q_groups"))
    groups = most.elements if most is not None else pairs.elements // 2 if pairs is not None else 1
    reading.helper("q_scale", [(groups, outputs // 8)], "one for each group, 4 bits an output")
    reading.helper("q_scale_max", [(groups,)], "one for each group")
    reading.helper("q_groups", [(2 * groups,)], "bits and first row of each group")
    inputs = order.elements if order is not None else 32 * rows // (said.bits or 4)
    reading.helper("q_invperm", [(inputs,)], "one for each input")
    bits = round(32 * rows / inputs, 4) if inputs else 0.0
    low = max(outputs - 31, 1)
    return reading.opened("q_weight", "exl2", (outputs, inputs), bits, bounds=((low, outputs), (inputs, inputs)))


def _is_exl3(tensors: Tensors, said: Said) -> bool:
    return tensors["trellis"].dtype == "I16" and len(tensors["trellis"].shape) == 3


def _exl3(tensors: Tensors, said: Said) -> Opened:
    reading = Reading(tensors, said)
    rows, columns, width = tensors["trellis"].shape
    inputs, outputs = 16 * rows, 16 * columns
    for long, short, size in (("suh", "su", inputs), ("svh", "sv", outputs)):
        name = short if short in tensors and long not in tensors else long
        reading.helper(name, [(size,)] if name == long else [(ceil_div(size, 16),), (size,)], "its signs")
    bounds = ((max(outputs - 127, 1), outputs), (max(inputs - 127, 1), inputs))
    return reading.opened("trellis", "exl3", (outputs, inputs), width / 16, bounds=bounds)


EXL2 = Scheme("exl2", "q_weight", ("q_scale", "q_scale_max", "q_groups", "q_invperm"), ("q_perm", "q_group_map"),
              _is_exl2, _exl2)  # fmt: skip
EXL3 = Scheme("exl3", "trellis", (), ("suh", "su", "svh", "sv", "mcg", "mul1"), _is_exl3, _exl3)
