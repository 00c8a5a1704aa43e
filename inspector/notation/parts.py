"""Submodels and heads of a definition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from inspector.notation.definition import Architecture, Either, Group, Head, Row, Submodel


@cache
def submodels_of(definition: Architecture) -> tuple[Submodel, ...]:
    """Every submodel of a definition, in its rows and heads."""
    rows = (definition.parts, *(row for entry in definition.heads for row in entry.rows))
    return tuple(submodel for row in rows for submodel in _submodels_below(row))


def _submodels_below(row: Row) -> Iterator[Submodel]:
    if isinstance(row, Submodel):
        yield row
    elif isinstance(row, Group):
        for inner in row.rows:
            yield from _submodels_below(inner)
    elif isinstance(row, Either):
        yield from _submodels_below(row.first)
        yield from _submodels_below(row.second)


def head_for(definition: Architecture, class_name: str) -> Head | None:
    """The head with the longest suffix of a class name, None where none fits."""
    fitting = [
        (len(name), -position, entry)
        for position, entry in enumerate(definition.heads)
        for name in entry.names
        if name and class_name.endswith(name)
    ]
    return max(fitting, key=lambda item: item[:2])[2] if fitting else None
