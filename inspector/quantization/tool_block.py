"""The quantization blocks of Quark and ModelOpt, as far as the names and shapes of scales determine them.

Measured with transformers 5.24 and amd-quark 0.13 on tensors that Quark, ModelOpt and auto-round wrote: each loads
completely with its block written so, and computes the same as with the block of Quark itself. A scale of Quark has no
axis of its own for the inputs, one of compressed-tensors has. vLLM builds a module of ModelOpt by `quant_algo` alone
(`layers/quantization/modelopt.py`). Whether inputs are quantized with scales of the moment is visible in no tensor; the
block leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any, Final

from inspector.quantization.module import FLOAT8, NVFP4_GROUP
from inspector.quantization.scales_block import INPUTS, SCALE, ZEROS, Determined, Scaled
from inspector.quantization.schemes.fp8 import four_dims
from inspector.quantization.unpacked import Helper

QUARK: Final = "quark"
MODELOPT: Final = "modelopt"
SECOND: Final = "weight_scale_2"
WEIGHT: Final = "global_quant_config.weight"
FLOATS_OF_6: Final = ("fp6_e3m2", "fp6_e2m3")
SMOOTHED: Final = "pre_quant_scale"
"""The scale of the inputs that AWQ and SmoothQuant leave in layers without a norm before them."""
ROUNDED: Final = {"round_method": "half_even", "scale_type": "float"}
"""What Quark requires for integers, and does not use to read them."""


def blocks_of_tools(modules: Sequence[Scaled]) -> Iterator[dict[str, Any]]:
    """The blocks under which loaders read the weights, without lists of unquantized modules; the first is read by most
    loaders.
    """
    helpers = {frozenset(one.helpers.keys() - {SMOOTHED}) for one in modules}
    if len(helpers) != 1 or any(one.packed.values != "weight" for one in modules):
        return
    (scheme, *others) = {one.packed.scheme for one in modules}
    if others:
        return
    weight = _weight_of_quark(scheme, modules)
    static = INPUTS in modules[0].helpers
    if weight is not None:
        yield _of_quark(weight, _tensor(str(weight["dtype"])) if static else None)
    algorithm = _algorithm(scheme, modules)
    if algorithm is not None:
        yield {"quant_method": MODELOPT, "quant_algo": algorithm} | _groups(scheme, modules)


def open_of_quark(modules: Sequence[Scaled], helpers: Sequence[Helper]) -> Determined | None:
    """What the tensors determine of Quark's block if their numbers may be of several types."""
    scheme, sizes = modules[0].packed.scheme, {one.packed.group_size for one in modules}
    if len(sizes) > 1 or any(one.helpers.keys() != modules[0].helpers.keys() for one in modules):
        return None
    size = sizes.pop()
    if scheme == "mxfp6":
        kept = {"scale_format": "e8m0", "scale_calculation_mode": "even", "observer_cls": "PerBlockMXObserver"}
        ways = (_spec(name, "per_group", axis=-1, group_size=32, symmetric=None) | kept for name in FLOATS_OF_6)
        return Determined(tuple(_of_quark(one, None) for one in ways)) if size == 32 else None
    whole = "per_tensor" if modules[0].helpers.get(SCALE) == frozenset({()}) else "per_channel"
    weight = {"qscheme": "per_group", "group_size": size} if (size or 0) > 0 else {"qscheme": whole}
    known = {"quant_method": QUARK, "global_quant_config": {"weight": weight}}
    types = f"{WEIGHT}.dtype (int4 or uint4)"
    return Determined(absent=(types, "export.pack_method (reorder or order)"), known=known)


def _weight_of_quark(scheme: str, modules: Sequence[Scaled]) -> dict[str, Any] | None:
    """Quark's settings of the weights; None if they are not determined or not Quark's.

    Of four-bit integers no tensor shows the order in which they are packed, or whether they have signs.
    """
    names = modules[0].helpers.keys()
    if scheme == "int8":
        return _integers(modules) if names == {SCALE, ZEROS} else None
    if scheme == "mxfp4" and names == {SCALE}:
        return _spec("fp4", "per_group", axis=-1, group_size=32, symmetric=None) | {
            "scale_format": "e8m0", "scale_calculation_mode": "even", "observer_cls": "PerBlockMXObserver"}  # fmt: skip
    dtypes = {one.packed.storage.dtype for one in modules}
    if scheme != "fp8" or len(dtypes) != 1 or not {SCALE} <= names <= {SCALE, INPUTS}:
        return None
    if any(one.helpers.get(INPUTS, {()}) != {()} for one in modules):
        return None
    (dtype,) = dtypes
    name = {"F8_E4M3": "fp8_e4m3", "F8_E5M2": "fp8_e5m2"}.get(dtype)
    if name is None:
        return None
    if all(one.helpers[SCALE] == {()} for one in modules):
        return _tensor(name)
    if all(len(one.shape) == 2 and one.helpers[SCALE] == {one.shape[:1]} for one in modules) and INPUTS not in names:
        return _spec(name, "per_channel", axis=0) | {"observer_cls": "PerChannelMinMaxObserver"}
    return None


