"""Submodels and heads of a definition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from inspector.algebra.expression import Alternatives, Call, Word, children, parse
from inspector.notation.definition import Architecture, Either, Group, Head, Row, Submodel

_HOLE = re.compile(r"\{(\w+)\}")


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


@cache
def keys_of_extents(definition: Architecture) -> frozenset[str]:
    """The config keys that are by themselves the number of repetitions of a group, such as num_hidden_layers."""
    rows = (definition.parts, *(row for entry in definition.heads for row in entry.rows))
    holes = {hole for row in rows for hole in _holes_below(row)}
    keys: set[str] = set()
    for hole in holes.intersection(definition.dims):
        node = parse(definition.dims[hole])
        options = node.options if isinstance(node, Alternatives) else (node,)
        keys.update(option.path[0] for option in options if isinstance(option, Word) and len(option.path) == 1)
    return frozenset(keys - definition.dims.keys())


@cache
def lists_of_extents(definition: Architecture) -> frozenset[str]:
    """The config keys of lists with one entry for each repetition of a group in a definition, such as depths."""
    rows = (definition.parts, *(row for entry in definition.heads for row in entry.rows))
    holes = {hole for row in rows for hole in _holes_below(row)}
    waiting = [parse(definition.dims[hole]) for hole in holes.intersection(definition.dims)]
    keys: set[str] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Call) and node.name == "len":
            keys.update(word.path[0] for word in node.arguments if isinstance(word, Word) and len(word.path) == 1)
        waiting.extend(children(node))
    return frozenset(keys - definition.dims.keys())


def _holes_below(row: Row) -> Iterator[str]:
    if isinstance(row, Group):
        yield from _HOLE.findall(row.prefix)
        for inner in row.rows:
            yield from _holes_below(inner)
    elif isinstance(row, Either):
        yield from _holes_below(row.first)
        yield from _holes_below(row.second)


def head_for(definition: Architecture, class_name: str) -> Head | None:
    """The head with the longest suffix of a class name; None if no suffix fits."""
    fitting = [
        (len(name), -position, entry)
        for position, entry in enumerate(definition.heads)
        for name in entry.names
        if name and class_name.endswith(name)
    ]
    return max(fitting, key=lambda item: item[:2])[2] if fitting else None
