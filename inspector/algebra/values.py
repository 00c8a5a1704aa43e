"""Values of expressions: numbers, texts, lists and spans, None where absent, and where words get theirs."""

from __future__ import annotations

import math
from typing import Any, Protocol

from inspector.algebra.span import MOST_LISTED, Span

Value = Any
"""int, float, str, bool, list, dict, Span, or None for absent."""
MOST_DIGITS = 2**80
"""Powers and products beyond this number stop with an error: no count is as large."""


class Meanings(Protocol):
    """Where words get their values."""

    def word(self, path: tuple[str, ...]) -> Value:
        """The value of a symbol or config key, None where absent."""

    def index(self, hole: str) -> int | None:
        """The current index of a hole, None outside it."""

    def enter(self, hole: str, index: int | None) -> int | None:
        """Sets the index of a hole (and of the extents it was cut from); gives the former one."""

    def fault(self, kind: str, expression: str, detail: str) -> None:
        """Notes that an expression cannot be computed: kind is remainder, zero, type or size."""


class Unknown:
    """A value that is there and not known; what is computed from it is absent."""

    __slots__ = ()

    @property
    def size(self) -> int | None:
        """How many entries a list has of which the whole is not known."""
        return None

    def at(self, index: int) -> Value:
        """One entry of a list; what is no list is the same everywhere."""
        return self


def truth(value: Value) -> bool:
    """A predicate's verdict on a value: absent, false, 0, empty are false."""
    return bool(value)


def extent(value: Value) -> Span | None:
    """A number as the set 0 … n-1, a span or list of indices as itself, anything else is none."""
    if isinstance(value, Span):
        return value
    if isinstance(value, list):
        members = [whole(item) for item in value[:MOST_LISTED]]
        return Span.of(member for member in members if member is not None and member >= 0)
    count = whole(value)
    return None if count is None else Span.range(0, count)


def whole(value: Value) -> int | None:
    """An integer or a float without fraction as int; a span as its size; else None. True is not a number."""
    if type(value) is int:
        return value
    if isinstance(value, Span):
        return value.size
    if type(value) is float and value.is_integer() and abs(value) < MOST_DIGITS:
        return int(value)
    return None


def number_of(value: Value) -> int | float | None:
    """A finite number as it is, a span as its size, else None."""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    return value.size if isinstance(value, Span) else None
