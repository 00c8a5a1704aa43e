"""Which config key, set to another value, would explain the differences.

A hypothesis is one key with a value solved backwards from a stored shape or index set. It is tested by
binding the card again: it is a cause where more stored tensors agree with what it changed than disagree,
and the differences grow fewer. The best one is taken, and what is left is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, count, less
from inspector.algebra.expression import Word
from inspector.algebra.span import Span
from inspector.matcher.families import Families
from inspector.matcher.showing import shown_values
from inspector.notation.binding import Plan
from inspector.notation.scope import CardScope
from inspector.notation.shown import NEUTRAL
from inspector.reconciler.candidates import candidates
from inspector.reconciler.key_values import MOST_EQUAL, Key, boxes_by_key
from inspector.reconciler.place import Placement
from inspector.reconciler.renaming import renamings

Bind = Callable[[CardScope], tuple[Plan, Placement]]
"""Binds the card in a scope and places the checkpoint in it."""


class Cause(Struct, frozen=True):
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
FEW_DIFFERENCES = 3
"""So few tensors are not several wrong lists: a list of stages moves whole blocks."""
MOST_TESTED = 120
FEWEST_TESTED = 30
MOST_BLOCKS = 12_000
"""Blocks that are bound in one round: where a plan has hundreds of them fewer hypotheses are tested."""
MOST_RIVALRY = 24
"""Hypotheses that are tested after one that explains everything."""
MOST_RIVALS = 3
"""Other keys that explain equally much."""


def find_causes(
    plan: Plan, placement: Placement, families: Families, bind: Bind
) -> tuple[list[Cause], Plan, Placement]:
    """The causes, best first, and the plan and placement with all of them put right."""
    shown = _seen(plan.scope, families)
    several = len(shown) > 1 and placement.differences > FEW_DIFFERENCES
    together = _together(plan, placement, shown, bind) if several else None
    if together is not None and not together[2].differences:
        return together
    causes: list[Cause] = []
    for _ in range(MOST_CAUSES if placement.differences else 0):
        found = _best(plan, placement, families, bind, shown)
        if found is None:
            break
        cause, plan, placement = found
        causes = [*(one for one in causes if one.key != cause.key), _after(causes, cause)]
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
    if laid.differences >= placement.differences or _breaks(placement, laid, placement.differences - laid.differences):
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


def _after(causes: Sequence[Cause], cause: Cause) -> Cause:
    """A cause that puts right once more what an earlier one has: they are one, from the config's value to the last."""
    for one in causes:
        if one.key == cause.key:
            families = tuple(dict.fromkeys((*one.families, *cause.families)))
            explains = one.explains + cause.explains
            return replace(cause, config=one.config, defaulted=one.defaulted, explains=explains, families=families)
    return cause


class _Tested(Struct, frozen=True):
    key: Key
    value: Any
    plan: Plan
    placement: Placement
    gain: int
    agreeing: int
    source: int
    rank: int


