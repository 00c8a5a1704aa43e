"""Without a definition: layers compared with each other, and the odd one named. Nothing else is claimed."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.algebra.boxes import Box, less
from inspector.algebra.names import axes_of, before_index
from inspector.algebra.span import Span
from inspector.findings.finding import Finding, Place
from inspector.findings.names.tensors import SiblingOdd
from inspector.matcher.families import Families, Family
from inspector.reconciler.wording import family_name, indices_in_words

FEWEST = 4
"""Fewer siblings than this make no majority that deserves the name."""
MOST_ODD = 3
"""A family that differs in more places than this is a pattern, not an accident."""


def odd_siblings(families: Families) -> Iterator[Finding]:
    """One finding for each family that differs from itself in a few places."""
    extents = _extents(families)
    for family in families.values():
        axes = axes_of(family.key)
        if axes == 0:
            continue
        yield from _odd_shapes(family)
        whole = extents.get(_prefix(family.key))
        if axes == 1 and whole is not None:
            yield from _absent(family, whole)


def _prefix(key: str) -> str:
    return before_index(key)


def _extents(families: Families) -> dict[str, Span]:
    """For each first numbered prefix the indices that at least half of its families have."""
    spans: dict[str, list[Span]] = {}
    for family in families.values():
        if axes_of(family.key):
            spans.setdefault(_prefix(family.key), []).append(family.axis(0))
    return {prefix: Span.union(found) for prefix, found in spans.items()}


def _odd_shapes(family: Family) -> Iterator[Finding]:
    usual = family.usual
    agreeing = sum(part.tensors for part in family.stored if part.layout.shape == usual.shape)
    odd = [part for part in family.stored if part.layout.shape != usual.shape]
    if not odd:
        return
    edges = {family.axis(0).first, family.axis(0).last}  # the first and the last are often meant to differ
    if any(edges & set(box[0]) for part in odd for box in part.boxes):
        return
    count = sum(part.tensors for part in odd)
    if agreeing < FEWEST or count > min(MOST_ODD, agreeing // FEWEST):
        return
    for part in odd:
        yield SiblingOdd(
            place=Place(family=family_name(family.key), indices=indices_in_words(family.key, part.boxes)),
            here=part.layout.shape,
            usual=usual.shape,
            agreeing=agreeing,
            siblings=family.tensors,
            confidence="likely",
        )


def _absent(family: Family, whole: Span) -> Iterator[Finding]:
    stored: tuple[Box, ...] = tuple(box for part in family.stored for box in part.boxes)
    missing: tuple[Box, ...] = ((whole,),)
    for box in stored:
        missing = less(missing, box)
    absent = sum(box[0].size for box in missing)
    if any({whole.first, whole.last} & set(box[0]) for box in missing):
        return
    if not absent or family.tensors < FEWEST or absent > min(MOST_ODD, family.tensors // FEWEST):
        return
    yield SiblingOdd(
        place=Place(family=family_name(family.key), indices=indices_in_words(family.key, missing)),
        here=None,
        usual=family.usual.shape,
        agreeing=family.tensors,
        siblings=whole.size,
        confidence="likely",
    )
