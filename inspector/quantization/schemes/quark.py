"""Quark's integers of 4 bits: `weight` I32 [in, out/8], transposed as AWQ's; its other forms are fp8's and modelopt's.

`weight_scale` [in/g, out], `weight_zero_point` I32 [in/g, out/8], stored for symmetric weights too.
"""

from __future__ import annotations

from inspector.quantization.module import Opened, Reading, Scheme, Tensors, ceil_div, group_of, groups_reported
from inspector.quantization.stated import Said


def _is_words(tensors: Tensors, said: Said) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if values.dtype != "I32" or len(values.shape) < 2:
        return False
    if scale is not None:
        return len(scale.shape) == len(values.shape)
    return said.method == "quark" or "weight_zero_point" in tensors


def _words(tensors: Tensors, said: Said) -> Opened:
    reading = Reading(tensors, said)
    values, scale, zeros = tensors["weight"], tensors.get("weight_scale"), tensors.get("weight_zero_point")
    *lead, inputs, columns = values.shape
    bits = said.bits or 4
    if scale is not None:
        bits = next((width for width in (4, 8, 2) if columns * 32 == scale.shape[-1] * width), bits)
    outputs = columns * 32 // bits
    shown = scale if scale is not None else zeros
    groups = groups_reported(tensors, ("weight_scale", "weight_zero_point"), -2, inputs, said.group_size)
    size = group_of(inputs, groups, said.group_size)
    reading.compare("bits", bits)
    if said.group_size is not None and shown is not None:
        wanted = 1 if said.group_size <= 0 else ceil_div(inputs, said.group_size)
        reading.compare("group_size", said.group_size if wanted == groups else size or inputs)
    reading.helper("weight_scale", [(*lead, groups, outputs)], "one for each group and output")
    reading.helper("weight_zero_point", [(*lead, groups, columns)], f"{bits} bits for each group and output")
    return reading.opened("weight", "quark-int4", (*lead, outputs, inputs), bits, size)


QUARK = Scheme("quark-int4", "weight", ("weight_scale", "weight_zero_point"), ("input_scale",), _is_words, _words)
