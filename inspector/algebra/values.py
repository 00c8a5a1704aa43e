"""Values of expressions (numbers, texts, lists, spans, None for absent), and the source of the values of words."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any, Protocol

from inspector.algebra.expression import Node
from inspector.algebra.span import MOST_LISTED, Span
from inspector.budget import spend

Value = Any
"""int, float, str, bool, list, dict, Span, or None for absent."""
MOST_DIGITS = 2**80
"""Powers and products beyond this number are an error: no count is as large."""
LISTS = "the layers, stages and lists of the config"
ITEMS_A_STEP = 8


class Meanings(Protocol):
    """Source of the values of words."""

    def word(self, path: tuple[str, ...]) -> Value:
        """The value of a symbol or config key, None where absent."""

    def index(self, hole: str) -> int | None:
        """The current index of a hole; None outside it."""

    def enter(self, hole: str, index: int | None) -> int | None:
        """Sets the index of a hole (and of the extents it was cut from); returns the former one."""

    def fault(self, kind: str, node: Node, detail: str, rounded: int | None = None) -> int | None:
        """Records that an expression cannot be computed. kind: remainder, zero, type, size or differs.

        rounded: a quotient rounded down. Returns it where that is to be taken, else None.
        """


class Unknown:
    """A value that is present but unknown; whatever is computed from it is absent."""

    __slots__ = ()

    @property
    def size(self) -> int | None:
        """The length of a list that is known only in part."""
        return None

    def at(self, index: int) -> Value:
        """The entry of a list at an index; a scalar has the same value at every index."""
        return self


_SHOWN, _ITEMS = 80, 27
"""Most characters and items that are read of a value: an item takes three characters or more."""


def shown(value: object, most: int = 60) -> str:
    """The beginning of a value as Python writes it; of a long list or object only the first items are read."""
    if isinstance(value, list):
        written = f"[{', '.join(map(shown, islice(list.__iter__(value), _ITEMS)))}]"
    elif isinstance(value, dict):
        written = f"{{{', '.join(f'{shown(key)}: {shown(one)}' for key, one in islice(dict.items(value), _ITEMS))}}}"
    else:
        written = repr(value[: 2 * _SHOWN] if isinstance(value, str) else value)
    return written[:most]


def truth(value: Value) -> bool:
    """The truth of a value in a predicate: absent, false, 0 and empty are false."""
    return bool(value)


def extent(value: Value) -> Span | None:
    """The index set of a value: 0 … n-1 for a number, a span or list of indices itself, else None."""
    if isinstance(value, Span):
        return value
    if isinstance(value, list):
        spend(len(value) // ITEMS_A_STEP, LISTS)
        members = [whole(item) for item in value[:MOST_LISTED]]
        return Span.of(member for member in members if member is not None and member >= 0)
    count = whole(value)
    return None if count is None else Span.range(0, count)


def whole(value: Value) -> int | None:
    """A value as an integer: a float without fraction, or the size of a span; else None. True is not a number."""
    if type(value) is int:
        return value
    if isinstance(value, Span):
        return value.size
    if type(value) is float and value.is_integer() and abs(value) < MOST_DIGITS:
        return int(value)
    return None


def number_of(value: Value) -> int | float | None:
    """A finite number, or the size of a span; else None."""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    return value.size if isinstance(value, Span) else None
