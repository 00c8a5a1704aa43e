"""The quantization block that follows from the shapes of scales: blocks of fp8, and compressed-tensors.

`tool_block` has those of Quark and ModelOpt.

Measured with transformers 5.23 and compressed-tensors 0.20 on checkpoints that they wrote themselves: each loads
completely with its block written so. Whether inputs are quantized with scales of the moment is visible in no tensor;
the block states them as the presets of compressed-tensors do (`quant_scheme.py`). Its formats of unpacked integers and
floats require settings for the inputs (`can_compress`); integers of which the inputs are left alone are packed. Without
them vLLM 0.33 has no scheme for integers, and none for experts (`compressed_tensors.py`, `compressed_tensors_moe.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from inspector.algebra.boxes import Box, minus, overlapping
from inspector.loader.packed import Packed
from inspector.quantization.missing_block import one_packing
from inspector.quantization.module import FLOAT8, GROUPS, NVFP4_GROUP, ceil_div
from inspector.quantization.unpacked import Helper

Shape = tuple[int, ...]
Block = dict[str, Any]
INVERSE: Final = "weight_scale_inv"
SCALE: Final = "weight_scale"
ZEROS: Final = "weight_zero_point"
STATIC: Final = "activation_scale"
"""The static scale of the inputs next to `weight_scale_inv`."""
INPUTS: Final = "input_scale"
INPUT_ZEROS: Final = "input_zero_point"
STORED_SHAPE: Final = "weight_shape"
WORDS: Final = "pack-quantized"
OWN: Final = frozenset({SCALE, ZEROS, INPUTS, INPUT_ZEROS, STORED_SHAPE})
"""Helpers of compressed-tensors that its block says nothing else of; others need settings of their own."""
READ: Final = frozenset({"fp8", "fp8-block", "int8", WORDS})
"""Schemes for which this module writes the block."""
GLOBAL: Final = "weight_global_scale"
GLOBAL_INPUTS: Final = "input_global_scale"
SMALL_FLOATS: Final[Mapping[tuple[str, str], tuple[frozenset[str], str, dict[str, Any]]]] = {
    ("mxfp4", "weight_packed"): (frozenset({SCALE}), "mxfp4-pack-quantized", {
        "num_bits": 4, "strategy": "group", "group_size": 32, "scale_dtype": "torch.uint8"}),
    ("nvfp4", "weight_packed"): (frozenset({SCALE, GLOBAL}), "nvfp4-pack-quantized", {
        "num_bits": 4, "strategy": "tensor_group", "group_size": NVFP4_GROUP, "scale_dtype": "torch.float8_e4m3fn"}),
    ("mxfp8", "weight"): (frozenset({SCALE}), "mxfp8-quantized", {
        "num_bits": 8, "strategy": "group", "group_size": 32, "scale_dtype": "torch.uint8"}),
}  # fmt: skip
"""(scheme, suffix of the values) -> helpers, format and settings of small floats with scales in groups of one size.

