"""Stored tensors of an adapter together with the expectations for them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.adapters.expected import Expected
from inspector.adapters.names import PROMPT_TENSORS, base_name, tuner_name
from inspector.adapters.targets import Boxes
from inspector.algebra.boxes import Box, common, count
from inspector.matcher.families import Stored


class Matched(Struct, frozen=True):
    """Stored tensors and the expectation for them, None for unexpected tensors."""

    key: str
    part: Stored
    boxes: Boxes
    expected: Expected | None

    @property
    def wanted(self) -> Expected:
        """The expectation, which must exist."""
        assert self.expected is not None
        return self.expected

    @property
    def shape(self) -> tuple[int, ...]:
        """The stored shape."""
        return self.part.layout.shape

    @property
    def misfits(self) -> bool:
        """True if the expected shape is known and differs from the stored one."""
        return self.expected is not None and self.expected.checked and not self.expected.fits(self.shape)

    def differs_at(self, axis: int | None) -> bool:
        """True if the shape differs from the expected one only in one axis: the rank, or the vocabulary of a resized
        base.
        """
        return axis is not None and self.wanted.fits(self.shape, but=axis)


def overlap(one: Box, other: Box) -> Box | None:
    """The common part of two boxes; None for boxes of different axes."""
    return common(one, other) if len(one) == len(other) else None


def module_of(key: str) -> str:
    """The base's own name of the module that a tensor belongs to."""
    found = tuner_name(key)
    return found.module if found is not None else base_name(key).rpartition(".")[0]


def of_all(key: str) -> bool:
    """True if a tensor belongs to no single module: a prompt, or a tensor shared by all modules."""
    found = tuner_name(key)
    return key in PROMPT_TENSORS or (found is not None and not found.module)


def number_of_tensors(matched: Sequence[Matched]) -> int:
    """The number of tensors."""
    return sum(count(one.boxes) for one in matched)