def _best(
    plan: Plan, placement: Placement, families: Families, bind: Bind, shown: Mapping[Key, Any]
) -> tuple[Cause, Plan, Placement] | None:
    tested: list[_Tested] = []
    called = _called(placement)
    most = min(MOST_TESTED, max(FEWEST_TESTED, MOST_BLOCKS // max(1, len(plan.blocks))))
    explained = False
    for rank, (source, key, value) in enumerate(candidates(plan, placement, families, shown)):
        if rank >= most or (rank >= len(shown) and explained):
            break  # what is seen and explains everything needs no other
        scope = plan.scope.with_value(key, value)
        other, laid = bind(scope)
        gain = placement.differences - laid.differences
        if gain <= 0:
            continue
        agreeing, disagreeing = _votes(plan, other, laid)
        if agreeing <= disagreeing or _breaks(placement, laid, gain) or _open_dims(other) > _open_dims(plan):
            continue
        if not _splits(called, laid) and not _in_part(placement, laid):
            tested.append(_Tested(key, value, other, laid, gain, agreeing, source, rank))
            if not laid.differences:
                explained = explained or rank < len(shown)
                most = min(most, rank + MOST_RIVALRY)  # nothing is left to explain but who else explains it
    if not tested:
        return None
    best = max(tested, key=lambda one: (one.gain, _preference(plan, one), -one.rank))
    if best.value is None:  # absence says less than a value that explains the same
        said = [one for one in tested if one.key == best.key and one.gain == best.gain and one.value is not None]
        best = max(said, key=lambda one: -one.rank, default=best)
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


def _preference(plan: Plan, tested: _Tested) -> tuple[bool, bool, int, int]:
    """Among equals: a key that the config states, as many layers as before, the surest source, less moved."""
    stated = plan.scope.settings.read(tested.key)[0] is not None
    return (stated, not _moves_extent(plan, tested.key), -tested.source, -tested.agreeing)


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


def _open_dims(plan: Plan) -> int:
    """Blocks with a dim that the config does not say: a value that leaves more of them open explains nothing."""
    return sum(None in block.shape for block in plan.blocks)


FEW_BROKEN = 4
"""A width explains so many differences for each tensor that agreed before by chance or has a wound of its own."""


def _breaks(before: Placement, after: Placement, gain: int) -> bool:
    """Whether what agreed before does so no longer. What is newly expected and missing has its vote.

    Where shapes come to agree, a few others may have agreed by chance; a lost layer leaves no such excuse.
    """
    odd = boxes_by_key(
        [
            *((one.block.key, one.boxes) for one in before.misfits),
            *((one.key, one.boxes) for one in before.strays),
        ]
    )
    misfits = _without(((one.block.key, one.boxes) for one in after.misfits), odd)
    strays = _without(((one.key, one.boxes) for one in after.strays), odd)
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
    gaps = boxes_by_key((gap.block.key, gap.boxes) for gap in after.gaps)
    strays = boxes_by_key((stray.key, stray.boxes) for stray in after.strays)
    return any(bool(_without(missing, gaps)) != bool(_without(stored, strays)) for missing, stored in called)


def _in_part(before: Placement, after: Placement) -> bool:
    """Whether a lost or an added layer is explained in part: no key of a config does that to a layer.

    Lost: nothing but gaps goes, and it goes where nothing is stored and other gaps stay, or new ones come.
    Added: what nobody expects goes only where more of it stays, or comes to have a wrong shape.
    """
    if sum(one.tensors for one in after.misfits) < sum(one.tensors for one in before.misfits):
        return False
    strays = boxes_by_key((stray.key, stray.boxes) for stray in after.strays)
    if taken := _by_first_index(_without(((one.key, one.boxes) for one in before.strays), strays)):
        if _new_holes(before, after):
            return True
        misfits = boxes_by_key((one.block.key, one.boxes) for one in before.misfits)
        ill = _without(((one.block.key, one.boxes) for one in after.misfits), misfits)
        odd = boxes_by_key([*strays.items(), *ill.items()])
        return _covers(_by_first_index(odd), taken)
    if _without(_gaps_of(after), boxes_by_key(_gaps_of(before))):
        return True
    gaps = boxes_by_key(_gaps_of(after))
    resolved = _by_first_index(_without(_gaps_of(before), gaps))
    return _covers(_holes(gaps, after), resolved)


def _gaps_of(placement: Placement) -> _Found:
    return [(gap.block.key, gap.boxes) for gap in placement.gaps]


def _holes(gaps: Mapping[str, tuple[Box, ...]], placement: Placement) -> dict[str, Span]:
    """The indices below each prefix at which tensors are missing and none is stored."""
    stored = _by_first_index(boxes_by_key((one.block.key, one.boxes) for one in placement.placed))
    holes = {prefix: span - stored.get(prefix, Span()) for prefix, span in _by_first_index(gaps).items()}
    return {prefix: span for prefix, span in holes.items() if span}


def _new_holes(before: Placement, after: Placement) -> bool:
    """Whether whole parts come to be missing: what is there shows no part of them."""
    return bool(_holes(_without(_gaps_of(after), boxes_by_key(_gaps_of(before))), after))


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
