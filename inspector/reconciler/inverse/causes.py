"""The causes: differences between the value that a config states and the one that the weights ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from inspector.algebra.boxes import Box
from inspector.notation.binding import Plan
from inspector.notation.scope import Scope
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.differences import Differences, Weights, differences_of
from inspector.reconciler.inverse.dims import ask_dims
from inspector.reconciler.inverse.effect import effect_of
from inspector.reconciler.inverse.extents import ask_extents
from inspector.reconciler.inverse.order import Tested, standing_for, tested
from inspector.reconciler.inverse.presence import ask_presence
from inspector.reconciler.inverse.seen import seen_together
from inspector.reconciler.inverse.solve import MOST_EQUAL, Solution, default_of
from inspector.reconciler.place import Placement

Bind = Callable[[Scope], tuple[Plan, Placement]]
"""Binds the definition in a scope and places the weights in it."""
MOST_CAUSES = 4
"""Wrong keys that are named; a config with more is another model's."""
MOST_TESTED = 60
"""Values of which the effect is looked at."""
ENOUGH = 16
"""Values that are looked at where one explains everything, and further ones have few votes."""
MOST_RIVALS = 3
"""Other keys that explain equally much."""


class Cause(msgspec.Struct, frozen=True):
    """A config key that is wrong. config: its value there; weights: the value that the weights agree on.

    interval: the first and the last of values that fit equally well; `weights` has one of them. element: which element
    of a list it is that differs. explains: tensors whose difference it takes away. agreeing: stored tensors that show
    the value. dissenting: those that contradict the key then. families: some of the families explained. rivals: other
    values of the key, and other keys with theirs, that explain exactly as much. defaulted: the config leaves the key to
    the class's default. lost, misshaped: (family, boxes) that would have to be lost, or to have the wrong shape, were
    the config right after all.
    """

    key: str
    config: Any
    weights: Any
    interval: tuple[int, int] | None
    element: int | None
    explains: int
    agreeing: int
    dissenting: int
    families: tuple[str, ...]
    rivals: tuple[tuple[str, Any], ...]
    defaulted: bool
    lost: tuple[str, tuple[Box, ...]] | None = None
    misshaped: tuple[str, tuple[Box, ...]] | None = None


def find_causes(plan: Plan, placement: Placement, weights: Weights, bind: Bind) -> tuple[list[Cause], Plan, Placement]:
    """The causes, best first, and the plan and placement with all of them put right."""
    causes: list[Cause] = []
    differences = differences_of(plan, placement, weights)
    for _ in range(MOST_CAUSES):
        found = _best(differences, bind) if differences.total else None
        if found is None:
            break
        cause, differences = found
        causes = [*(one for one in causes if one.key != cause.key), _after(causes, cause)]
    if differences.total and plan.scope.definition.shows and plan.scope.settings.known:
        seen = _together(differences_of(plan, placement, weights), bind)
        if seen is not None and seen[1].total < differences.total:
            causes, differences = seen
    return causes, differences.plan, differences.placement


def _together(differences: Differences, bind: Bind) -> tuple[list[Cause], Differences] | None:
    """Keys that are wrong together, as one cause each."""

    def rebind(scope: Scope) -> Differences:
        return differences_of(*bind(scope), differences.weights)

    found = seen_together(differences, differences.weights.families, rebind)
    if found is None:
        return None
    causes: list[Cause] = []
    for key, value in found.values.items():
        without = found.without[key]
        config, defaulted = differences.plan.scope.settings.read((key,))
        families = _families(without, found.after)
        agreeing = sum(one.tensors for one in found.after.placement.placed if one.fits and one.block.key in families)
        explains = without.total - found.after.total
        causes.append(Cause(key, config, value, None, None, explains, agreeing, 0, families, (), defaulted))
    return causes, found.after


def _after(causes: Sequence[Cause], cause: Cause) -> Cause:
    """A cause of a key that an earlier one has too: they are one, from the config's value to the last."""
    for one in causes:
        if one.key == cause.key:
            return msgspec.structs.replace(
                cause,
                config=one.config,
                defaulted=one.defaulted,
                explains=one.explains + cause.explains,
                families=tuple(dict.fromkeys((*one.families, *cause.families))),
            )
    return cause


def asked(differences: Differences) -> Ballots:
    """Everything that the equations ask for that do not hold."""
    ballots = Ballots()
    ask_dims(differences, ballots)
    if differences.unequal or differences.mixed:
        ask_extents(differences, ballots)
    ask_presence(differences, ballots)
    scope = differences.plan.scope
    for leaf, elements, votes in list(ballots.joined()):
        current = scope.leaf(leaf)[0]
        if isinstance(current, list):
            value = [elements.get(at, item) for at, item in enumerate(current)]
            ballots.add(leaf, Solution(value, value), "dim", votes, 0)
    return ballots


