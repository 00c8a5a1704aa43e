"""Sets of index tuples as boxes: one span for each axis. 58 layers times 256 experts are one box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from inspector.algebra.names import Index
from inspector.algebra.span import Span
from inspector.budget import spend, spend_at_once

Box = tuple[Span, ...]
BOXES_A_STEP = 4
LISTED_A_STEP = 64
"""Index tuples that take as long as one step."""
INDEX_SETS = "the sets of indices in the names"


def boxes_of(indices: list[Index]) -> tuple[Box, ...]:
    """An exact, disjoint cover of distinct index tuples, which all have the same length."""
    if not indices:
        return ()
    spend(len(indices), INDEX_SETS)
    axes = len(indices[0])
    if axes == 0:
        return ((),)
    if axes == 1:
        return ((Span.of(index[0] for index in indices),),)
    full = _full(indices, axes)
    if full is not None:
        return (full,)
    spend(len(indices), INDEX_SETS)
    rests: dict[int, list[Index]] = {}
    for index in indices:
        rests.setdefault(index[0], []).append(index[1:])
    firsts: dict[tuple[Box, ...], list[int]] = {}
    for first, rest in rests.items():
        firsts.setdefault(boxes_of(rest), []).append(first)
    return tuple((Span.of(found), *box) for inner, found in firsts.items() for box in inner)


def _full(indices: list[Index], axes: int) -> Box | None:
    """The single box of all tuples if they are the full product of their axes; else None."""
    sets = [set(column) for column in zip(*indices, strict=True)]
    product = 1
    for members in sets:
        product *= len(members)
    return tuple(Span.of(members) for members in sets) if product == len(indices) else None


def joined(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Joins disjoint boxes that are adjacent on one axis and equal on the others."""
    kept = list(boxes)
    axes = len(kept[0]) if kept else 0
    for axis in reversed(range(axes)):
        if len(kept) < 2:
            break
        spend(len(kept), INDEX_SETS)
        rows: dict[tuple[Span, ...], Span] = {}
        for box in kept:
            rest = (*box[:axis], *box[axis + 1 :])
            known = rows.get(rest)
            rows[rest] = box[axis] if known is None else known | box[axis]
        kept = [(*rest[:axis], span, *rest[axis:]) for rest, span in rows.items()]
    return tuple(kept)


def count(boxes: Iterable[Box]) -> int:
    """Number of index tuples."""
    total = 0
    listed = tuple(boxes)
    spend(len(listed) // BOXES_A_STEP, INDEX_SETS)
    for box in listed:
        size = 1
        for axis in box:
            size *= axis.size
        total += size
    return total


def common(one: Box, other: Box) -> Box | None:
    """The intersection, None if it is empty."""
    spend(1, INDEX_SETS)
    if one == other and all(one):
        return one
    matched: list[Span] = []
    for own, cut in zip(one, other, strict=True):
        both = own & cut
        if not both.runs:
            return None
        matched.append(both)
    return tuple(matched)


def less(boxes: Iterable[Box], cut: Box) -> tuple[Box, ...]:
    """The boxes without the tuples of the box `cut`."""
    kept: list[Box] = []
    for box in boxes:
        if box == cut:
            continue
        inside = common(box, cut)
        if inside is None:
            kept.append(box)
            continue
        for position, (axis, both) in enumerate(zip(box, inside, strict=True)):
            if axis != both:
                kept.append((*inside[:position], axis - both, *box[position + 1 :]))
    return tuple(kept)


FEW = 64
"""Up to this number of pairs of boxes, subtracting the cuts in turn is fastest; the result is the same either way."""


def minus(boxes: Sequence[Box], cuts: Sequence[Box]) -> tuple[Box, ...]:
    """The tuples of `boxes` that are in none of `cuts`, in time proportional to the number of runs."""
    if not boxes or not cuts:
        return tuple(boxes)
    if not boxes[0]:
        return ()
    if len(boxes) * len(cuts) <= FEW:
        left = tuple(boxes)
        for cut in cuts:
            left = less(left, cut)
        return left
    if len(boxes[0]) == 1:
        span = Span.union(box[0] for box in boxes) - Span.union(cut[0] for cut in cuts)
        return ((span,),) if span else ()
    rows: dict[tuple[Box, ...], list[Span]] = {}
    for atom, inside, outside in _atoms(boxes, cuts):
        rest = minus(inside, outside) if outside else tuple(inside)
        if rest:
            rows.setdefault(rest, []).append(atom)
    return tuple((span, *box) for rest, atoms in rows.items() for span in (Span.union(atoms),) for box in rest)


def _atoms(boxes: Sequence[Box], cuts: Sequence[Box]) -> Iterator[tuple[Span, list[Box], list[Box]]]:
    """Splits the first axis where boxes begin or end; each piece has the remaining axes of its boxes and cuts."""
    spend(4 * (len(boxes) + len(cuts)), INDEX_SETS)
    events: dict[int, list[tuple[bool, bool, int]]] = {}
    for is_cut, listed in ((False, boxes), (True, cuts)):
        for number, box in enumerate(listed):
            for start, stop in box[0].runs:
                events.setdefault(start, []).append((True, is_cut, number))
                events.setdefault(stop, []).append((False, is_cut, number))
    active: tuple[dict[int, Box], dict[int, Box]] = ({}, {})
    places = sorted(events)
    spend(len(places) // 2, INDEX_SETS)
    for place, following in zip(places, [*places[1:], places[-1]], strict=True):
        for begins, is_cut, number in sorted(events[place]):  # ends before beginnings at the same index
            if begins:
                active[is_cut][number] = (cuts if is_cut else boxes)[number][1:]
            else:
                active[is_cut].pop(number, None)
        if active[0]:
            spend(len(active[0]) + len(active[1]), INDEX_SETS)
            yield Span.range(place, following), list(active[0].values()), list(active[1].values())


def within(boxes: Iterable[Box], cut: Box) -> tuple[Box, ...]:
    """The intersection of the boxes with one box."""
    matched = (common(box, cut) for box in boxes)
    return tuple(box for box in matched if box is not None)


def overlapping(boxes: Sequence[Box], others: Iterable[Box]) -> bool:
    """True if an index is in both."""
    return any(common(one, other) is not None for other in others for one in boxes)


def by_digits(box: Box) -> Iterator[Box]:
    """Splits a box by the number of digits of its indices, which a pattern over `#` cannot distinguish."""
    lengths = range(len(str(max((axis.last for axis in box if axis), default=0))))
    parts = [
        [
            matched
            for length in lengths
            if (matched := axis & Span.range(10**length if length else 0, 10 ** (length + 1)))
        ]
        for axis in box
    ]
    yield from product(*parts)


def tuples(box: Box) -> Iterator[Index]:
    """Every index tuple of a box, in order. A box of more than an audit can list raises Exceeded."""
    spend_at_once(count((box,)) // LISTED_A_STEP, INDEX_SETS)
    return product(*box)


def outer(boxes: Iterable[Box], axes: int) -> tuple[Box, ...]:
    """The distinct index tuples of the first axes."""
    found: tuple[Box, ...] = ()
    for lead in dict.fromkeys(box[:axes] for box in boxes):
        found = (*found, *minus((lead,), found))
    return joined(found)


def leading(boxes: Iterable[Box], axes: int) -> set[Index] | None:
    """The distinct index tuples of the first axes; None if there are more than 100,000."""
    found: set[Index] = set()
    for box in boxes:
        if count([box[:axes]]) > 100_000:
            return None
        found.update(tuples(box[:axes]))
    return found
