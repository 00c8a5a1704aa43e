"""Which config key, set to another value, would explain the differences.

A hypothesis is one key with a value solved backwards from a stored shape or index set. It is tested by
binding the card again: it is a cause where more stored tensors agree with what it changed than disagree,
and the differences grow fewer. The best one is taken, and what is left is looked at again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from inspector.algebra.boxes import Box, less
from inspector.algebra.evaluation import extent, whole
from inspector.algebra.expression import Binary, Literal, Node, Word, children, parse
from inspector.algebra.span import Span
from inspector.matcher.families import Families
from inspector.matcher.showing import shown_values
from inspector.notation.binding import Plan, scope_of, template
from inspector.notation.scope import CardScope, grafts_of
from inspector.notation.shown import NEUTRAL
from inspector.notation.slots import Slot
from inspector.reconciler.placing import Gap, Placed, Placement, Stray
from inspector.reconciler.renaming import renamings
from inspector.reconciler.solving import LARGEST

Key = tuple[str, ...]
"""A config key, dotted into sub-configs."""
Bind = Callable[[CardScope], tuple[Plan, Placement]]
"""Binds the card in a scope and places the checkpoint in it."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A config key that is wrong. config: its value there; weights: the value the shapes agree on.

    explains: tensors whose difference it takes away. agreeing: stored tensors that show the value.
    families: (family, expected dims, stored dims) of some of them. rivals: other keys and values that
    explain exactly as much. defaulted: the config leaves the key to the class's default. lost: (key,
    boxes) of a family that would have to be lost if the config were right after all.
    """

    key: str
    config: Any
    weights: Any
    explains: int
    agreeing: int
    families: tuple[str, ...]
    rivals: tuple[tuple[str, Any], ...]
    defaulted: bool
    lost: tuple[str, tuple[Box, ...]] | None = None


MOST_CAUSES = 4
FEW_DIFFERENCES = 3
"""So few tensors are not several wrong lists: a list of stages moves whole blocks."""
MOST_TESTED = 120
MOST_HEADS = 257
"""Divisors are looked for one by one below this number."""


def find_causes(
    plan: Plan, placement: Placement, families: Families, bind: Bind
) -> tuple[list[Cause], Plan, Placement]:
    """The causes, best first, and the plan and placement with all of them put right."""
    first, before = plan, placement
    shown = _seen(plan.scope, families)
    causes: list[Cause] = []
    several = len(shown) > 1 and placement.differences > FEW_DIFFERENCES
    together = _together(first, before, shown, bind) if several else None
    if together is not None and not together[2].differences:
        return together
    while placement.differences and len(causes) < MOST_CAUSES:
        found = _best(plan, placement, families, bind, shown)
        if found is None:
            break
        cause, plan, placement = found
        causes.append(cause)
    if together is not None and together[2].differences < placement.differences:
        return together
    return causes, plan, placement


def _seen(scope: CardScope, families: Families) -> dict[Key, Any]:
    """Keys that the card says can be seen, with what is seen, where the config has something else."""
    if not scope.card.shows:
        return {}
    seen = shown_values(scope.card, families)
    told = {(key,): value for key, value in seen.items() if scope.card.shows[key].how != NEUTRAL}
    return {key: value for key, value in told.items() if scope.settings.read(key)[0] != value}


def _together(
    plan: Plan, placement: Placement, shown: Mapping[Key, Any], bind: Bind
) -> tuple[list[Cause], Plan, Placement] | None:
    """Several keys at once, each needed: lists of one entry a stage are as long as one another."""

    def bound(values: Mapping[Key, Any]) -> tuple[Plan, Placement]:
        scope = plan.scope
        for key, value in values.items():
            scope = scope.with_value(key, value)
        return bind(scope)

    needed = dict(shown)
    best, laid = bound(needed)
    if laid.differences >= placement.differences or _breaks(placement, laid):
        return None
    without: dict[Key, tuple[int, Placement]] = {}
    for key in shown:
        rest = {other: value for other, value in needed.items() if other != key}
        other, found = bound(rest)
        if found.differences <= laid.differences:
            needed, best, laid = rest, other, found
        else:
            without[key] = (found.differences - laid.differences, found)
    if len(needed) < 2:
        return None  # alone it is looked at beside what else could be
    causes = []
    for key, value in needed.items():
        explains, found = without[key]
        read, defaulted = plan.scope.settings.read(key)
        odd = [one.block.key for one in found.misfits] + [gap.block.key for gap in found.gaps]
        odd += [stray.key for stray in found.strays]
        agreeing = sum(one.tensors for one in laid.placed if one.fits and one.block.key in odd)
        causes.append(Cause(".".join(key), read, value, explains, agreeing, tuple(dict.fromkeys(odd)), (), defaulted))
    return causes, best, laid


@dataclass(frozen=True, slots=True)
class _Tested:
    key: Key
    value: Any
    plan: Plan
    placement: Placement
    gain: int
    agreeing: int
    rank: int


def _best(
    plan: Plan, placement: Placement, families: Families, bind: Bind, shown: Mapping[Key, Any]
) -> tuple[Cause, Plan, Placement] | None:
    tested: list[_Tested] = []
    explained = False
    for rank, (key, value) in enumerate(_candidates(plan, placement, families, shown)):
        if rank >= MOST_TESTED or (rank >= len(shown) and explained):
            break  # what is seen and explains everything needs no other
        scope = plan.scope.with_value(key, value)
        other, laid = bind(scope)
        gain = placement.differences - laid.differences
        if gain <= 0:
            continue
        agreeing, disagreeing = _votes(plan, other, laid)
        if agreeing > disagreeing and not _breaks(placement, laid):
            tested.append(_Tested(key, value, other, laid, gain, agreeing, rank))
            explained = explained or (not laid.differences and rank < len(shown))
    if not tested:
        return None
    best = max(tested, key=lambda one: (one.gain, _preference(plan, one), -one.rank))
    rivals = tuple(
        (".".join(one.key), one.value)
        for one in tested
        if one.gain == best.gain and one.key != best.key and one.placement.differences == best.placement.differences
    )
    read, defaulted = plan.scope.settings.read(best.key)
    gone = {(id(p.block.slot)) for p in placement.misfits} - {id(p.block.slot) for p in best.placement.misfits}
    names = dict.fromkeys(
        [p.block.key for p in placement.misfits if id(p.block.slot) in gone]
        + [g.block.key for g in placement.gaps if g.block.key not in {x.block.key for x in best.placement.gaps}]
        + [s.key for s in placement.strays if s.key not in {x.key for x in best.placement.strays}]
    )
    cause = Cause(
        ".".join(best.key),
        read,
        best.value,
        best.gain,
        best.agreeing,
        tuple(names),
        rivals[:3],
        defaulted,
        _lost(plan, placement, best),
    )
    return cause, best.plan, best.placement


def _lost(plan: Plan, placement: Placement, best: _Tested) -> tuple[str, tuple[Box, ...]] | None:
    if not _moves_extent(plan, best.key):
        return None
    gap = next((gap for gap in placement.gaps if any(gap.block.axes)), None)
    return None if gap is None else (gap.block.key, gap.boxes)


def _preference(plan: Plan, tested: _Tested) -> tuple[bool, bool]:
    """Among equals: a number that the config states, and no change of how many layers there are."""
    stated = plan.scope.settings.read(tested.key)[0] is not None
    return (stated, not _moves_extent(plan, tested.key))


def _moves_extent(plan: Plan, key: Key) -> bool:
    name = ".".join(key)
    return any(name in set(plan.scope.keys_below(Word((hole,)))) for slot in plan.unrolled.slots for hole in slot.holes)


def _votes(before: Plan, after: Plan, laid: Placement) -> tuple[int, int]:
    """Stored tensors that agree and disagree with the blocks that changed."""
    known = {(id(block.slot), block.axes, block.shape, block.key) for block in before.blocks}
    changed = {id(block) for block in after.blocks if (id(block.slot), block.axes, block.shape, block.key) not in known}
    agreeing = sum(one.tensors for one in laid.placed if id(one.block) in changed and one.fits)
    disagreeing = sum(one.tensors for one in laid.placed if id(one.block) in changed and not one.fits)
    disagreeing += sum(gap.tensors for gap in laid.gaps if id(gap.block) in changed)
    gone = {(id(block.slot), block.key) for block in after.blocks}
    dropped = any((id(block.slot), block.key) not in gone for block in before.blocks)
    return agreeing + (1 if dropped else 0), disagreeing


def _breaks(before: Placement, after: Placement) -> bool:
    """Whether something that agreed before does so no longer."""
    return (
        _grown([(p.block.key, p.boxes) for p in before.misfits], [(p.block.key, p.boxes) for p in after.misfits])
        or _grown([(g.block.key, g.boxes) for g in before.gaps], [(g.block.key, g.boxes) for g in after.gaps])
        or _grown([(s.key, s.boxes) for s in before.strays], [(s.key, s.boxes) for s in after.strays])
    )


_Found = list[tuple[str, tuple[Box, ...]]]


def _grown(before: _Found, after: _Found) -> bool:
    known: dict[str, tuple[Box, ...]] = {}
    for key, boxes in before:
        known[key] = (*known.get(key, ()), *boxes)
    for key, boxes in after:
        left = boxes
        for box in known.get(key, ()):
            left = less(left, box)
        if left:
            return True
    return False


def _candidates(
    plan: Plan, placement: Placement, families: Families, shown: Mapping[Key, Any]
) -> Iterator[tuple[Key, Any]]:
    """(key, value) pairs worth testing, each once, likeliest first."""
    seen: set[tuple[Key, str]] = set()
    for key, value in chain(shown.items(), _all_candidates(plan, placement, families)):
        current = plan.scope.settings.read(key)[0]
        if (key, repr(value)) in seen or (current == value and type(current) is type(value)):
            continue
        seen.add((key, repr(value)))
        yield key, value


def _all_candidates(plan: Plan, placement: Placement, families: Families) -> Iterator[tuple[Key, Any]]:
    misfits = sorted(placement.misfits, key=lambda one: -one.tensors)
    shown = [candidate for placed in misfits[:40] for candidate in _from_shape(plan, placed)]
    yield from _joined(plan.scope, shown)
    yield from shown
    yield from _from_indices(plan, placement, families)
    yield from _from_switches(plan, placement)


def _joined(scope: CardScope, shown: Sequence[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
    """Lists of which several elements are shown to be others, each as most shapes have it."""
    votes: dict[Key, dict[int, Counter[int]]] = {}
    for key, value in shown:
        current = scope.settings.read(key)[0]
        if isinstance(value, list) and isinstance(current, list):
            for place, (before, after) in enumerate(zip(current, value, strict=True)):
                if before != after:
                    votes.setdefault(key, {}).setdefault(place, Counter())[after] += 1
    for key, places in votes.items():
        if len(places) > 1:
            joined = list(scope.settings.read(key)[0])
            for place, counts in places.items():
                joined[place] = counts.most_common(1)[0][0]
            yield key, joined


def _from_shape(plan: Plan, placed: Placed) -> Iterator[tuple[Key, Any]]:
    """Keys below each dim that differs, solved for the stored dim."""
    slot = placed.block.slot
    if len(slot.dims) != len(placed.layout.shape):
        return
    axis_names = template(slot.path)[1]
    first = placed.boxes[0]
    for node, expected, stored in zip(slot.dims, placed.block.shape, placed.layout.shape, strict=True):
        if expected == stored:
            continue
        for key in _keys(plan.scope, slot, node):
            for value in _values(plan, slot, key, node, expected, stored, axis_names, first):
                yield key, value


def _keys(scope: CardScope, slot: Slot, node: Node) -> list[Key]:
    prefix: Key = ()
    inner = scope
    for name in slot.scope:
        graft = next((one for one in _graft_configs(inner) if one[0] == name), None)
        prefix = (*prefix, graft[1] if graft else name)
        inner = inner.grafts[name]
    return [(*prefix, *key.split(".")) for key in inner.keys_below(node) if key.split(".")[0] not in inner.grafts]


def _graft_configs(scope: CardScope) -> list[tuple[str, str]]:
    return [(graft.name, graft.config) for graft in grafts_of(scope.card)]


def _values(
    plan: Plan,
    slot: Slot,
    key: Key,
    node: Node,
    expected: int | None,
    stored: int,
    axes: Sequence[str | int],
    box: Sequence[Any],
) -> Iterator[Any]:
    current = plan.scope.settings.read(key)[0]

    def value_at(candidate: Any) -> int | None:
        scope = scope_of(plan.scope.with_value(key, candidate), slot)
        for axis, span in zip(axes, box, strict=False):
            if isinstance(axis, str) and span:
                scope.enter(axis, span.first)
        return whole(scope.evaluate(node))

    if isinstance(current, bool):
        yield not current
    if isinstance(current, str):
        yield from _other_words(plan.scope, slot, key, node)
    elif isinstance(current, list):
        yield from _other_elements(current, value_at, stored)
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

    found = _search(value_at, stored)
    if found is not None:
        yield found
    else:  # it falls, or steps: counts of heads divide
        yield from islice((value for value in range(1, MOST_HEADS) if value_at(value) == stored), 2)


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

        found = _search(lambda candidate, make=with_element: value_at(make(candidate)), stored)  # type: ignore[misc]
        if found is not None:
            yield with_element(found)


def _other_words(scope: CardScope, slot: Slot, key: Key, node: Node) -> Iterator[str]:
    """The class's own word for a key, then those that a dim compares it with, through symbols."""
    default = scope.settings.defaults.get(".".join(key))
    if isinstance(default, str):
        yield default
    symbols = scope_of(scope, slot).symbols
    waiting, seen = [node], set[str]()
    while waiting:
        current = waiting.pop()
        if isinstance(current, Binary) and isinstance(current.left, Word) and current.left.path == key[-1:]:
            literal = current.right.value if isinstance(current.right, Literal) else None
            yield from literal.split() if isinstance(literal, str) else ()
        if isinstance(current, Word) and current.path[0] in symbols and current.path[0] not in seen:
            seen.add(current.path[0])
            waiting.append(parse(symbols[current.path[0]]))
        waiting.extend(children(current))