def _tested(differences: Differences, ballots: Ballots) -> list[Tested]:
    """The values that explain more than they break, the first named first."""
    found: list[Tested] = []
    explained = False
    most_votes = 0
    for number, ballot in enumerate(ballots.ranked()):
        most_votes = max(most_votes, ballot.votes)
        if number >= MOST_TESTED or (explained and number >= ENOUGH and 3 * ballot.votes < most_votes):
            break
        stated = differences.plan.scope.leaf(ballot.leaf)[0]
        value = standing_for(ballot, default_of(differences.plan.scope, ballot.leaf))
        if stated == value and type(stated) is type(value):
            continue
        if not differences.plan.scope.settings.known and not isinstance(stated, bool | str):
            continue  # numbers are solved already
        effect = effect_of(differences, ballot.leaf, value)
        if effect is None or not effect.bearable:
            continue
        explained = explained or (effect.gain == differences.total and not effect.broken)
        found.append(tested(differences, ballot, value, effect))
    return sorted(found, key=lambda one: one.rank, reverse=True)


MOST_CONFIRMED = 3
"""Values that are bound anew before nothing is named."""


def _best(differences: Differences, bind: Bind) -> tuple[Cause, Differences] | None:
    """The first value that a new binding confirms, as a cause, and what differs then."""
    ballots = asked(differences)
    found = _tested(differences, ballots)
    for one in found[:MOST_CONFIRMED]:
        plan, placement = bind(differences.plan.scope.with_value(one.ballot.leaf, one.value))
        after = differences_of(plan, placement, differences.weights)
        if after.total < differences.total:
            return _cause(differences, after, one, found, ballots), after
    return None


def _cause(
    differences: Differences, after: Differences, best: Tested, found: Sequence[Tested], ballots: Ballots
) -> Cause:
    scope, ballot = differences.plan.scope, best.ballot
    key, weights = named(scope, ballot.leaf, best.value)
    equal = [named(scope, one.ballot.leaf, one.value) for one in found if one.effect.gain == best.effect.gain]
    own = [(name, value) for name, value in equal if name == key and value != weights]
    elsewhere = {name: (name, value) for name, value in reversed(equal) if name != key}
    config, defaulted = scope.settings.read(tuple(key.split(".")))
    return Cause(
        key,
        config,
        weights,
        ballots.interval(ballot.leaf, best.value) if type(best.value) is int else None,
        next((step for step in reversed(ballot.leaf) if isinstance(step, int)), None),
        differences.total - after.total,
        best.effect.agreeing,
        best.effect.broken,
        _families(differences, after),
        (*own[:MOST_EQUAL], *list(reversed(elsewhere.values()))[:MOST_RIVALS]),
        defaulted,
        _lost(differences, ballot.leaf),
        _misshaped(differences),
    )


def named(scope: Scope, leaf: Leaf, value: Any) -> tuple[str, Any]:
    """(the key that a leaf is of, the key's value with the leaf's): a list is named as a whole."""
    steps = next((at for at, step in enumerate(leaf) if isinstance(step, int)), len(leaf))
    key = tuple(str(step) for step in leaf[:steps])
    if steps < len(leaf):
        value = scope.with_value(leaf, value).settings.read(key)[0]
    return ".".join(key), value


def _families(before: Differences, after: Differences) -> tuple[str, ...]:
    """The families that differ before a cause is put right and not after."""
    left = {(one.block.slot.path, one.block.key) for one in after.placement.mismatched}
    gaps = {gap.block.key for gap in after.placement.gaps}
    unexpected = {extra.key for extra in after.placement.unexpected}
    names = [one.block.key for one in before.placement.mismatched if (one.block.slot.path, one.block.key) not in left]
    names += [gap.block.key for gap in before.placement.gaps if gap.block.key not in gaps]
    names += [extra.key for extra in before.placement.unexpected if extra.key not in unexpected]
    return tuple(dict.fromkeys(names))


def _lost(differences: Differences, leaf: Leaf) -> tuple[str, tuple[Box, ...]] | None:
    """What would be lost were the config right, where the leaf says how many of a part there are."""
    gaps = differences.placement.gaps
    if differences.total == 1 and gaps:
        return gaps[0].block.key, gaps[0].boxes
    gap = next((gap for gap in gaps if any(gap.block.axes)), None)
    return (gap.block.key, gap.boxes) if gap is not None and _gives_extent(differences, leaf) else None


def _misshaped(differences: Differences) -> tuple[str, tuple[Box, ...]] | None:
    """The tensor that would have the wrong shape were the config right, where one tensor alone differs."""
    mismatched = differences.placement.mismatched
    return (mismatched[0].block.key, mismatched[0].boxes) if differences.total == 1 and mismatched else None


def _gives_extent(differences: Differences, leaf: Leaf) -> bool:
    scope = differences.plan.scope
    for at in differences.readers.get(leaf, ()):
        slot = differences.rows[at].slot
        inner = scope.below(slot.scope)
        scope.trace.reads = set()
        for hole in slot.holes:
            inner.word((hole,))
        if leaf in scope.trace.reads:
            return True
    return False
