"""Values of config keys by which layers, stages and experts would be as many as are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from inspector.algebra.boxes import tuples
from inspector.algebra.evaluation import extent, whole
from inspector.algebra.expression import Word
from inspector.algebra.names import Index
from inspector.algebra.span import Span
from inspector.matcher.families import Families, Family
from inspector.notation.binding import Plan, scope_of, template
from inspector.notation.slots import HOLE, Slot
from inspector.reconciler.key_values import (
    MOST_EQUAL,
    MOST_LISTED,
    Key,
    keys_of,
    last_of,
    listing,
    odd_boxes,
    other_words,
    search,
)
from inspector.reconciler.place import Placement


def from_indices(plan: Plan, placement: Placement, families: Families) -> Iterator[tuple[Key, Any]]:
    """Numbers and lists below the extents of families with missing or unexpected indices."""
    odd = odd_boxes(placement)
    own = _numbered(plan)
    expected: dict[tuple[str, int], Span] = {}
    for block in plan.blocks:
        for position, span in enumerate(block.axes if block.key in odd else ()):
            expected[block.key, position] = expected.get((block.key, position), Span()) | span
    done: set[tuple[tuple[str, ...], str, int]] = set()
    for slot in plan.unrolled.slots:
        path = plan.spelling.spelled(slot, plan.scope)
        key, axes = template(path)
        if key in odd:
            for position, axis in enumerate(axes):
                if not isinstance(axis, str):
                    continue
                fixed = Span.of(at for at in own.get(key, {}).get(position, ()))
                stored = families[key].axis(position) - fixed if key in families else Span()
                if (slot.scope, axis, stored.size) in done:
                    continue
                done.add((slot.scope, axis, stored.size))
                outer = tuple((at, name) for at, name in enumerate(axes[:position]) if isinstance(name, str))
                indices = Span.union(box[position] for box in odd[key])
                family = families.get(key)
                surplus = expected.get((key, position), Span()).size - (stored.size + fixed.size)
                inner = _inner(family, outer, position, fixed)
                yield from _for_extent(plan, slot, axis, inner, stored, indices, surplus)
        for axis in HOLE.findall(key):
            found = _inside_names(plan, slot, axis, path, families)
            if any(name in odd for name in found) and (slot.scope, axis, -1) not in done:
                done.add((slot.scope, axis, -1))
                stored = Span.of(at for at, name in enumerate(found) if name in families)
                yield from _for_extent(plan, slot, axis, _Inner((), {}), stored, Span(), 0)


def _numbered(plan: Plan) -> dict[str, dict[int, set[int]]]:
    """Indices that rows of their own have: the first layer of a stage beside the rest. By key and position."""
    found: dict[str, dict[int, set[int]]] = {}
    for slot in plan.unrolled.slots:
        key, axes = template(plan.spelling.spelled(slot, plan.scope))
        for position, axis in enumerate(axes):
            if isinstance(axis, int):
                found.setdefault(key, {}).setdefault(position, set()).add(axis)
    return found


def _inside_names(plan: Plan, slot: Slot, axis: str, path: str, families: Families) -> list[str]:
    """The keys of a slot whose hole stands within a segment (`weight_ih_l{K}`), by index, one beyond all that are."""
    expected = extent(scope_of(plan.scope, slot).word((axis,)))
    found: list[str] = []
    while len(found) < SMALL_EXTENT:
        key = template(path.replace("{" + axis + "}", str(len(found))))[0]
        found.append(key)
        if key not in families and (expected is None or len(found) > expected.size):
            break
    return found


class _Inner(Struct, frozen=True):
    """What is stored at each index of the holes around an extent. outer: their names."""

    outer: tuple[str, ...]
    stored: dict[Index | None, Span]


MOST_OUTER = 64
"""Indices of the holes around an extent that are looked at one by one."""


def _inner(family: Family | None, outer: Sequence[tuple[int, str]], position: int, fixed: Span) -> _Inner:
    places = [at for at, _ in outer]
    stored: dict[Index | None, Span] = {}
    for part in family.stored if family is not None and outer else ():
        for box in part.boxes:
            for index in islice(tuples(tuple(box[at] for at in places)), MOST_OUTER):
                stored[index] = (stored.get(index, Span()) | box[position]) - fixed
    return _Inner(tuple(name for _, name in outer), stored)


MOST_EXACT = 6
"""Values with the same extent that are tried: rows elsewhere may tell them apart."""
SMALL_EXTENT = 33
"""Periods, offsets and counts of layers are looked for one by one below this number."""
LARGE_EXTENT = 8192


def _for_extent(
    plan: Plan, slot: Slot, axis: str, inner: _Inner, stored: Span, odd: Span, surplus: int
) -> Iterator[tuple[Key, Any]]:
    """Values of the keys below an extent that give it the stored indices, else their number.

    An extent that follows outer holes is looked at where they are at their first index. Where other rows
    hold some of the indices, the largest value counts that asks for none that is not stored. odd: indices of
    the hole that are missing or not expected. surplus: how many more indices all rows together expect than are.
    """
    for key in keys_of(plan.scope, slot.scope, Word((axis,))):
        current = plan.scope.settings.read(key)[0]

        def span_at(candidate: Any, at: Index | None = None, key: Key = key) -> Span | None:
            scope = scope_of(plan.scope.with_value(key, candidate), slot)
            for place, name in enumerate(inner.outer):
                indices = extent(scope.word((name,)))
                if at is not None:
                    scope.enter(name, at[place])
                elif indices:
                    scope.enter(name, indices.first)
            return extent(scope.word((axis,)))

        if isinstance(current, list | str):
            words = islice(other_words(plan.scope, slot, key, Word((axis,))), MOST_EQUAL)
            yield from ((key, value) for word in words for value in _worded(current, word, stored))
            yield from ((key, value) for value in listing(current, stored, odd))
            yield from ((key, value) for value in _counting(current, inner, stored, surplus, span_at))
            continue
        if isinstance(current, bool):
            yield key, not current
        if current is not None and whole(current) is None:
            continue

        def size_at(candidate: int) -> int | None:
            span = span_at(candidate)
            return None if span is None else span.size

        exact = [value for value in (*range(1, SMALL_EXTENT), 0) if span_at(value) == stored]
        if exact:
            yield from ((key, value) for value in exact[:MOST_EXACT])
            continue
        spans = ((value, span_at(value)) for value in range(1, SMALL_EXTENT))
        within = [value for value, span in spans if span is not None and not span - stored]
        if within and within[-1] < SMALL_EXTENT - 1:
            yield key, within[-1]
        found = search(size_at, stored.size, LARGE_EXTENT)
        if found is not None:
            yield key, found
        elif (number := whole(current)) and (size := size_at(number)) and stored:
            for value in (number * stored.size // size, number * size // stored.size):
                if span_at(value) == stored:
                    yield key, value
                    yield key, last_of(span_at, stored, value)


def _worded(current: list[Any] | str, word: str, stored: Span) -> Iterator[list[Any]]:
    """A list of words that has a word where the layers that it stands for are stored, and nowhere else."""
    if not isinstance(current, list) or not stored or stored.last > MOST_LISTED:
        return
    other = next((item for item in current if isinstance(item, str) and item != word), "")
    items = [*current, *[other] * (stored.last + 1 - len(current))]
    yield [word if at in stored else other if item == word else item for at, item in enumerate(items)]


def _counting(
    current: list[Any] | str, inner: _Inner, stored: Span, surplus: int, span_at: Callable[..., Span | None]
) -> Iterator[list[Any]]:
    """A list of counts, one a stage, with those set that give the stored indices: one alone, then all."""
    if not isinstance(current, list) or not all(type(item) is int for item in current):
        return
    if surplus and not inner.stored:  # a stage may count double, so that one more moves the sum by several
        for fewer in dict.fromkeys((surplus, 1 if surplus > 0 else -1)):
            for place in range(min(len(current), MOST_STAGES)):
                if current[place] >= fewer:
                    yield [*current[:place], current[place] - fewer, *current[place + 1 :]]
    wanted = inner.stored or {None: stored}
    before = {at: span_at(current, at) for at in wanted}
    if all(before[at] == span for at, span in wanted.items()):
        return
    joined = list(current)
    for place in range(min(len(current), MOST_STAGES)):
        other = [*current[:place], current[place] + 1, *current[place + 1 :]]
        moved = [at for at in wanted if span_at(other, at) != before[at]]
        nearest = sorted(range(SMALL_EXTENT), key=lambda number, place=place: abs(number - current[place]))  # type: ignore[misc]
        for number in nearest if moved else ():
            other[place] = number
            if all(span_at(other, at) == wanted[at] for at in moved):
                yield list(other)
                joined[place] = number
                break
    yield joined


MOST_STAGES = 8
"""Stages of which each has its own number of layers."""
