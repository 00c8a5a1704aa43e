"""Renames whole families by sample names: each index gets a distinct number, which is recognised after the renaming."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Final

from inspector.algebra.boxes import Box, minus
from inspector.algebra.names import axes_of, name_of
from inspector.algebra.span import Span

FIRST: Final = 90_000
"""The number that replaces the first index; no model has as many layers or experts."""
STEP: Final = 100
"""Distance between the numbers of two indices: more than twice what a renaming adds to an index."""

Order = tuple[tuple[int, int], ...]
"""For each `#`: the position of its index in the original key and the number added to it; or -1 and the
index itself.
"""


def sample(key: str) -> str:
    """One name of a family, with a distinct number for each index."""
    return name_of(key, tuple(FIRST + place * STEP for place in range(axes_of(key))))


def samples(key: str, box: Box, numbered: Collection[tuple[str, int]]) -> Iterator[tuple[str, Box]]:
    """Sample names of a family, each with its part of an index set: one for each special index, and one for all others.

    numbered: (segment, index after it) of the special indices.
    """
    segments = key.split(".")
    before = [segments[place - 1] if place else "" for place, segment in enumerate(segments) if segment == "#"]
    options = [
        [(number, axis & Span.of([number])) for segment, number in numbered if segment == name]
        for axis, name in zip(box, before, strict=True)
    ]
    for place, (axis, single) in enumerate(zip(box, options, strict=True)):
        single.append((FIRST + place * STEP, axis - Span.of(number for number, _ in single)))
    for chosen in product(*options):
        if all(span for _, span in chosen):
            yield name_of(key, tuple(number for number, _ in chosen)), tuple(span for _, span in chosen)


def template(name: str) -> tuple[str, Order]:
    """(the key of a sample, the order of its indices)."""
    order: list[tuple[int, int]] = []
    segments = name.split(".")
    for place, segment in enumerate(segments):
        if segment.isascii() and segment.isdecimal() and len(segment) <= 6:
            order.append(_origin(int(segment)))
            segments[place] = "#"
    return ".".join(segments), tuple(order)


def _origin(number: int) -> tuple[int, int]:
    """For a number in a sample: the position of its index and the number added to it; or -1 and the number."""
    place, added = divmod(number - FIRST + STEP // 2, STEP)
    return (place, added - STEP // 2) if place >= 0 else (-1, number)


def projected(boxes: Sequence[Box], order: Order) -> tuple[Box, ...]:
    """Index sets of a family, in the order of another key's indices."""
    if boxes and order == tuple((place, 0) for place in range(len(boxes[0]))):
        return tuple(boxes)
    found: tuple[Box, ...] = ()
    for box in boxes:
        new = tuple(box[place].moved(number) if place >= 0 else Span.of([number]) for place, number in order)
        found = joined_with(found, (new,))
    return found


def joined_with(boxes: Sequence[Box], more: Sequence[Box]) -> tuple[Box, ...]:
    """The union of disjoint boxes with others."""
    found = tuple(boxes)
    for box in more:
        found = (*found, *minus((box,), found))
    return found
