"""Modules and parameters of a base that PEFT refuses to change, with the reasons.

Source: PEFT 0.21.2, `inject_adapter` of `tuners/tuners_utils.py` and the layers of its tuners.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.lora_variants import refused_kind, variants
from inspector.adapters.module_kinds import has_own_class, without_parameters
from inspector.adapters.peft_configs import changes, made_parameters, refuses_target
from inspector.adapters.targets import Boxes, Targets, around
from inspector.findings.finding import NO_ADAPTER
from inspector.findings.peft_remedies import OTHER_KIND

AFFINE: Final = ("scale", "affine", "batchnorm")
"""Kinds of modules that most methods refuse to change."""
WITHOUT_PARAMETERS: Final = ("lora_bias", "lora_dropout", "fan_in_fan_out")
"""Settings that PEFT does not support for single parameters (`ParamWrapper` in `tuners/lora/layer.py`), next to the
variants of LoRA's layers.
"""
OF_MATRICES: Final = ("pissa", "corda", "olora", "mica", "loftq")
"""Beginnings of LoRA initializations that are computed from the base's matrix, which a single parameter is not."""
TAKEN_APART: Final = ("pissa", "olora")
"""Initializations that decompose the matrix: their rank is at most its smaller width."""
KIND: Final = OTHER_KIND


def refused_module(tensor: BaseTensor, base: Base, method: str, values: Mapping[str, Any]) -> str:
    """The reason for which the method refuses a module with this weight; "" if it accepts it."""
    if not changes_kind(tensor, values) or (is_no_matrix(tensor, base, values) and not changes(values, "container")):
        return KIND
    if refuses_target(values, base.settings.values.get("model_type"), tensor.module):
        return NO_ADAPTER
    if tensor.kind == "table" and method == "lora" and values.get("lora_bias"):
        return "lora_bias is refused for embeddings"
    return refused_kind(tensor.kind, tensor.module, values) if method == "lora" else ""


def is_no_matrix(tensor: BaseTensor, base: Base, values: Mapping[str, Any]) -> bool:
    """True if a matrix is in a module with its own class, which PEFT does not treat as a single parameter instead."""
    model_type = base.settings.values.get("model_type")
    return has_own_class(tensor.module, model_type) and not made_parameters(values, model_type)


def changes_kind(tensor: BaseTensor, values: Mapping[str, Any]) -> bool:
    """True if the method changes modules of this kind."""
    if tensor.kind in AFFINE or tensor.kind == "conv":
        return changes(values, "affine" if tensor.kind in AFFINE else f"conv{len(tensor.shape) - 2}")
    return tensor.kind not in ("linear", "linear_io", "table") or changes(values, tensor.kind)


def refused_container(base: Base, settings: Targets, values: Mapping[str, Any]) -> tuple[str, Boxes] | None:
    """A container module that the config names, for which nearly every method raises.

    Modules without any parameters are among them. Unclear may be raised.
    """
    if settings.every_linear or changes(values, "container"):
        return None
    own = {tensor.module for tensor in base.tensors if tensor.ending == ".weight"}
    paths = {(path, axes) for one in base.tensors for path, axes in around(one.module, one.axes) if path}
    for path, axes in sorted(paths, key=lambda one: one[0]):
        if path not in own and (chosen := settings.chosen(path, axes)):
            return path, chosen
        for name in without_parameters(path, base.settings.values.get("model_type")):
            if chosen := settings.chosen(f"{path}.{name}", axes):
                return f"{path}.{name}", chosen
    return None


def refused_for_parameters(values: Mapping[str, Any]) -> str:
    """The key of a LoRA's config that prevents changes of single parameters; "" without such a key."""
    start = values.get("init_lora_weights")
    if isinstance(start, str) and start.casefold().startswith(OF_MATRICES):
        return "init_lora_weights"
    return next((key for key in WITHOUT_PARAMETERS if values.get(key)), next(iter(variants(values)), ""))


def most_rank(tensor: BaseTensor, method: str, values: Mapping[str, Any]) -> int | None:
    """The largest rank that a LoRA initialization allows for a module; None without a limit."""
    start = str(values.get("init_lora_weights")).casefold()
    if method != "lora" or not start.startswith(TAKEN_APART) or tensor.kind == "table":
        return None
    return min((one for one in tensor.widths or () if one is not None), default=None)
