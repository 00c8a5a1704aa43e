"""Modules of a base that PEFT does not treat as matrices, although their names or weights suggest it.

`module_kinds.json` lists them by model type of transformers 5; `tests/oracle/make_module_kinds.py` generates it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def _table() -> Mapping[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "module_kinds.json"), "rb") as file:
        table: dict[str, Any] = json.loads(file.read())
    return table


def _names(kind: str, model_type: object) -> frozenset[str]:
    table = _table()
    number = table[kind].get(model_type) if isinstance(model_type, str) else None
    return frozenset() if number is None else frozenset(table["words"][number].split())


def has_own_class(module: str, model_type: object) -> bool:
    """True if a module with a matrix, such as a router of experts, has its own class instead of Linear. module: its
    key.
    """
    return ".".join(module.split(".")[-2:]) in _names("own", model_type)


def without_parameters(module: str, model_type: object) -> tuple[str, ...]:
    """The names of modules without parameters inside modules of this name, such as `act_fn` in `mlp`."""
    parent = module.rpartition(".")[2]
    pairs = (name.rpartition(".") for name in _names("empty", model_type))
    return tuple(sorted(last for before, _, last in pairs if before == parent))
