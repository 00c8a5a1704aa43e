"""The fixtures of this folder, and changes to make in them."""

from __future__ import annotations

import copy
import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from inspector.auditing.result import Audit
from tests.judged import judged

FOLDER = Path(__file__).parent.parent.parent / "fixtures" / "packing"
NAMES = sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz"))
Spec = dict[str, tuple[str, tuple[int, ...]]]


@cache
def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    return found


def checkpoint(name: str) -> tuple[dict[str, Any], Spec, int]:
    """(config, listing, parameters of the model) of a fixture, free to be changed."""
    read = _read(name)
    spec = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in read["tensors"].items()}
    return copy.deepcopy(read["config"]), spec, read["parameters"]


def changed(name: str, drop: str = "", put: Spec | None = None, **settings: Any) -> Audit:
    """The audit of a fixture without a tensor (or without those below `drop.`), with others, with other settings."""
    config, spec, _ = checkpoint(name)
    key = "quantization" if "quantization" in config else "quantization_config"
    if settings:
        config[key] = {**config[key], **settings}
    kept = {tensor: entry for tensor, entry in spec.items()
            if tensor != drop and not (drop.endswith(".") and tensor.startswith(drop))}  # fmt: skip
    return judged({**kept, **(put or {})}, config)


def bad(audited: Audit) -> list[str]:
    """The codes of errors and warnings, each as often as it is reported."""
    return [finding.code for finding in audited.findings if finding.severity != "note"]
