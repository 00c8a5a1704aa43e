"""SINQ: `W_q` packed as HQQ packs it, with two quantized scales: one for each group, and one for each input.

M values in groups of g become [M/g, g] and are packed along the first dim: 8, 4, 2, 1 bit in bytes, 3 bit ten in a word
of I32. `meta.zero.x` [M/g, 1] and `meta.scale.x` [32, M/g/32] are bytes, each with its own `.m` and `.s`;
`meta.scale2` [1, in] gives the inputs. Recorded with sinq 0.2 in tiles of one dim.
"""

from __future__ import annotations

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import BYTES, FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor, ceil_div
from inspector.quantization.schemes.hqq import IN_BYTE
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

NEEDS = ("meta.scale.x", "meta.zero.x", "meta.scale2", "meta.scale.m", "meta.scale.s", "meta.zero.m", "meta.zero.s")
IN_ONE_SCALE = 32
"""Number of groups with a common scale of their scales."""


def _is_sinq(tensors: Tensors, setting: ModuleSettings) -> bool:
    named = setting.method == "sinq" or any(name in tensors for name in NEEDS)
    tiled = setting.method == "sinq" and setting.variant not in (None, "1D")
    return named and not tiled and len(tensors["W_q"].shape) == 2


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    rows, size = tensors["W_q"].shape
    three = tensors["W_q"].dtype == "I32"
    reported = [tensors[name].elements for name in ("meta.zero.x", "meta.scale.x") if name in tensors]
    allowed = {3: 10} if three else IN_BYTE
    fits = [(bits, groups) for groups in reported for bits, each in allowed.items() if ceil_div(groups, each) == rows]
    stated = setting.bits if setting.bits in allowed and setting.bits is not None else 3 if three else 4
    bits, groups = fits[0] if fits else (stated, reported[0] if reported else rows * allowed[stated])
    if reported and not fits:
        reading.widths(f"W_q has {rows} rows of {allowed[bits]} values", f"meta.zero.x has {groups} groups")
    reading.compare("bits", bits)
    reading.compare("group_size", size)
    scale, inner = tensors.get("meta.scale.x"), (IN_ONE_SCALE, groups // IN_ONE_SCALE)
    quantized = inner if scale is None or scale.elements != groups else scale.shape
    reading.helper("meta.scale.x", [quantized], "one for each group", BYTES)
    shared = (1, scale.shape[-1] if scale is not None and scale.elements == groups and scale.shape else inner[1])
    reading.helper("meta.zero.x", [(groups, 1)], "one for each group", BYTES)
    for name in ("meta.scale.m", "meta.scale.s"):
        reading.helper(name, [shared], f"one for {IN_ONE_SCALE} groups", FLOATS)
    for name in ("meta.zero.m", "meta.zero.s"):
        reading.helper(name, [(1, 1)], "one number", FLOATS)
    columns = tensors.get("meta.scale2")
    inputs = columns.shape[-1] if columns is not None and columns.shape else 0
    reading.helper("meta.scale2", [(1, inputs)] if inputs else [()], "one for each input", FLOATS)
    elements = groups * size
    if inputs and elements % inputs and fits:
        reading.widths(f"W_q holds {elements:,} values", f"meta.scale2 has {inputs:,} inputs")
    if inputs and elements % inputs == 0:
        return reading.result("W_q", "sinq", (elements // inputs, inputs), bits, size)
    return reading.result("W_q", "sinq", (elements,), bits, size, shaped=False)


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The SINQ config of transformers."""
    base = block.module_settings(
        {"bits": "nbits", "variant": "tiling_mode"},
        bits=block.integer("nbits"),
        group_size=block.integer("group_size"),
        variant=block.text("tiling_mode"),
    )
    return QuantizationSettings(base, ignored=block.ignored())


SINQ = Scheme("sinq", "W_q", NEEDS, (), _is_sinq, _open)
