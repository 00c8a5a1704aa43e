"""Lists within the lists of a config, and their entries, by name: `blocks[]` is a list in `blocks`, `blocks[].0` its
first entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

WITHIN: Final = "[]"
"""In the name of a list within another."""
Indices = tuple[int, ...]


def inner_lists(name: str, value: Any, at: Indices = ()) -> Iterator[tuple[str, Indices, list[Any]]]:
    """(name, where it is in the value, list) of each list within a list, the outer ones first."""
    for index, one in enumerate(value if isinstance(value, list) else ()):
        if isinstance(one, list):
            yield f"{name}{WITHIN}", (*at, index), one
            yield from inner_lists(f"{name}{WITHIN}", one, (*at, index))


def entries_of(name: str, value: list[Any]) -> Iterator[tuple[str, Any]]:
    """(name, entry) of the entries of a list."""
    return ((f"{name}.{index}", one) for index, one in enumerate(value))
