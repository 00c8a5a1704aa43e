"""Values of expressions (numbers, texts, lists, spans, None for absent), and the source of the values of words."""

from __future__ import annotations

import json
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
    """Interface that an evaluation needs: the values of words and the indices of holes, and a place to
    report faults.
    """

    def word(self, path: tuple[str, ...]) -> Value:
        """The value of a symbol or config key, None if it is absent."""

    def index(self, hole: str) -> int | None:
        """The current index of a hole; None outside it."""

    def enter(self, hole: str, index: int | None) -> int | None:
        """Sets the index of a hole (and of the extents it was cut from); returns the former one."""

    def fault(self, kind: str, node: Node, detail: str, rounded: int | None = None) -> int | None:
        """Records that an expression cannot be computed.

        kind: remainder, zero, type, size or differs. rounded: the quotient rounded down. Returns it if evaluation shall
        continue with it, else None.
        """


class Unknown:
    """A value that is present but unknown; everything computed from it is absent."""

    __slots__ = ()

    @property
    def size(self) -> int | None:
        """The length of a list of which only some entries are known."""
        return None

    def at(self, index: int) -> Value:
        """The entry of a list at an index; a scalar has the same value at every index."""
        return self


_SHOWN, _ITEMS = 80, 27
"""Most characters that are shown of a value, and most items that are read: an item takes three characters or more."""


def shown(value: object, most: int = 60) -> str:
    """The beginning of a value as JSON has it. Only the first items of a long list or object are read."""
    if isinstance(value, list):
        written = f"[{', '.join(map(shown, islice(list.__iter__(value), _ITEMS)))}]"
    elif isinstance(value, dict):
        written = f"{{{', '.join(f'{shown(key)}: {shown(item)}' for key, item in islice(dict.items(value), _ITEMS))}}}"
    else:
        plain = value[: 2 * _SHOWN] if isinstance(value, str) else value
        written = json.dumps(plain) if plain is None or isinstance(plain, str | bool) else repr(plain)
    return written if len(written) <= most else f"{written[: most - 3]}..."


def truth(value: Value) -> bool:
    """True unless a value is absent, false, 0 or empty: the truth of a predicate."""
    return bool(value)


def extent(value: Value) -> Span | None:
    """The index set of a value: 0 … n-1 for a number, the indices of a span or list, 0 for true as Python counts."""
    if isinstance(value, Span):
        return value
    if isinstance(value, list):
        spend(len(value) // ITEMS_A_STEP, LISTS)
        members = [whole(item) for item in value[:MOST_LISTED]]
        return Span.of(member for member in members if member is not None and member >= 0)
    count = int(value) if isinstance(value, bool) else whole(value)
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


def brief(value: Value) -> str:
    """A value in words: the number of indices of a range, "?" for an unknown value."""
    if isinstance(value, Unknown):
        return "?"
    size = getattr(value, "size", None)
    return str(size) if isinstance(size, int) else shown(value, 80)
