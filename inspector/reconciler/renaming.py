"""A missing and an unexpected family of the same places and shapes, with names alike, are one renaming."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from inspector.algebra.boxes import Box
from inspector.notation.binding import Shape

ALIKE = 0.5
"""Names less alike than this are not taken for a renaming."""

Open = tuple[str, tuple[Box, ...], Shape]
"""Tensors that are missing, or that nobody expects: their key, where they are, one tensor's shape."""


@lru_cache(maxsize=2**16)
def _likeness(one: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, other).ratio()


def renamings(gaps: Sequence[Open], strays: Sequence[Open]) -> list[tuple[int, int]]:
    """Pairs of positions (in gaps, in strays), the most alike first, each position once."""
    alike = [
        (_likeness(gap[0], stray[0]), place, other)
        for place, gap in enumerate(gaps)
        for other, stray in enumerate(strays)
        if gap[1:] == stray[1:]
    ]
    found: dict[int, int] = {}
    for likeness, place, other in sorted(alike, key=lambda pair: -pair[0]):
        if likeness >= ALIKE and place not in found and other not in found.values():
            found[place] = other
    return list(found.items())
