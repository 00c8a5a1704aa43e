"""Quantized checkpoints of these tests, recorded and made by formula, and functions that change and audit them."""

from __future__ import annotations

import copy
import re
from functools import cache
from typing import Any

from inspector.auditing.result import Audit
from tests.judged import judged
from tests.quantization.made_by_formula import checkpoints, linears, rest
from tests.quantization.made_by_source import from_source
from tests.quantization.recorded import RECORDED, record

Spec = dict[str, tuple[str, tuple[int, ...]]]
Shapes = dict[str, tuple[int, ...]]
CONFIG_KEYS = ("quantization_config", "quantization", "compression_config")


@cache
def _computed() -> dict[str, tuple[dict[str, Any], Spec, int]]:
    return {
        name: (config, {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in tensors.items()}, parameters)
        for name, config, tensors, parameters in (*checkpoints(), *from_source())
    }


MADE_BY_FORMULA = sorted(_computed())
NAMES = [*RECORDED, *MADE_BY_FORMULA]
DENSE = ("mlx_bf16", "mlx-nothing")
"""Checkpoints in which nothing is quantized."""
LEFTOVERS: dict[str, list[str]] = {"ct-sparse": ["T652"], "gptq-marlin": ["T646"]}
"""Records that no current loader reads -> the codes that report it."""

PACKED = [name for name in NAMES if name not in DENSE]


def tool(name: str) -> str:
    """The tool that wrote a checkpoint: the first word of its name."""
    return re.split("[-_]", name)[0]


def checkpoint(name: str) -> tuple[dict[str, Any], Spec, int]:
    """(config, listing, parameters of the model before it was quantized), as new objects that a test may change."""
    if name in _computed():
        config, spec, parameters = _computed()[name]
        return copy.deepcopy(config), dict(spec), parameters
    found = record(name)
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in found["tensors"].items()}
    return copy.deepcopy(found["config"]), spec, found["parameters"]


def original(name: str) -> Shapes:
    """The tensors of the model before it was quantized: name -> shape."""
    if name in RECORDED:
        return {tensor: tuple(shape) for tensor, shape in record(name)["original"].items()}
    config = checkpoint(name)[0]
    shapes = {tensor: tuple(shape) for tensor, _, shape in rest(config)}
    return shapes | {f"{module}.weight": (outputs, inputs) for module, outputs, inputs in linears(config)}


def audited(name: str, spec: Spec | None = None, config: dict[str, Any] | None = None) -> Audit:
    """The audit of a checkpoint, with another listing or config."""
    whole, listing, _ = checkpoint(name)
    side = record(name)["side"] if name in RECORDED else {}
    return judged(listing if spec is None else spec, whole if config is None else config, side=side)


def unquantized(config: dict[str, Any]) -> dict[str, Any]:
    """A config without its quantization block."""
    return {key: value for key, value in config.items() if key not in CONFIG_KEYS}


def changed(name: str, drop: str = "", put: Spec | None = None, **settings: Any) -> Audit:
    """The audit of a checkpoint without a tensor (or those below `drop.`), with others added, and other settings."""
    config, spec, _ = checkpoint(name)
    for key in CONFIG_KEYS if settings else ():
        if key in config:
            config[key] = {**config[key], **settings}
    kept = {tensor: entry for tensor, entry in spec.items()
            if tensor != drop and not (drop.endswith(".") and tensor.startswith(drop))}  # fmt: skip
    return audited(name, {**kept, **(put or {})}, config)


def caused(name: str, result: Audit) -> list[str]:
    """The codes of errors and warnings that the undamaged checkpoint does not have."""
    codes = bad(result)
    for code in LEFTOVERS.get(name, ()):
        codes.remove(code)
    return codes


def bad(result: Audit) -> list[str]:
    """The codes of errors and warnings, each as often as it was reported."""
    return [finding.code for finding in result.findings if finding.severity != "note"]
