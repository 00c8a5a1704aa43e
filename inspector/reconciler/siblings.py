"""Compares layers with each other if no definition describes them, and reports the ones that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.algebra.boxes import Box, minus
from inspector.algebra.names import axes_of, before_index
from inspector.algebra.span import Span
from inspector.findings.finding import Finding, Place
from inspector.findings.names.tensors import SiblingOdd
from inspector.matcher.families import Families, Family
from inspector.reconciler.compress import SINGLE, OneSided, compress
from inspector.reconciler.wording import family_name, indices_in_words

FEWEST = 4
"""Least number of layers that can form a majority."""
FEWEST_EQUAL = 8
"""Least number of tensors in each block of a sequence in which a whole block may be absent."""
MOST_ODD = 3
"""Most places in which a family may differ; more are a pattern and no accident."""


def odd_siblings(families: Families) -> Iterator[Finding]:
    """The findings on families that differ between layers in a few places; tensors that one part lacks
    are one finding.
    """
    extents = _extents(families)
    missing: list[OneSided] = []
    present: dict[str, list[Box]] = {}
    for family in families.values():
        axes = axes_of(family.key)
        if axes:
            yield from _odd_shapes(family)
        if axes == 1:
            present[family.key] = [*family.boxes]
            absent = _absent(family, extents[before_index(family.key)])
            if absent and not _is_another_module(family, absent, families):
                missing.append(OneSided(family.key, absent, family.usual.shape))
    groups: dict[tuple[str, tuple[Box, ...]], list[OneSided]] = {}
    for cause in compress(missing, [], present, present, renames=False):
        lacking = [missing[part.position] for part in cause.missing]
        where = f"{cause.where}.*" if cause.kind != SINGLE else f"{before_index(lacking[0].key)}#.*"
        groups.setdefault((where, lacking[0].boxes), []).extend(lacking)
    for (where, boxes), lacking in groups.items():
        yield _odd_absence(where, boxes, [families[one.key] for one in lacking])


def _extents(families: Families) -> dict[str, Span]:
    """For each first numbered prefix, the indices of any of its families; with those that equal blocks skip."""
    numbered: dict[str, list[Family]] = {}
    for family in families.values():
        if axes_of(family.key):
            numbered.setdefault(before_index(family.key), []).append(family)
    return {prefix: _without_gaps(listed) for prefix, listed in numbered.items()}


def _without_gaps(listed: Sequence[Family]) -> Span:
    """The indices of families, with the few inner ones that blocks of many equal tensors skip.

    A sequence of modules of several classes skips the numbers of those without tensors.
    """
    whole = Span.union([family.axis(0) for family in listed])
    equal = all(axes_of(one.key) == 1 and len(one.stored) == 1 and one.tensors == whole.size for one in listed)
    skipped = whole.last + 1 - whole.first - whole.size
    if not equal or len(listed) < FEWEST_EQUAL or not 0 < skipped <= min(MOST_ODD, whole.size // FEWEST):
        return whole
    return Span(((whole.first, whole.last + 1),))


def _odd_shapes(family: Family) -> Iterator[Finding]:
    usual = family.usual
    agreeing = sum(part.tensors for part in family.stored if part.layout.shape == usual.shape)
    odd = [part for part in family.stored if part.layout.shape != usual.shape]
    if not odd:
        return
    edges = (family.axis(0).first, family.axis(0).last)  # the first and the last layer often differ by design
    if any(edge in box[0] for part in odd for box in part.boxes for edge in edges):
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
            families=(family_name(family.key),),
            confidence="likely",
        )


def _absent(family: Family, whole: Span) -> tuple[Box, ...]:
    """The few inner indices at which a family is not stored."""
    if family.tensors < FEWEST:
        return ()
    missing = minus([(whole,)], family.boxes)
    if any(edge in box[0] for box in missing for edge in (whole.first, whole.last)):
        return ()
    few = sum(box[0].size for box in missing) <= min(MOST_ODD, family.tensors // FEWEST)
    return missing if few else ()


def _is_another_module(family: Family, absent: Sequence[Box], families: Families) -> bool:
    """True if what is stored at the absent indices has no tensor in common with the siblings, as in a sequence of
    modules of several classes.
    """
    prefix, own = before_index(family.key), family.axis(0)
    numbered = [one for one in families.values() if axes_of(one.key) and before_index(one.key) == prefix]
    there = [one.axis(0) for one in numbered if any(index in one.axis(0) for box in absent for index in box[0])]
    return bool(there) and not any(span & own for span in there)


def _odd_absence(where: str, boxes: tuple[Box, ...], lacking: Sequence[Family]) -> Finding:
    """The finding on what one part lacks. where: the part, in which several families may be absent."""
    first = lacking[0]
    return SiblingOdd(
        place=Place(
            family=family_name(where if len(lacking) > 1 else first.key), indices=indices_in_words(first.key, boxes)
        ),
        here=None,
        usual=first.usual.shape,
        agreeing=first.tensors,
        siblings=first.tensors + sum(box[0].size for box in boxes),
        families=tuple(family_name(family.key) for family in lacking),
        confidence="likely",
    )
