"""What a stage has seen and a rule puts into words: the lowest floor of the house.

A stage (loader, matcher, reconciler) never words anything: it states which rule has a case, where,
and the facts. `inspector.rules` turns evidence into findings, so that every format says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Fact = object
"""A JSON value: str, int, float, bool, None, or a list or dict of these."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where: any of a file of the checkpoint, a tensor, a family of tensors, a config key."""

    file: str | None = None
    tensor: str | None = None
    family: str | None = None
    indices: str | None = None  # exact index set in words, "layers 0, 2, 4-28"
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One case for the rule of this kebab name (`shape-differs`)."""

    rule: str
    place: Place = Place()
    facts: Mapping[str, Fact] = field(default_factory=dict)
    confidence: str = "certain"
