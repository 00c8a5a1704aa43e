"""Which config key, set to another value, would explain the differences.

A hypothesis is one key with a value solved backwards from a stored shape or index set. It is tested by
binding the card again: it is a cause where more stored tensors agree with what it changed than disagree,
and the differences grow fewer. The best one is taken, and what is left is looked at again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspector.algebra.boxes import Box, count, less, tuples, within
from inspector.algebra.evaluation import extent, whole
from inspector.algebra.expression import COMPARISONS, Binary, Literal, Node, Word, children, parse
from inspector.algebra.names import Index
from inspector.algebra.span import Span
from inspector.matcher.families import Families, Family
from inspector.notation.binding import Plan, scope_of, template
from inspector.notation.scope import CardScope, grafts_of
from inspector.notation.slots import HOLE, Condition, Slot
from inspector.reconciler.placing import Placed, Placement
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
    families: (family, expected dims, stored dims) of some of them. rivals: other values of the key, and other
    keys with theirs, that explain exactly as much. defaulted: the config leaves the key to the class's
    default. lost: (key, boxes) of a family that would have to be lost if the config were right after all.
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
MOST_TESTED = 120
FEWEST_TESTED = 30
MOST_BLOCKS = 12_000
"""Blocks that are bound in one round: where a plan has hundreds of them fewer hypotheses are tested."""
MOST_HEADS = 257
"""Divisors are looked for one by one below this number."""
MOST_RIVALRY = 24
"""Hypotheses that are tested after one that explains everything."""
FEW = 9
"""A dim that is the same for all values below this number does not follow them."""
MOST_EQUAL = 8
"""Values of one key that explain equally much: counts of heads that all divide a width."""
MOST_RIVALS = 3
"""Other keys that explain equally much."""


def find_causes(
    plan: Plan, placement: Placement, families: Families, bind: Bind
) -> tuple[list[Cause], Plan, Placement]:
    """The causes, best first, and the plan and placement with all of them put right."""
    causes: list[Cause] = []
    while placement.differences and len(causes) < MOST_CAUSES:
        found = _best(plan, placement, families, bind)
        if found is None:
            break
        cause, plan, placement = found
        causes.append(cause)
    return causes, plan, placement


@dataclass(frozen=True, slots=True)
class _Tested:
    key: Key
    value: Any
    plan: Plan
    placement: Placement
    gain: int
    agreeing: int
    rank: int


def _best(plan: Plan, placement: Placement, families: Families, bind: Bind) -> tuple[Cause, Plan, Placement] | None:
    tested: list[_Tested] = []
    called = _called(placement)
    most = min(MOST_TESTED, max(FEWEST_TESTED, MOST_BLOCKS // max(1, len(plan.blocks))))
    for rank, (key, value) in enumerate(_candidates(plan, placement, families)):
        if rank >= most:
            break
        scope = plan.scope.with_value(key, value)
        other, laid = bind(scope)
        gain = placement.differences - laid.differences
        if gain <= 0:
            continue
        agreeing, disagreeing = _votes(plan, other, laid)
        if agreeing <= disagreeing or _breaks(placement, laid, gain):
            continue
        if not _splits(called, laid) and not _in_part(placement, laid):
            tested.append(_Tested(key, value, other, laid, gain, agreeing, rank))
            if not laid.differences:
                most = min(most, rank + MOST_RIVALRY)  # nothing is left to explain but who else explains it
    if not tested:
        return None
    best = max(tested, key=lambda one: (one.gain, _preference(plan, one), -one.rank))
    equal = [
        (".".join(one.key), one.value)
        for one in tested
        if one is not best and one.gain == best.gain and one.placement.differences == best.placement.differences
    ]
    name = ".".join(best.key)
    others = [rival for rival in equal if rival[0] == name][:MOST_EQUAL]
    elsewhere = {key: (key, value) for key, value in reversed(equal) if key != name}
    rivals = (*others, *list(reversed(elsewhere.values()))[:MOST_RIVALS])
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
        rivals,
        defaulted,
        _lost(plan, placement, best),
    )
    return cause, best.plan, best.placement


def _lost(plan: Plan, placement: Placement, best: _Tested) -> tuple[str, tuple[Box, ...]] | None:
    if not _moves_extent(plan, best.key):
        return None
    gap = next((gap for gap in placement.gaps if any(gap.block.axes)), None)
    return None if gap is None else (gap.block.key, gap.boxes)


def _preference(plan: Plan, tested: _Tested) -> tuple[bool, bool, bool, int]:
    """Among equals: a key that is stated, a value and not its absence, as many layers as before, less moved."""
    stated = plan.scope.settings.read(tested.key)[0] is not None
    return (stated, tested.value is not None, not _moves_extent(plan, tested.key), -tested.agreeing)


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
    stored = {id(one.block) for one in laid.placed}
    kept = {(id(block.slot), block.axes, block.key, block.tie is None) for block in after.blocks}
    held = {(id(block.slot), block.key) for block in after.blocks if id(block) in stored and id(block) in changed}
    dropped = any(
        (id(block.slot), block.axes, block.key, block.tie is None) not in kept
        and (id(block.slot), block.key) not in held
        for block in before.blocks
    )
    return agreeing + (1 if dropped else 0), disagreeing


FEW_BROKEN = 4
"""A width explains so many differences for each tensor that agreed before by chance or has a wound of its own."""


def _breaks(before: Placement, after: Placement, gain: int) -> bool:
    """Whether what agreed before does so no longer. What is newly expected and missing has its vote.

    Where shapes come to agree, a few others may have agreed by chance; a lost layer leaves no such excuse.
    """
    misfits = _without(
        ((one.block.key, one.boxes) for one in after.misfits),
        _boxes_by_key((one.block.key, one.boxes) for one in before.misfits),
    )
    strays = _without(
        ((one.key, one.boxes) for one in after.strays),
        _boxes_by_key((one.key, one.boxes) for one in before.strays),
    )
    broken = sum(count(boxes) for boxes in (*misfits.values(), *strays.values()))
    fewer = sum(one.tensors for one in after.misfits) < sum(one.tensors for one in before.misfits)
    return broken > 0 and (not fewer or FEW_BROKEN * broken > gain)


_Called = list[tuple["_Found", "_Found"]]
"""Families that are only called otherwise: (key, boxes) of what is missing, and of what is stored instead."""


def _called(placement: Placement) -> _Called:
    gaps = [(gap.block.key, gap.boxes, gap.block.shape) for gap in placement.gaps]
    strays = [(stray.key, stray.boxes, stray.layout.shape) for stray in placement.strays]
    return [
        ([gaps[place][:2] for place in missing], [strays[place][:2] for place in others])
        for missing, others in renamings(gaps, strays)
    ]


def _splits(called: _Called, after: Placement) -> bool:
    """Whether a renaming is half explained: its name is no longer missed, and is stored otherwise all the same."""
    if not called:
        return False
    gaps = _boxes_by_key((gap.block.key, gap.boxes) for gap in after.gaps)
    strays = _boxes_by_key((stray.key, stray.boxes) for stray in after.strays)
    return any(_any_of(missing, gaps) != _any_of(stored, strays) for missing, stored in called)


def _any_of(found: _Found, among: dict[str, tuple[Box, ...]]) -> bool:
    """Whether some of these tensors are among others."""
    return any(within(among.get(key, ()), box) for key, boxes in found for box in boxes)


def _in_part(before: Placement, after: Placement) -> bool:
    """Whether a lost or an added layer is explained in part: no key of a config does that to a layer.

    Lost: nothing but gaps goes, and it goes where nothing is stored and other gaps stay, or new ones come.
    Added: what nobody expects goes only where more of it stays.
    """
    if sum(one.tensors for one in after.misfits) < sum(one.tensors for one in before.misfits):
        return False
    strays = _boxes_by_key((stray.key, stray.boxes) for stray in after.strays)
    if taken := _by_first_index(_without(((one.key, one.boxes) for one in before.strays), strays)):
        return _covers(_by_first_index(strays), taken)
    gaps = _boxes_by_key((gap.block.key, gap.boxes) for gap in after.gaps)
    if _grown([(g.block.key, g.boxes) for g in before.gaps], [(g.block.key, g.boxes) for g in after.gaps]):
        return True
    resolved = _by_first_index(_without(((gap.block.key, gap.boxes) for gap in before.gaps), gaps))
    stored = _by_first_index(_boxes_by_key((one.block.key, one.boxes) for one in after.placed))
    holes = {prefix: span - stored.get(prefix, Span()) for prefix, span in _by_first_index(gaps).items()}
    return _covers(holes, resolved)


def _covers(spans: Mapping[str, Span], others: Mapping[str, Span]) -> bool:
    """Whether all indices of the others are among these."""
    return all(not indices - spans.get(prefix, Span()) for prefix, indices in others.items())


def _without(
    found: Iterable[tuple[str, tuple[Box, ...]]], cut: Mapping[str, tuple[Box, ...]]
) -> dict[str, tuple[Box, ...]]:
    """What is not among others."""
    left: dict[str, tuple[Box, ...]] = {}
    for key, boxes in found:
        for box in cut.get(key, ()):
            if boxes and len(box) == len(boxes[0]):
                boxes = less(boxes, box)
        if boxes:
            left[key] = (*left.get(key, ()), *boxes)
    return left


def _by_first_index(boxes: Mapping[str, tuple[Box, ...]]) -> dict[str, Span]:
    """The first indices of some tensors below each prefix; what has none stands by itself."""
    found: dict[str, Span] = {}
    for key, listed in boxes.items():
        prefix, _, _ = key.partition(".#.")
        spans = [box[0] for box in listed] if "#" in key else [Span.range(0, 1)] * bool(listed)
        name = prefix if "#" in key else key
        found[name] = Span.union([found.get(name, Span()), *spans])
    return found


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


def _candidates(plan: Plan, placement: Placement, families: Families) -> Iterator[tuple[Key, Any]]:
    """(key, value) pairs worth testing, each once, likeliest first."""
    seen: set[tuple[Key, str]] = set()
    for key, value in _all_candidates(plan, placement, families):
        current = plan.scope.settings.read(key)[0]
        if (key, repr(value)) in seen or (current == value and type(current) is type(value)):
            continue
        seen.add((key, repr(value)))
        yield key, value


def _all_candidates(plan: Plan, placement: Placement, families: Families) -> Iterator[tuple[Key, Any]]:
    """By turns what the shapes say, the indices, and the switches: each has its likeliest first."""
    sources = [
        _from_shapes(plan, placement),
        _from_indices(plan, placement, families),
        _from_switches(plan, placement),
    ]
    while sources:
        for source in list(sources):
            candidate = next(source, None)
            if candidate is None:
                sources.remove(source)
            else:
                yield candidate


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
        for key in _keys(plan.scope, slot.scope, Word((axis,))) if isinstance(axis, str) else ():
            current = plan.scope.settings.read(key)[0]
            if isinstance(current, list):
                yield from ((key, value) for value in _listing(current, odd, odd))
    for node, expected, stored in zip(slot.dims, placed.block.shape, placed.layout.shape, strict=True):
        if expected == stored:
            continue
        for key in _keys_at(plan.scope, _keys(plan.scope, slot.scope, node), odd):
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


def _keys(scope: CardScope, path: tuple[str, ...], node: Node) -> list[Key]:
    """The config keys below an expression read in the grafts of a path; symbols of other grafts are followed."""
    prefix, inner = list[str](), scope
    for name in path:
        prefix.append(_config_of(inner, name))
        inner = inner.grafts[name]
    found: list[Key] = []
    for key in inner.keys_below(node):
        first, *rest = key.split(".")
        if first not in inner.grafts:
            found.append((*prefix, first, *rest))
        elif rest:
            found.extend(_keys(scope, (*path, first), Word(tuple(rest))))
    return found


def _config_of(scope: CardScope, name: str) -> str:
    """The sub-config that a graft reads."""
    return next((graft.config for graft in grafts_of(scope.card) if graft.name == name), name)


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
        yield from _listing(current, odd, odd)
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
        yield _last(value_at, stored, found)
    elif len({value_at(value) for value in range(1, FEW)}) > 1:  # it falls, or steps: counts of heads divide
        yield from islice((value for value in range(1, MOST_HEADS) if value_at(value) == stored), MOST_EQUAL)


def _last(function: Callable[[int], int | None], target: int, first: int) -> int:
    """The largest integer up to which a function stays at a target, from the first one on at which it has it."""
    low, step = first, 1
    while function(low + step) == target and low < LARGE_EXTENT:
        low, step = low + step, 2 * step
    high = low + step
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if function(middle) == target else (low, middle)
    return low


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


PATIENCE = 6
"""A function that does not rise while its argument doubles so often rises no more."""


def _search(function: Callable[[int], int | None], target: int, most: int = LARGEST) -> int | None:
    """The smallest integer at which a rising function reaches the target exactly."""
    high, before, level = 1, None, 0
    while (value := function(high)) is None or value < target:
        level = level + 1 if value == before and high > target else 0
        if high >= most or level > PATIENCE:
            return None
        before, high = value, min(2 * high, most)
    low = 0
    while low < high:
        middle = (low + high) // 2
        value = function(middle)
        if value is None or value >= target:
            high = middle
        else:
            low = middle + 1
    return low if function(low) == target else None


def _from_indices(plan: Plan, placement: Placement, families: Families) -> Iterator[tuple[Key, Any]]:
    """Numbers and lists below the extents of families with missing or unexpected indices."""
    odd = _odd(placement)
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


def _odd(placement: Placement) -> dict[str, tuple[Box, ...]]:
    """The indices at which something is missing or not expected, by key."""
    gaps = [(gap.block.key, gap.boxes) for gap in placement.gaps]
    return _boxes_by_key([*gaps, *((stray.key, stray.boxes) for stray in placement.strays)])


def _boxes_by_key(found: Iterable[tuple[str, tuple[Box, ...]]]) -> dict[str, tuple[Box, ...]]:
    """Boxes by key."""
    odd: dict[str, tuple[Box, ...]] = {}
    for key, boxes in found:
        odd[key] = (*odd.get(key, ()), *boxes)
    return odd


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


@dataclass(frozen=True, slots=True)
class _Inner:
    """What is stored at each index of the holes around an extent. outer: their names."""

    outer: tuple[str, ...]
    stored: dict[Index, Span]


MOST_OUTER = 64
"""Indices of the holes around an extent that are looked at one by one."""


def _inner(family: Family | None, outer: Sequence[tuple[int, str]], position: int, fixed: Span) -> _Inner:
    places = [at for at, _ in outer]
    stored: dict[Index, Span] = {}
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
    for key in _keys(plan.scope, slot.scope, Word((axis,))):
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
            words = islice(_other_words(plan.scope, slot, key, Word((axis,))), MOST_EQUAL)
            yield from ((key, value) for word in words for value in _worded(current, word, stored))
            yield from ((key, value) for value in _listing(current, stored, odd))
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
        found = _search(size_at, stored.size, LARGE_EXTENT)
        if found is not None:
            yield key, found
        elif (number := whole(current)) and (size := size_at(number)) and stored:
            yield from ((key, value) for value in (number * stored.size // size, number * size // stored.size))


def _worded(current: list[Any] | str, word: str, stored: Span) -> Iterator[list[Any]]:
    """A list of words that has a word where the layers that it stands for are stored, and nowhere else."""
    if not isinstance(current, list) or not stored or stored.last > MOST_LISTED:
        return
    other = next((item for item in current if isinstance(item, str) and item != word), "")
    items = [*current, *[other] * (stored.last + 1 - len(current))]
    yield [word if at in stored else other if item == word else item for at, item in enumerate(items)]


def _listing(current: list[Any] | str, stored: Span, odd: Span) -> Iterator[Any]:
    """A list of indices with those that are stored, or a list of words or numbers with others at the odd indices."""
    numbers = isinstance(current, list) and all(type(item) is int for item in current)
    if numbers and current == sorted(current) and max(stored.size, odd.size) <= MOST_LISTED:
        yield list(stored)
        yield sorted(set(current) ^ set(odd))
    elif odd and odd.last < len(current):
        words = dict.fromkeys(item for item in current if isinstance(item, str | int))
        if numbers:
            words |= {1: None, 0: None}
        for word in islice(words, MOST_EQUAL):
            changed = [word if at in odd else item for at, item in enumerate(current)]
            yield "".join(map(str, changed)) if isinstance(current, str) else changed


MOST_LISTED = 4096
"""Lists in a config name at most so many layers."""


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
    wanted: dict[Index | None, Span] = {**inner.stored} if inner.stored else {None: stored}
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


def _from_switches(plan: Plan, placement: Placement) -> Iterator[tuple[Key, Any]]:
    """Keys of the predicates of missing rows, and of rows that the stored strays would fill."""
    odd = _odd(placement)
    wanted = {id(gap.block.slot) for gap in placement.gaps}
    wanted |= {id(one.block.slot) for one in placement.misfits if len(one.layout.shape) != len(one.block.shape)}
    strays = {stray.key: stray for stray in placement.strays}
    for slot in plan.unrolled.slots:
        key, axes = template(plan.spelling.spelled(slot, plan.scope))
        if id(slot) not in wanted and key not in strays:
            continue
        shape = strays[key].layout.shape if key in strays else ()
        indices = Span.union(box[0] for box in odd[key]) if axes and key in odd else Span()
        for condition in slot.whens:
            for config_key in _keys(plan.scope, condition.scope, condition.node):
                current = plan.scope.settings.read(config_key)[0]
                yield from ((config_key, value) for value in _settings(condition.node, current, shape))
                if type(current) is int:
                    yield from ((config_key, value) for value in _compared(plan.scope, condition))
                if isinstance(current, list) and indices:
                    yield from ((config_key, value) for value in _listing(current, indices, indices))
        if id(slot) in wanted and slot.tied and not slot.tied.startswith("role:embed"):
            node = slot.ties if slot.ties is not None else parse(slot.card.ties)
            for config_key in _keys(plan.scope, slot.scope, node):
                current = plan.scope.settings.read(config_key)[0]
                yield from ((config_key, value) for value in _settings(node, current, shape))


def _settings(node: Node, current: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """Values that a switch may have instead: of the kind of the present one, and those the predicate names."""
    if isinstance(current, list):
        yield None
        return
    if type(current) is int:
        yield 0
    else:
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
