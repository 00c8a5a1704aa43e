"""Config keys and values worth testing: what shapes, indices and switches ask for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from inspector.algebra.evaluation import whole
from inspector.algebra.expression import COMPARISONS, Binary, Literal, Node, Word, children, parse
from inspector.algebra.span import Span
from inspector.matcher.families import Families
from inspector.notation.binding import Plan, scope_of, template
from inspector.notation.scope import CardScope
from inspector.notation.slots import HOLE, Condition, Slot
from inspector.reconciler.extents import MOST_OUTER, from_indices
from inspector.reconciler.key_values import (
    MOST_EQUAL,
    Key,
    default_of,
    keys_of,
    last_of,
    listing,
    odd_boxes,
    other_words,
    search,
)
from inspector.reconciler.place import Placed, Placement

MOST_HEADS = 257
"""Divisors are looked for one by one below this number."""
FEW = 9
"""A dim that is the same for all values below this number does not follow them."""


def candidates(
    plan: Plan, placement: Placement, families: Families, shown: Mapping[Key, Any]
) -> Iterator[tuple[int, Key, Any]]:
    """(source, key, value) worth testing, each pair once, likeliest first; the first source is the surest.

    shown: what the card says can be seen; it comes before all others.
    """
    seen: set[tuple[Key, str]] = set()
    surest = ((0, key, value) for key, value in shown.items())
    for source, key, value in chain(surest, _all_candidates(plan, placement, families)):
        current = plan.scope.settings.read(key)[0]
        if (key, repr(value)) in seen or (current == value and type(current) is type(value)):
            continue
        seen.add((key, repr(value)))
        yield source, key, value


def _all_candidates(plan: Plan, placement: Placement, families: Families) -> Iterator[tuple[int, Key, Any]]:
    """By turns what the shapes say, the indices, and the switches: each has its likeliest first."""
    sources = {
        0: _from_shapes(plan, placement),
        1: from_indices(plan, placement, families),
        2: _from_switches(plan, placement),
    }
    while sources:
        for number, source in list(sources.items()):
            candidate = next(source, None)
            if candidate is None:
                del sources[number]
            else:
                yield number, *candidate


MOST_MISFITS = 40
"""Families of another shape that are asked for values."""


def _from_shapes(plan: Plan, placement: Placement) -> Iterator[tuple[Key, Any]]:
    """What the most tensors of another shape ask for first."""
    misfits = sorted(placement.misfits, key=lambda one: -one.tensors)
    odd: dict[str, Span] = {}
    for one in misfits:
        if one.block.axes:
            odd[one.block.key] = Span.union([odd.get(one.block.key, Span()), *(box[0] for box in one.boxes)])
    known: dict[object, list[Any]] = {}
    votes: Counter[tuple[Key, str]] = Counter()
    shown: dict[tuple[Key, str], tuple[Key, Any]] = {}
    for placed in misfits[:MOST_MISFITS]:
        asked = {(key, repr(value)): (key, value) for key, value in _from_shape(plan, placed, odd, known)}
        votes.update(dict.fromkeys(asked, placed.tensors))
        shown |= asked
    candidates = sorted(shown, key=lambda one: -votes[one])
    yield from _joined(plan.scope, list(shown.values()))
    yield from (shown[one] for one in candidates)


def _joined(scope: CardScope, shown: Sequence[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
    """Lists of which several elements are shown to be others, each as most shapes have it."""
    votes: dict[Key, dict[int, Counter[int]]] = {}
    for key, value in shown:
        current = scope.settings.read(key)[0]
        if isinstance(value, list) and isinstance(current, list) and len(value) == len(current):
            for place, (before, after) in enumerate(zip(current, value, strict=True)):
                if before != after:
                    votes.setdefault(key, {}).setdefault(place, Counter())[after] += 1
    for key, places in votes.items():
        if len(places) > 1:
            joined = list(scope.settings.read(key)[0])
            for place, counts in places.items():
                joined[place] = counts.most_common(1)[0][0]
            yield key, joined


def _from_shape(
    plan: Plan, placed: Placed, odd_by_key: Mapping[str, Span], known: dict[object, list[Any]]
) -> Iterator[tuple[Key, Any]]:
    """Keys below each dim that differs, solved for the stored dim.

    odd_by_key: where tensors of each key differ. known: what equal dims have been solved to.
    """
    odd = odd_by_key.get(placed.block.key, Span())
    slot = placed.block.slot
    if len(slot.dims) != len(placed.layout.shape):
        return
    inside = _index_inside(template(plan.spelling.spelled(slot, plan.scope))[0], placed.block.key)
    axis_names = (*template(slot.path)[1], *inside)
    first = (*placed.boxes[0], *inside.values())
    for axis in axis_names if odd else ():
        for key in keys_of(plan.scope, slot.scope, Word((axis,))) if isinstance(axis, str) else ():
            current = plan.scope.settings.read(key)[0]
            if isinstance(current, list):
                yield from ((key, value) for value in listing(current, odd, odd))
    for node, expected, stored in zip(slot.dims, placed.block.shape, placed.layout.shape, strict=True):
        if expected == stored:
            continue
        for key in _keys_at(plan.scope, keys_of(plan.scope, slot.scope, node), odd):
            question = (slot.scope, key, node, expected, stored, axis_names, first, odd)
            if question not in known:
                known[question] = list(_values(plan, slot, key, node, expected, stored, axis_names, first, odd))
            yield from ((key, value) for value in known[question])


def _keys_at(scope: CardScope, keys: Sequence[Key], odd: Span) -> Iterator[Key]:
    """The keys, and below one that holds a config for each layer those of the layers that differ."""
    for key in keys:
        yield key
        current = scope.settings.read(key)[0]
        if isinstance(current, dict):
            for at in islice(odd, MOST_OUTER):
                entry = current.get(str(at))
                yield from ((*key, str(at), field) for field in (entry if isinstance(entry, dict) else ()))


def _index_inside(path: str, key: str) -> dict[str, Span]:
    """The indices that a key has inside its segments, by hole: 6 for `token_type_embeddings_{N}` as it is stored."""
    if path == key or not (holes := HOLE.findall(path)):
        return {}
    pattern = "([0-9]{1,6})".join(re.escape(text) for text in HOLE.split(path)[::2])
    found = re.fullmatch(pattern, key, re.ASCII)
    return {hole: Span.of([int(at)]) for hole, at in zip(holes, found.groups(), strict=True)} if found else {}


def _values(
    plan: Plan,
    slot: Slot,
    key: Key,
    node: Node,
    expected: int | None,
    stored: int,
    axes: Sequence[str | int],
    box: Sequence[Any],
    odd: Span,
) -> Iterator[Any]:
    current = plan.scope.settings.read(key)[0]
    default = default_of(plan.scope, key)

    def value_at(candidate: Any) -> int | None:
        scope = scope_of(plan.scope.with_value(key, candidate), slot)
        for axis, span in zip(axes, box, strict=False):
            if isinstance(axis, str) and span:
                scope.enter(axis, span.first)
        return whole(scope.evaluate(node))

    if isinstance(default, int) and value_at(default) == stored:
        yield default
    if isinstance(current, bool):
        yield not current
    if isinstance(current, str):
        yield from other_words(plan.scope, slot, key, node)
    elif isinstance(current, list):
        yield from _other_elements(current, value_at, stored)
        yield from listing(current, odd, odd)
    elif isinstance(current, float) and expected:
        yield current * stored / expected
    if current is not None and whole(current) is None:
        return
    number = whole(current)
    if number is not None and expected:
        if number * stored % expected == 0:
            yield number * stored // expected
        if stored and number * expected % stored == 0:
            yield number * expected // stored

    found = search(value_at, stored)
    if found is not None:
        yield found
        yield last_of(value_at, stored, found)
    elif len({value_at(value) for value in range(1, FEW)}) > 1:  # it falls, or steps: counts of heads divide
        yield from islice((value for value in range(1, MOST_HEADS) if value_at(value) == stored), MOST_EQUAL)


MOST_ELEMENTS = 8
"""Lists that widths stand in have one element a stage."""


def _other_elements(current: list[Any], value_at: Callable[[Any], int | None], stored: int) -> Iterator[list[Any]]:
    """The list with one number set to what the stored dim asks for."""
    for place, number in enumerate(current[:MOST_ELEMENTS]):
        if type(number) is not int:
            continue

        def with_element(candidate: int, place: int = place) -> list[Any]:
            return [*current[:place], candidate, *current[place + 1 :]]

        if value_at(with_element(number + 1)) == value_at(current):
            continue  # another stage's

        found = search(lambda candidate, make=with_element: value_at(make(candidate)), stored)  # type: ignore[misc]
        if found is not None:
            yield with_element(found)
        else:  # counts of heads divide: those nearest to what is stated
            nearest = sorted(range(1, MOST_HEADS), key=lambda one, number=number: abs(one - number))  # type: ignore[misc]
            fitting = (one for one in nearest if value_at(with_element(one)) == stored)
            yield from map(with_element, islice(fitting, 2))


def _from_switches(plan: Plan, placement: Placement) -> Iterator[tuple[Key, Any]]:
    """Keys of the predicates of missing rows, and of rows that the stored strays would fill."""
    odd = odd_boxes(placement)
    wanted = {id(gap.block.slot) for gap in placement.gaps}
    wanted |= {id(one.block.slot) for one in placement.misfits if len(one.layout.shape) != len(one.block.shape)}
    strays = {stray.key: stray for stray in placement.strays}
    originals = {slot.tied.partition(":")[2] for slot in plan.unrolled.slots if not slot.tied.startswith("role:embed")}
    for slot in plan.unrolled.slots:
        key, axes = template(plan.spelling.spelled(slot, plan.scope))
        if id(slot) not in wanted and key not in strays:
            continue
        shape = strays[key].layout.shape if key in strays else ()
        indices = Span.union(box[0] for box in odd[key]) if axes and key in odd else Span()
        for condition in slot.whens:
            for config_key in keys_of(plan.scope, condition.scope, condition.node):
                current = plan.scope.settings.read(config_key)[0]
                yield from ((config_key, value) for value in _settings(condition.node, current, shape))
                if type(current) is int:
                    yield from ((config_key, value) for value in _compared(plan.scope, condition))
                if isinstance(current, list) and indices:
                    yield from ((config_key, value) for value in listing(current, indices, indices))
        shared = slot.tied or slot.path in originals or slot.role in originals
        if id(slot) in wanted and shared and not slot.tied.startswith("role:embed"):
            node = slot.ties if slot.ties is not None else parse(slot.card.ties)
            for config_key in keys_of(plan.scope, slot.scope, node):
                current = plan.scope.settings.read(config_key)[0]
                yield from ((config_key, value) for value in _settings(node, current, shape))


def _settings(node: Node, current: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """Values that a switch may have instead: of the kind of the present one, and those the predicate names."""
    if isinstance(current, list):
        yield None
        return
    if type(current) is int:
        yield 0
    elif not isinstance(current, str):
        yield True
        yield False
    yield None
    for literal in _literals(node):
        yield literal
        if isinstance(literal, str):
            yield from literal.split()
    yield from shape


def _compared(scope: CardScope, condition: Condition) -> Iterator[int]:
    """The numbers that a predicate compares: the one side may have to be the other."""
    for name in condition.scope:
        scope = scope.grafts[name]
    waiting = [condition.node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Binary) and node.operator in COMPARISONS:
            sides = (whole(scope.evaluate(side)) for side in (node.left, node.right))
            yield from (value for value in sides if value is not None)
        waiting.extend(children(node))


def _literals(node: Node) -> Iterator[Any]:
    if isinstance(node, Literal) and isinstance(node.value, (str, int)):
        yield node.value
    if isinstance(node, Binary) or children(node):
        for child in children(node):
            yield from _literals(child)
