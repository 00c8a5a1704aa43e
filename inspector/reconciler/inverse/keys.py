"""Turns solved leaves into config keys: lists are built from their entries and lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from inspector.algebra.values import Value
from inspector.notation.trace import LENGTH, SYMBOL, Leaf


def solved_keys(solved: Mapping[Leaf, Value], stated: Callable[[Leaf], Value]) -> dict[Leaf, Any]:
    """Config keys with their solved values; lists as a whole. stated: the value of a key that is not solved."""
    leaves = sorted((leaf for leaf in solved if leaf[0] != SYMBOL), key=str)
    return {
        key: _value({leaf[len(key) :]: solved[leaf] for leaf in entries}, stated(key))
        for key, entries in groupby(leaves, key=key_of_leaf)
    }


def key_of_leaf(leaf: Leaf) -> Leaf:
    """The key of a leaf; for an entry or a length, the key of the list."""
    return leaf[: next((at for at, step in enumerate(leaf) if isinstance(step, int) or step == LENGTH), len(leaf))]


def _value(solved: Mapping[Leaf, Value], stated: Value) -> Value:
    """The value of a key from its solved entries; entries that no equation reads keep their stated values.

    The value is a single number if no equation reads the length and all entries are equal, unless a list is stated.
    """
    if () in solved:
        return solved[()]
    numbers = sorted({leaf[0] for leaf in solved if isinstance(leaf[0], int)})
    found = {
        at: _value({leaf[1:]: value for leaf, value in solved.items() if leaf[0] == at}, _entry(stated, at))
        for at in numbers
    }
    length = solved.get((LENGTH,))
    if length is None and not isinstance(stated, list) and all(value == found[numbers[0]] for value in found.values()):
        return found[numbers[0]]
    return [found.get(at, _entry(stated, at)) for at in range(numbers[-1] + 1 if length is None else length)]


def _entry(stated: Value, at: int) -> Value:
    """A stated entry: a single number applies to every entry, and the last entry of a list to all entries beyond it."""
    return stated if not isinstance(stated, list) else stated[min(at, len(stated) - 1)] if stated else None
