"""ModelOpt and Quark: 4-bit values in `weight` U8, distinguished by their scales.

NVFP4: [out, in/2] with `weight_scale` F8_E4M3 [out, in/16], or [out, in/32] for inputs of 8 bits, and `weight_scale_2`
[]. MXFP4 (both tools): [out, in/2]
with bytes [out, in/32]. INT4-AWQ and W4A8: packed along the *output*, [out/2, in] with `weight_scale` [out, in/g];
W4A8 has `weight_scale_2`. Stacked experts that are stored [E, in, out] have NVFP4 along the inputs: [E, in/2, out] with
[E, in/16, out]. `input_scale`, `pre_quant_scale` [in] may be added to each.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.findings.types.transposed import PackedTransposed
from inspector.quantization.config_block import MOST_ENTRIES, ConfigBlock
from inspector.quantization.module import (
    BYTES,
    FLOAT8,
    FLOATS,
    ModuleReading,
    Scheme,
    Tensors,
    UnpackedTensor,
    ceil_div,
    group_of,
)
from inspector.quantization.schemes.compressed_tensors_config import activations_of
from inspector.quantization.schemes.fp8 import BLOCKS_OF_MODELOPT
from inspector.quantization.schemes.modelopt_algorithms import (
    ALGORITHMS,
    INTEGER,
    MIXED,
    STATIC,
    WITHOUT_GROUPS,
    unread,
)
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import exact

MAY = ("weight_scale_2", "input_scale", "pre_quant_scale", "weight_zero_point", "input_scale_2", "input_amax",
       "weight_scale_inv", "input_zero_point")  # fmt: skip


def _is_turned(tensors: Tensors, setting: ModuleSettings) -> bool:
    """True if NVFP4 values are stored transposed, as [in/2, out], next to scales of the usual shape."""
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if scale is None or len(values.shape) != 2 or len(scale.shape) != 2 or scale.dtype not in FLOAT8:
        return False
    rows, groups = scale.shape
    other = "awq" in (setting.variant or "").casefold()
    return not other and values.dtype == "U8" and values.shape == (8 * groups, rows) and values.shape[0] != rows


def _is_halves(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if values.dtype not in ("U8", "F4") or len(values.shape) < 2 or values.shape[-1:] == (1,):
        return False
    if scale is None:
        return setting.method in ("modelopt", "quark") and "awq" not in (setting.variant or "").casefold()
    if scale.elements == 1:
        return setting.method in ("modelopt", "quark")
    stated = setting.method in ("modelopt", "quark") and len(scale.shape) == len(values.shape) == 2
    return scale.dtype in FLOAT8 | BYTES and (stated or scale.shape[:-1] == values.shape[:-1])


def _halves(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["weight"], tensors.get("weight_scale")
    *rows, columns = values.shape
    if _is_turned(tensors, setting):
        reading.faults.append(PackedTransposed(stored=values.shape, expected=(columns, rows[0])))
        rows, columns = [columns], rows[0]
    six = scale is not None and scale.dtype in BYTES and scale.shape[-1:] == (columns / 24,)  # of Quark
    six = six or (setting.bits == 6 and (scale is None or scale.shape[-1:] != (columns / 16,)))
    inputs = columns if values.dtype == "F4" else 4 * columns // 3 if six else 2 * columns
    variant = (setting.variant or "").casefold()
    known = scale is not None and scale.dtype in FLOAT8 | BYTES
    nvfp4 = scale.dtype in FLOAT8 if known and scale is not None else "mx" not in variant and setting.method != "quark"
    wide = setting.group_size == 32 if scale is None else scale.shape[-1:] == (inputs / 32,)  # for inputs of 8 bits
    size = 16 if nvfp4 and not wide else 32
    reading.compare("bits", 6 if six else 4)
    reading.compare("group_size", size)
    if setting.variant in ("nvfp4", "mxfp4"):
        reading.compare("variant", "nvfp4" if nvfp4 else "mxfp4")
    reading.helper("weight_scale", [(*rows, ceil_div(inputs, size))], f"one for {size} values",
                   FLOAT8 if nvfp4 else BYTES)  # fmt: skip
    if nvfp4:
        reading.helper("weight_scale_2", [(), (1,), tuple(rows[:-1]), (*rows[:-1], 1)], "one number",
                       required=setting.method == "modelopt")  # fmt: skip
    reading.helper("pre_quant_scale", [(inputs,)], "one for each input", required=False)
    if len(rows) == 1:
        reading.activations()
    scheme = "nvfp4" if nvfp4 else "mxfp6" if six else "mxfp4"
    return reading.result("weight", scheme, (*rows, inputs), 6 if six else 4, size)


def _is_outputs(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if values.dtype not in ("U8", "I8") or len(values.shape) < 2:
        return False
    if scale is None:
        return setting.method == "modelopt" and "awq" in (setting.variant or "").casefold() and values.dtype == "U8"
    return (
        not _is_turned(tensors, setting) and scale.dtype in FLOATS | FLOAT8 and len(scale.shape) == len(values.shape)
        and scale.shape[-2] == 2 * values.shape[-2] and scale.shape[:-2] == values.shape[:-2]
    )  # fmt: skip


def _outputs(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scale = tensors["weight"], tensors.get("weight_scale")
    *lead, half, inputs = values.shape
    groups = scale.shape[-1] if scale is not None else 0
    size = group_of(inputs, groups, setting.group_size)
    if size is None:
        size = setting.group_size or 128
        groups = ceil_div(inputs, size)
    reading.compare("group_size", size)
    reading.compare("bits", 4)
    reading.helper("weight_scale", [(*lead, 2 * half, groups)], "one for each output and group")
    if "w4a8" in (setting.variant or "").casefold():
        reading.helper("weight_scale_2", [(), (1,), tuple(lead), (*lead, 1)], "one number")
    reading.helper("pre_quant_scale", [(inputs,)], "one for each input", required=False)
    if not lead:
        reading.activations()
    return reading.result("weight", "int4-awq", (*lead, 2 * half, inputs), 4, size)


def _is_inputs(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if scale is None or scale.dtype not in FLOAT8 or len(values.shape) != 3 or len(scale.shape) != 3:
        return False
    (experts, half, outputs), (same, groups, columns) = values.shape, scale.shape
    return (same, columns) == (experts, outputs) and groups == ceil_div(2 * half, 16)


def _inputs(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    experts, half, outputs = tensors["weight"].shape
    reading.compare("bits", 4)
    reading.compare("group_size", 16)
    reading.helper("weight_scale", [(experts, ceil_div(2 * half, 16), outputs)], "one for 16 values", FLOAT8)
    reading.helper("weight_scale_2", [(), (1,), (experts,), (experts, 1), (experts, 1, 1)], "one number")
    return reading.result("weight", "nvfp4", (experts, 2 * half, outputs), 4, 16)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The settings of ModelOpt, in config.json or one level deeper in hf_quant_config.json; layers may differ."""
    if block.inner("quantization").values:
        block = block.inner("quantization")
    groups = [group for _, group in block.inner("config_groups").blocks()]
    base = _algorithm(block, groups)
    if base.variant != MIXED:
        if block.inner("quantized_layers").values:  # meant only for mixed precision
            base = replace(base, shown={**base.shown, MIXED: MIXED})
        return QuantizationSettings(base, ignored=block.ignored())
    of_layer = {str(name): group for group in groups for name in _targets(group)}
    special = tuple(
        (exact(name), _algorithm(layer, [of_layer[name]] if name in of_layer else []))
        for name, layer in block.inner("quantized_layers").blocks()
    )
    return QuantizationSettings(replace(base, skipped=""), special=special, ignored=block.ignored())


