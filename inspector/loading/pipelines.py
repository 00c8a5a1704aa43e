"""What the pipelines of diffusers need: `pipelines.json`, made by `tests/oracle/make_pipelines.py`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def _table() -> Mapping[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "pipelines.json"), "rb") as file:
        table: dict[str, Any] = json.loads(file.read())
    return table


def needed_by(class_name: str) -> tuple[str, ...]:
    """The components without which a pipeline cannot be built; none for a class that diffusers does not have."""
    return tuple(_table()["pipelines"].get(class_name, "").split())


def is_pipeline(class_name: str) -> bool:
    """Whether diffusers has a pipeline of this name."""
    return class_name in _table()["pipelines"]


@cache
def model_classes() -> frozenset[str]:
    """The model classes of diffusers."""
    return frozenset(_table()["models"].split())
