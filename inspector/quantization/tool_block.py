"""The quantization blocks of Quark and ModelOpt, as far as the names and shapes of scales determine them.

Measured with transformers 5.24 and amd-quark 0.13 on tensors that Quark, ModelOpt and auto-round wrote: each loads
completely with its block written so, and computes the same as with the block of Quark itself. A scale of Quark has no
axis of its own for the inputs, one of compressed-tensors has. vLLM builds a module of ModelOpt by `quant_algo` alone
(`layers/quantization/modelopt.py`). Whether inputs are quantized with scales of the moment is visible in no tensor; the
block leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspector.quantization.module import DEFAULT_BLOCK, FLOAT8, NVFP4_GROUP, ceil_div
from inspector.quantization.scales_block import INPUTS, SCALE, Scaled

QUARK: Final = "quark"
MODELOPT: Final = "modelopt"
SECOND: Final = "weight_scale_2"


def blocks_of_tools(modules: Sequence[Scaled]) -> Iterator[dict[str, Any]]:
    """The blocks under which loaders read the weights, without lists of unquantized modules; the first is read by most
    loaders.
    """
    if len({frozenset(one.helpers) for one in modules}) != 1 or any(one.packed.values != "weight" for one in modules):
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
        yield {"quant_method": MODELOPT, "quant_algo": algorithm}


def _weight_of_quark(scheme: str, modules: Sequence[Scaled]) -> dict[str, Any] | None:
    """Quark's settings of the weights; None if they are not determined or not Quark's.

    Of integers, no tensor shows the order in which they are packed, or whether they have signs.
    """
    names = modules[0].helpers.keys()
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
    names = modules[0].helpers.keys()
    pairs = [(one.shape, shape) for one in modules for shape in one.helpers.get(SCALE, ())]
    static = INPUTS in names
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
    if scheme in ("fp8", "fp8-block") and not static and all(shape == _four_dims(weight) for weight, shape in pairs):
        return "FP8_PB_WO"
    return None


def _four_dims(weight: tuple[int, ...]) -> tuple[int, ...]:
    """The dims of a scale for each block of 128 rows and 128 inputs, as ModelOpt keeps them."""
    rows, columns = (ceil_div(dim, side) for dim, side in zip(weight[-2:], DEFAULT_BLOCK, strict=True))
    return (rows, 1, columns, 1)