def _targets(group: ConfigBlock) -> list[object]:
    targets = group.values.get("targets")
    return targets[:MOST_ENTRIES] if isinstance(targets, list) else []


def _algorithm(block: ConfigBlock, groups: Sequence[ConfigBlock]) -> ModuleSettings:
    """Settings that follow from an algorithm; it is "" if none is stated, which no loader accepts.

    groups: settings of the same modules in the form of compressed-tensors. SGLang reads the group size of the first
    group; no loader reads anything else of them.
    """
    stated = block.values.get("quant_algo")
    algorithm = (block.text("quant_algo") or "").casefold()
    bits, usual = ALGORITHMS.get(algorithm, (None, None))
    weights = [group.inner("weights") for group in groups]
    places = [one for one in (block, *weights) if one.integer("group_size")]
    size = places[0].integer("group_size") if places else None
    keys = {"bits": "quant_algo", "variant": "quant_algo", "number_type": "quant_algo"}
    setting = block.module_settings(
        keys,
        bits=bits,
        group_size=usual if algorithm in WITHOUT_GROUPS else size or usual,
        variant=algorithm,
        block=(128, 128) if algorithm == BLOCKS_OF_MODELOPT else None,
        number_type=None if bits != 8 else "integer" if algorithm in INTEGER else "float",
        activations=activations_of(groups[0]) if len(groups) == 1 else "input_scale" if algorithm in STATIC else None,
        shown={"bits": stated, "variant": stated, "block": stated, "number_type": stated},
        unread=unread(algorithm, weights[0]) if len(weights) == 1 else (),
    )
    if not places or places[0] is block:
        return setting
    return replace(setting, keys={**setting.keys, "group_size": f"{places[0].key}.group_size"})


HALVES = Scheme("nvfp4", "weight", ("weight_scale",), MAY, _is_halves, _halves)
INPUTS = Scheme("nvfp4", "weight", ("weight_scale",), MAY, _is_inputs, _inputs)
OUTPUTS = Scheme("int4-awq", "weight", ("weight_scale",), MAY, _is_outputs, _outputs)
