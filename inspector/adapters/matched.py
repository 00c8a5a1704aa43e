"""Stored tensors of an adapter with what is expected of each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.adapters.expected import Expected
from inspector.adapters.names import PROMPT_TENSORS, base_name, tuner_name
from inspector.adapters.targets import Boxes
from inspector.algebra.boxes import Box, common, count
from inspector.matcher.families import Stored


class Matched(Struct, frozen=True):
    """Stored tensors and what is expected of them, None where nothing is."""

    key: str
    part: Stored
    boxes: Boxes
    expected: Expected | None

    @property
    def wanted(self) -> Expected:
        """What is expected, where something is."""
        assert self.expected is not None
        return self.expected

    @property
    def shape(self) -> tuple[int, ...]:
        """As stored."""
        return self.part.layout.shape

    @property
    def misfits(self) -> bool:
        """Whether the shape is known and another."""
        return self.expected is not None and self.expected.checked and not self.expected.fits(self.shape)

    def differs_at(self, axis: int | None) -> bool:
        """Whether the shape is as expected but for one axis: the rank, or the words of a resized vocabulary."""
        return axis is not None and self.wanted.fits(self.shape, but=axis)


def overlap(one: Box, other: Box) -> Box | None:
    """The common part of two boxes; None for boxes of different axes."""
    return common(one, other) if len(one) == len(other) else None


def module_of(key: str) -> str:
    """The base's own name of what a tensor belongs to."""
    found = tuner_name(key)
    return found.module if found is not None else base_name(key).rpartition(".")[0]


def of_all(key: str) -> bool:
    """Whether a tensor belongs to no module: a prompt, or what a method shares among all modules."""
    found = tuner_name(key)
    return key in PROMPT_TENSORS or (found is not None and not found.module)


def number_of_tensors(matched: Sequence[Matched]) -> int:
    """How many tensors these are."""
    return sum(count(one.boxes) for one in matched)