auto-round and ModelOpt write some of these tensors too, which the loader of compressed-tensors reads.
"""


class Scaled(Struct, frozen=True):
    """Quantized modules of one shape and family. helpers: suffix -> the shapes of the tensors next to the values."""

    shape: Shape
    packed: Packed
    helpers: Mapping[str, frozenset[Shape]]
    family: str = ""
    boxes: tuple[Box, ...] = ()


class Determined(Struct, frozen=True):
    """What the tensors determine of a block.

    blocks: those with which the loader reads the tensors, each in another way if there are several; empty if a required
    key is not determined. assumed: keys that are written with the default of the loader. absent: required keys that no
    tensor shows. known: what the tensors determine if no block is complete.
    """

    blocks: tuple[Block, ...] = ()
    assumed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    known: Block = {}


def scaled(family: str, boxes: Sequence[Box], shape: Shape, packed: Packed, helpers: Iterable[Helper]) -> Scaled | None:
    """The modules of a family with their helpers; None if a helper belongs to other modules or is missing in some."""
    module = family.removesuffix("weight")
    found: dict[str, set[Shape]] = {}
    left: dict[str, tuple[Box, ...]] = {}
    for one in helpers:
        if one.of != family or not overlapping(boxes, one.boxes):
            continue
        if not one.key.startswith(module):
            return None
        suffix = one.key.removeprefix(module)
        found.setdefault(suffix, set()).add(one.layout.shape)
        left[suffix] = minus(left.get(suffix, tuple(boxes)), one.boxes)
    if any(left.values()):
        return None
    shapes = {suffix: frozenset(one) for suffix, one in found.items()}
    return Scaled(shape, packed, shapes, family, tuple(boxes))


def block_of_scales(modules: Sequence[Scaled]) -> dict[str, Any] | None:
    """The block, without its list of unquantized modules; None if the tensors do not determine it."""
    names = {frozenset(one.helpers) for one in modules}
    schemes = {one.packed.scheme for one in modules}
    if len(names) != 1:
        return None
    (helpers,) = names
    if not schemes <= READ:
        return _of_small_floats(modules, helpers)
    if helpers == {INVERSE, STATIC}:
        whole = all(one.helpers[suffix] <= {(), (1,)} for one in modules for suffix in helpers)
        return {"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": None} if whole else None
    if helpers == {INVERSE}:
        size = block_size([(one.shape, shape) for one in modules for shape in one.helpers[INVERSE]])
        # vLLM requires the activation scheme, which transformers assumes
        dynamic = {"quant_method": "fp8", "activation_scheme": "dynamic"}
        return None if size is None else {**dynamic, "weight_block_size": list(size)}
    if SCALE not in helpers or not helpers <= OWN or (schemes == {WORDS}) is not (STORED_SHAPE in helpers):
        return None
    weights, inputs = _weights(modules, ZEROS in helpers), _inputs(modules, helpers)
    if weights is None or inputs is None:
        return None
    if not inputs and schemes != {WORDS}:
        inputs = _of_the_moment(weights)
    block = _of_compressed_tensors(weights, inputs)
    return block | {"dequantize": True} if _packs_zeros(modules) else block


def _packs_zeros(modules: Sequence[Scaled]) -> bool:
    """True if zero points are packed along the outputs: transformers 5 then computes plain weights while loading, if
    the block says so, and refuses them otherwise. For experts it does neither.
    """
    packed = any(rows[0] < one.shape[0] for one in modules for rows in one.helpers.get(ZEROS, ()) if rows)
    return packed and not any(".experts." in one.family for one in modules)


def _of_small_floats(modules: Sequence[Scaled], helpers: frozenset[str]) -> dict[str, Any] | None:
    """The block for floats of four or eight bits with scales in groups; None if the tensors do not determine it."""
    ways = {(one.packed.scheme, one.packed.values) for one in modules}
    known = SMALL_FLOATS.get(next(iter(ways))) if len(ways) == 1 else None
    of_inputs = GLOBAL in helpers and GLOBAL_INPUTS in helpers
    if known is None or known[0] != (helpers - {GLOBAL_INPUTS} if of_inputs else helpers):
        return None
    _, form, settings = known
    if any(scale[-1] * settings["group_size"] != one.shape[-1] for one in modules for scale in one.helpers[SCALE]):
        return None
    weights = {**settings, "type": "float", "symmetric": True}
    return _of_compressed_tensors(weights, {**weights, "dynamic": "local"} if of_inputs else {}, form)


def _of_compressed_tensors(weights: dict[str, Any], inputs: dict[str, Any], form: str = "") -> dict[str, Any]:
    """The block with one group of settings. form: the format, by default that of the settings."""
    whole = "group_size" in weights or weights["num_bits"] != 8
    form = form or (WORDS if whole else "float-quantized" if weights["type"] == "float" else "int-quantized")
    group = {"targets": ["Linear"], "format": form, "weights": weights}
    return {
        "quant_method": "compressed-tensors",
        "format": form,
        "quantization_status": "compressed",
        "config_groups": {"group_0": {**group, "input_activations": inputs} if inputs else group},
    }


def block_size(scales: Iterable[tuple[Shape, Shape]]) -> tuple[int, int] | None:
    """The rows and columns that share a scale, given the shapes of weights and their scales; None if not determined."""
    left: list[tuple[int, ...]] = [GROUPS, GROUPS]
    for weight, scale in scales:
        if len(weight) != 2 or len(scale) != 2:
            return None
        sides = zip(left, weight, scale, strict=True)
        left = [tuple(side for side in one if ceil_div(dim, side) == blocks) for one, dim, blocks in sides]
    (*rows,), (*columns,) = left
    return (rows[0], columns[0]) if len(rows) == len(columns) == 1 else None


def _weights(modules: Sequence[Scaled], zeros: bool) -> dict[str, Any] | None:
    """The settings of the block for the weights."""
    storage = {one.packed.storage.dtype for one in modules}
    packed = one_packing(modules[0].packed.scheme, ((one.packed, one.shape) for one in modules))
    if len(storage) != 1 or packed is None or packed.bits != int(packed.bits) or packed.bounds:
        return None
    floats = packed.storage.dtype in FLOAT8
    found: dict[str, Any] = {"num_bits": int(packed.bits), "type": "float" if floats else "int"}
    if zeros and floats:
        return None
    found |= {"symmetric": not zeros}
    scales = [(one.shape, shape) for one in modules for shape in one.helpers[SCALE]]
    if packed.scheme == WORDS and (packed.group_size or 0) > 0:
        return {**found, "strategy": "group", "group_size": packed.group_size}
    if all(scale == (weight[0], 1) for weight, scale in scales):
        return {**found, "strategy": "channel"}
    if packed.scheme == WORDS or zeros:
        return None
    if all(scale == (1,) for _, scale in scales):
        return {**found, "strategy": "tensor"}
    size = block_size(scales)
    return None if size is None else {**found, "strategy": "block", "block_structure": list(size)}


def _of_the_moment(weights: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of inputs without stored scales: groups as wide as blocks of floats, else one scale per token."""
    kind, size = weights["type"], weights.get("block_structure")
    inputs: dict[str, Any] = {"num_bits": 8, "type": kind, "symmetric": True, "dynamic": True}
    if kind == "float" and size is not None:
        return inputs | {"strategy": "group", "group_size": size[-1]}
    return inputs | {"strategy": "token"}


def _inputs(modules: Sequence[Scaled], helpers: frozenset[str]) -> dict[str, Any] | None:
    """The settings of the block for the inputs; {} without such settings, None if they are not determined."""
    if INPUTS not in helpers:
        return {} if INPUT_ZEROS not in helpers else None
    if any(one.helpers[INPUTS] != {(1,)} for one in modules) or modules[0].packed.scheme == WORDS:
        return None
    kind = "float" if modules[0].packed.storage.dtype in FLOAT8 else "int"
    return {"num_bits": 8, "type": kind, "strategy": "tensor", "dynamic": False,
            "symmetric": INPUT_ZEROS not in helpers}  # fmt: skip
