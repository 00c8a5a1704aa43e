"""ModelOpt's and Quark's bytes: values of 4 bits in `weight` U8, told apart by the scales beside them.

NVFP4: [out, in/2] with `weight_scale` F8_E4M3 [out, in/16] and `weight_scale_2` []. MXFP4 (both tools): [out, in/2]
with bytes [out, in/32]. INT4-AWQ and W4A8: packed along the *output*, [out/2, in] with `weight_scale` [out, in/g];
W4A8 has `weight_scale_2`. `input_scale`, `pre_quant_scale` [in] may be beside each.
"""

from __future__ import annotations

from inspector.quantization.module import BYTES, FLOAT8, FLOATS, Opened, Reading, Scheme, Tensors, ceil_div, group_of
from inspector.quantization.stated import Said

MAY = ("weight_scale_2", "input_scale", "pre_quant_scale", "weight_zero_point", "input_scale_2", "input_amax",
       "weight_scale_inv", "input_zero_point")  # fmt: skip


def _is_halves(tensors: Tensors, said: Said) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if values.dtype not in ("U8", "F4") or len(values.shape) < 2 or values.shape[-1:] == (1,):
        return False
    if scale is None:
        return said.method in ("modelopt", "quark") and "awq" not in (said.variant or "").casefold()
    if scale.elements == 1:
        return said.method in ("modelopt", "quark")
    return scale.dtype in FLOAT8 | BYTES and scale.shape[:-1] == values.shape[:-1]


def _halves(tensors: Tensors, said: Said) -> Opened:
    reading = Reading(tensors, said)
    values, scale = tensors["weight"], tensors.get("weight_scale")
    *rows, columns = values.shape
    inputs = columns if values.dtype == "F4" else 2 * columns
    variant = (said.variant or "").casefold()
    nvfp4 = scale.dtype in FLOAT8 if scale is not None else "mx" not in variant and said.method != "quark"
    size = 16 if nvfp4 else 32
    reading.compare("bits", 4)
    reading.compare("group_size", size)
    if said.variant in ("nvfp4", "mxfp4"):
        reading.compare("variant", "nvfp4" if nvfp4 else "mxfp4")
    reading.helper("weight_scale", [(*rows, ceil_div(inputs, size))], f"one for {size} values",
                   FLOAT8 if nvfp4 else BYTES)  # fmt: skip
    if nvfp4:
        reading.helper("weight_scale_2", [(), (1,), tuple(rows[:-1]), (*rows[:-1], 1)], "one number",
                       required=said.method == "modelopt")  # fmt: skip
    reading.helper("pre_quant_scale", [(inputs,)], "one for each input", required=False)
    if len(rows) == 1:
        reading.activations()
    return reading.opened("weight", "nvfp4" if nvfp4 else "mxfp4", (*rows, inputs), 4, size)


def _is_outputs(tensors: Tensors, said: Said) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if values.dtype not in ("U8", "I8") or len(values.shape) < 2:
        return False
    if scale is None:
        return said.method == "modelopt" and "awq" in (said.variant or "").casefold() and values.dtype == "U8"
    return (
        scale.dtype in FLOATS | FLOAT8 and len(scale.shape) == len(values.shape)
        and scale.shape[-2] == 2 * values.shape[-2] and scale.shape[:-2] == values.shape[:-2]
    )  # fmt: skip


def _outputs(tensors: Tensors, said: Said) -> Opened:
    reading = Reading(tensors, said)
    values, scale = tensors["weight"], tensors.get("weight_scale")
    *lead, half, inputs = values.shape
    groups = scale.shape[-1] if scale is not None else ceil_div(inputs, said.group_size or 128)
    size = group_of(inputs, groups, said.group_size)
    reading.compare("group_size", size)
    reading.compare("bits", 4)
    reading.helper("weight_scale", [(*lead, 2 * half, groups)], "one for each output and group")
    if "w4a8" in (said.variant or "").casefold():
        reading.helper("weight_scale_2", [(), (1,), tuple(lead), (*lead, 1)], "one number")
    reading.helper("pre_quant_scale", [(inputs,)], "one for each input", required=False)
    return reading.opened("weight", "int4-awq", (*lead, 2 * half, inputs), 4, size)


HALVES = Scheme("nvfp4", "weight", ("weight_scale",), MAY, _is_halves, _halves)
OUTPUTS = Scheme("int4-awq", "weight", ("weight_scale",), MAY, _is_outputs, _outputs)