def _search(function: Callable[[int], int | None], target: int, most: int = LARGEST) -> int | None:
    """The smallest integer at which a rising function reaches the target exactly."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        value = function(middle)
        if value is None or value >= target:
            high = middle
        else:
            low = middle + 1
    return low if function(low) == target else None


def _from_indices(plan: Plan, placement: Placement, families: Families) -> Iterator[tuple[Key, Any]]:
    """Numbers below the extents of families with missing or unexpected indices."""
    odd = {gap.block.key for gap in placement.gaps} | {stray.key for stray in placement.strays}
    done: set[tuple[tuple[str, ...], str, int]] = set()
    for slot in plan.unrolled.slots:
        key, axes = template(plan.spelling.spelled(slot, plan.scope))
        if key not in odd:
            continue
        for position, axis in enumerate(axes):
            if not isinstance(axis, str):
                continue
            stored = families[key].axis(position) if key in families else Span()
            if (slot.scope, axis, stored.size) in done:
                continue
            done.add((slot.scope, axis, stored.size))
            outer = tuple(name for name in axes[:position] if isinstance(name, str))
            yield from _for_extent(plan, slot, axis, outer, stored)


SMALL_EXTENT = 33
"""Periods, offsets and counts of layers are looked for one by one below this number."""
LARGE_EXTENT = 8192


def _for_extent(plan: Plan, slot: Slot, axis: str, outer: tuple[str, ...], stored: Span) -> Iterator[tuple[Key, Any]]:
    """Values of the keys below an extent that give it the stored indices, else their number.

    An extent that follows outer holes is looked at where they are at their first index. Where other rows
    hold some of the indices, the largest value counts that asks for none that is not stored.
    """
    for key in _keys(plan.scope, slot, Word((axis,))):
        current = plan.scope.settings.read(key)[0]
        if current is not None and whole(current) is None:
            continue

        def span_at(candidate: int, key: Key = key) -> Span | None:
            scope = scope_of(plan.scope.with_value(key, candidate), slot)
            for name in outer:
                indices = extent(scope.word((name,)))
                if indices:
                    scope.enter(name, indices.first)
            return extent(scope.word((axis,)))

        def size_at(candidate: int, key: Key = key) -> int | None:
            span = span_at(candidate, key)
            return None if span is None else span.size

        exact = next((value for value in range(SMALL_EXTENT) if span_at(value) == stored), None)
        if exact is not None:
            yield key, exact
            continue
        spans = ((value, span_at(value)) for value in range(1, SMALL_EXTENT))
        within = [value for value, span in spans if span is not None and not span - stored]
        if within and within[-1] < SMALL_EXTENT - 1:
            yield key, within[-1]
        found = _search(size_at, stored.size, LARGE_EXTENT)
        if found is not None:
            yield key, found


def _from_switches(plan: Plan, placement: Placement) -> Iterator[tuple[Key, Any]]:
    """Keys of the predicates of missing rows, and of rows that the stored strays would fill."""
    gaps, strays = _not_renamed(placement)
    wanted = {id(gap.block.slot) for gap in gaps}
    wanted |= {id(one.block.slot) for one in placement.misfits if len(one.layout.shape) != len(one.block.shape)}
    for slot in plan.unrolled.slots:
        key = template(plan.spelling.spelled(slot, plan.scope))[0]
        if id(slot) not in wanted and key not in strays:
            continue
        shape = strays[key].layout.shape if key in strays else ()
        for condition in slot.whens:
            for config_key in _keys_in(plan.scope, condition.scope, condition.node):
                current = plan.scope.settings.read(config_key)[0]
                yield from ((config_key, value) for value in _settings(condition.node, current, shape))


def _not_renamed(placement: Placement) -> tuple[list[Gap], dict[str, Stray]]:
    """What is missing and what nobody expects, without what is only called otherwise: that moves no switch."""
    gaps, strays = list(placement.gaps), list(placement.strays)
    pairs = renamings(
        [(gap.block.key, gap.boxes, gap.block.shape) for gap in gaps],
        [(stray.key, stray.boxes, stray.layout.shape) for stray in strays],
    )
    called, named = {place for place, _ in pairs}, {other for _, other in pairs}
    left = [gap for place, gap in enumerate(gaps) if place not in called]
    return left, {stray.key: stray for place, stray in enumerate(strays) if place not in named}


def _keys_in(scope: CardScope, path: tuple[str, ...], node: Node) -> list[Key]:
    inner, prefix = scope, list[str]()
    for name in path:
        prefix.append(dict(_graft_configs(inner)).get(name, name))
        inner = inner.grafts[name]
    return [(*prefix, *key.split(".")) for key in inner.keys_below(node) if key.split(".")[0] not in inner.grafts]


def _settings(node: Node, current: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """Values that a switch may have instead: of the kind of the present one, and those the predicate names."""
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


def _literals(node: Node) -> Iterator[Any]:
    if isinstance(node, Literal) and isinstance(node.value, (str, int)):
        yield node.value
    if isinstance(node, Binary) or children(node):
        for child in children(node):
            yield from _literals(child)
