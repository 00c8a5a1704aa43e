"""EXL2, the second format of ExLlama: bits vary within a module.

`q_weight` I32 [rows, out], out padded to 32, `q_scale` I32 [G, out/8], `q_scale_max` [G], `q_groups` I16 [2*G] of
(bits, first row), `q_invperm` [in].
"""

from __future__ import annotations

from collections import Counter

from inspector.loader.packed import Packed
from inspector.quantization.module import FLOATS, INTEGERS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.stated import ModuleSettings


def _is_exl2(tensors: Tensors, setting: ModuleSettings) -> bool:
    return tensors["q_weight"].dtype == "I32" and len(tensors["q_weight"].shape) == 2


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, outputs = tensors["q_weight"].shape
    order, most, pairs = (tensors.get(name) for name in ("q_invperm", "q_scale_max", "q_groups"))
    scale = tensors.get("q_scale")
    counted = [one.shape[0] for one in (most, scale) if one is not None and one.shape]
    counted += [pairs.elements // 2] if pairs is not None else []
    groups = Counter(counted).most_common(1)[0][0] if counted else 1
    reading.helper("q_scale", [(groups, outputs // 8)], "one for each group, 4 bits an output", INTEGERS)
    reading.helper("q_scale_max", [(groups,)], "one for each group", FLOATS)
    reading.helper("q_groups", [(2 * groups,)], "bits and first row of each group", INTEGERS)
    if order is None:
        reading.helper("q_invperm", [()], "one for each input", INTEGERS)
        packed = Packed("exl2", float(setting.bits or 4), None, tensors["q_weight"], known=False)
        return UnpackedTensor(tensors["q_weight"], packed, reading.others("q_weight"), tuple(reading.faults))
    inputs = order.elements
    reading.helper("q_invperm", [(inputs,)], "one for each input", INTEGERS)
    bits = round(32 * rows / inputs, 4) if inputs else 0.0
    low = max(outputs - 31, 1)
    return reading.result("q_weight", "exl2", (outputs, inputs), bits, bounds=((low, outputs), (inputs, inputs)))


EXL2 = Scheme("exl2", "q_weight", ("q_scale", "q_scale_max", "q_groups", "q_invperm"), ("q_perm", "q_group_map"),
              _is_exl2, _open)  # fmt: skip
