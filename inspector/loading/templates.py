"""Renames whole families: a name with a separate number for each index, and what became of these numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Final

from inspector.algebra.boxes import Box, minus
from inspector.algebra.names import axes_of, name_of
from inspector.algebra.span import Span

FIRST: Final = 90_000
"""The number in the place of the first index; no model has as many layers or experts."""


def sample(key: str) -> str:
    """One name of a family, with a separate number in the place of each index."""
    return name_of(key, tuple(range(FIRST, FIRST + axes_of(key))))


def samples(key: str, box: Box, numbered: Collection[tuple[str, int]]) -> Iterator[tuple[str, Box]]:
    """Sample names of a family, each with its part of an index set: one for each of certain indices, one for the rest.

    numbered: (segment, index after it) of these indices.
    """
    segments = key.split(".")
    before = [segments[place - 1] for place, segment in enumerate(segments) if segment == "#" and place]
    options = [
        [(number, axis & Span.of([number])) for segment, number in numbered if segment == name]
        for axis, name in zip(box, before, strict=True)
    ]
    for place, (axis, single) in enumerate(zip(box, options, strict=True)):
        single.append((FIRST + place, axis - Span.of(number for number, _ in single)))
    for chosen in product(*options):
        if all(span for _, span in chosen):
            yield name_of(key, tuple(number for number, _ in chosen)), tuple(span for _, span in chosen)


def template(name: str) -> tuple[str, tuple[int, ...]]:
    """(the key of a sample, for each `#` the place of its index in the original key, or -1 - the index itself)."""
    order: list[int] = []
    segments = name.split(".")
    for place, segment in enumerate(segments):
        if segment.isascii() and segment.isdecimal() and len(segment) <= 6:
            number = int(segment)
            order.append(number - FIRST if number >= FIRST else -1 - number)
            segments[place] = "#"
    return ".".join(segments), tuple(order)


def projected(boxes: Sequence[Box], order: tuple[int, ...]) -> tuple[Box, ...]:
    """Index sets of a family under a key with these indices."""
    if boxes and order == tuple(range(len(boxes[0]))):
        return tuple(boxes)
    found: tuple[Box, ...] = ()
    for box in boxes:
        new = tuple(box[place] if place >= 0 else Span.of([-1 - place]) for place in order)
        found = joined_with(found, (new,))
    return found


def joined_with(boxes: Sequence[Box], more: Sequence[Box]) -> tuple[Box, ...]:
    """The union of disjoint boxes with others."""
    found = tuple(boxes)
    for box in more:
        found = (*found, *minus((box,), found))
    return found
