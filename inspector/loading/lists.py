"""The lists of models and methods that other programs have, with their sources: `registries.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

TEXTS = ("names", "methods")
"""Entries that are lists, stored as one text."""


@cache
def lists_of(program: str) -> Mapping[str, Any]:
    """The lists of a program: `source`, `version`, `names`, and others that only some have."""
    return _all()[program]


@cache
def _all() -> Mapping[str, Mapping[str, Any]]:
    with open(os.path.join(os.path.dirname(__file__), "registries.json"), "rb") as file:
        listed: dict[str, dict[str, Any]] = json.loads(file.read())
    return {name: {key: frozenset(value.split()) if key in TEXTS else value for key, value in entry.items()}
            for name, entry in listed.items()}  # fmt: skip