def _integers(modules: Sequence[Scaled]) -> dict[str, Any] | None:
    """Quark's settings of 8-bit integers, next to which it stores zero points, also for symmetric ones."""
    for scheme, axis, observer in (("per_tensor", None, "PerTensor"), ("per_channel", 0, "PerChannel")):
        shapes = [(one, () if axis is None else one.shape[:1]) for one in modules]
        if all(one.helpers[name] == {shape} for one, shape in shapes for name in (SCALE, ZEROS)):
            return _spec("int8", scheme, axis=axis) | ROUNDED | {"observer_cls": f"{observer}MinMaxObserver"}
    return None


def _tensor(dtype: str) -> dict[str, Any]:
    return _spec(dtype, "per_tensor") | {"observer_cls": "PerTensorMinMaxObserver"}


def _spec(
    dtype: str, scheme: str, *, axis: int | None = None, group_size: int | None = None, symmetric: bool | None = True
) -> dict[str, Any]:
    """The keys that `QTensorConfig.from_dict` requires."""
    return {"dtype": dtype, "qscheme": scheme, "ch_axis": axis, "group_size": group_size, "symmetric": symmetric,
            "is_dynamic": False}  # fmt: skip


def _of_quark(weight: dict[str, Any], inputs: dict[str, Any] | None) -> dict[str, Any]:
    layer = {"weight": weight, "input_tensors": inputs, "output_tensors": None, "bias": None}
    export = {"kv_cache_group": [], "pack_method": "reorder", "weight_format": "real_quantized"}
    return {
        "quant_method": QUARK,
        "global_quant_config": layer,
        "layer_quant_config": {},
        "layer_type_quant_config": {},
        "export": export,
    }


def _algorithm(scheme: str, modules: Sequence[Scaled]) -> str | None:
    """The `quant_algo` with which vLLM reads the weights; None if it reads them with none."""
    names: Set[str] = modules[0].helpers.keys()
    pairs = [(one.shape, shape) for one in modules for shape in one.helpers.get(SCALE, ())]
    static = INPUTS in names
    smoothed = any(SMOOTHED in one.helpers for one in modules)
    names = names - {SMOOTHED}
    if scheme == "int4-awq" and {SCALE} <= names <= {SCALE, SECOND, INPUTS}:
        return "W4A8_AWQ" if SECOND in names else "W4A16_AWQ"
    if scheme == "int8" and names - {INPUTS} == {SCALE} and all(shape == weight[:1] for weight, shape in pairs):
        return ("W8A8_SQ_PER_CHANNEL" if static else None) if static or smoothed else "W8A16"
    if smoothed:
        return None
    if scheme == "nvfp4" and names - {INPUTS} == {SCALE, SECOND}:
        plain = all(shape == (*weight[:-1], weight[-1] // NVFP4_GROUP) for weight, shape in pairs)
        return ("NVFP4" if static else "W4A16_NVFP4") if plain else None
    if not {one.packed.storage.dtype for one in modules} <= FLOAT8 or names - {INPUTS} != {SCALE}:
        return None
    if scheme == "mxfp8" and not static:
        return "MXFP8"
    if scheme == "fp8" and all(shape == () for _, shape in pairs):
        return "FP8"
    if scheme == "fp8" and not static and all(shape == weight[:1] for weight, shape in pairs):
        return "FP8_PER_CHANNEL_PER_TOKEN"
    if scheme in ("fp8", "fp8-block") and not static and all(shape == four_dims(weight) for weight, shape in pairs):
        return "FP8_PB_WO"
    return None


def _groups(scheme: str, modules: Sequence[Scaled]) -> dict[str, int]:
    """The group size that ModelOpt states for AWQ."""
    sizes = {one.packed.group_size for one in modules} if scheme == "int4-awq" else set()
    return {"group_size": sizes.pop() or 0} if len(sizes) == 1 and sizes != {None} else {}
