"""Finds causes: config keys with a value that the weights contradict.

Candidates are the values that failing equations request. The best candidate is confirmed by binding the definition
again with the value; then the remaining differences are searched for the next cause.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import msgspec

from inspector.budget import Exceeded
from inspector.notation.binding import Plan
from inspector.notation.scope import Scope
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballot, Ballots
from inspector.reconciler.inverse.behind_flag import behind_a_flag
from inspector.reconciler.inverse.cause import (
    MOST_CAUSES,
    Cause,
    added,
    are_stated,
    leaves_out,
    with_what_follows,
    without_each_other,
)
from inspector.reconciler.inverse.differences import Differences, Weights, differences_of
from inspector.reconciler.inverse.dims import ask_dims
from inspector.reconciler.inverse.effect import Effect, effect_of
from inspector.reconciler.inverse.extents import ask_extents
from inspector.reconciler.inverse.flags import are_flags, ask_flags
from inspector.reconciler.inverse.lost_instead import lost_beside, misshaped_alone
from inspector.reconciler.inverse.order import Tested, explains_ranks, standing_for, tested
from inspector.reconciler.inverse.presence import ask_presence
from inspector.reconciler.inverse.solve import MOST_EQUAL, Solution, default_of
from inspector.reconciler.inverse.together import solved_values
from inspector.reconciler.place import Placement
from inspector.reconciler.renaming import renamings

Bind = Callable[[Scope], tuple[Plan, Placement]]
"""Binds the definition in a scope, and places the weights in its blocks."""
MOST_ABSENT = 8
"""Most keys that are named if the config lacks them."""
MOST_TESTED = 60
"""Most values that are tried."""
ENOUGH = 16
"""Most values that are tried once a value explains everything and the remaining ones have few votes."""
HEADS = "num_attention_heads"
HEAD_WIDTH = "head_dim"
"""The key that is a factor in two dims of attention: with the number of heads, and with the number of kv heads."""
MOST_RIVALS = 3
"""Most alternative keys that are named."""


def find_causes(plan: Plan, placement: Placement, weights: Weights, bind: Bind) -> tuple[list[Cause], Plan, Placement]:
    """(the causes, best first; the plan with all of them corrected; the placement in this plan)."""
    differences = differences_of(plan, placement, weights)
    causes, after = _one_by_one(differences, bind)
    fewer = {cause.key for cause in causes if leaves_out(cause)}
    incomplete = bool(fewer) and any(not gap.block.slot.tied for gap in after.placement.missing)
    kept = {cause.key for cause in causes if not cause.agreeing}.intersection(plan.scope.definition.keeps.split())
    refused = (fewer if incomplete else set()) | _of_renamed(differences, causes) | kept
    if refused:
        causes, after = _one_by_one(differences, bind, refused)
    if causes and after.total and plan.scope.settings.known:
        causes, after = _with_rival(differences, bind, causes, after, refused)
    if not incomplete and causes and after.total and plan.scope.settings.known:
        together = _together(differences, bind)
        if together[1].total < after.total:
            causes, after = together
    if not causes and not refused and after.total and plan.scope.settings.known:
        found, corrected = _together(differences, bind)
        joined = with_what_follows(found)
        if joined is not None and not corrected.total:
            causes, after = [joined], corrected
        elif not corrected.total and are_stated(found):
            causes, after = [msgspec.structs.replace(cause, explains=differences.total) for cause in found], corrected
        elif beside := _beside_its_width(differences, bind) or behind_a_flag(differences, bind, _one_by_one):
            causes, after = [beside[0]], beside[1]
    if plan.scope.settings.known:
        causes = [_with_factors(differences, bind, cause, causes, after) for cause in causes]
        causes = [_no_longer_than_others(cause, after, bind) for cause in causes]
    return causes, after.plan, after.placement


def _beside_its_width(differences: Differences, bind: Bind) -> tuple[Cause, Differences] | None:
    """A wrong number of heads with the width of a head, if the weights have the width that follows from that number:
    the right number needs it stated.
    """
    scope, leaf = differences.plan.scope, (HEAD_WIDTH,)
    hidden, heads = (scope.leaf((key,))[0] for key in ("hidden_size", HEADS))
    read = {one for row in differences.plan.rows for one in row.reads}
    if leaf not in read or scope.leaf(leaf)[0] is not None or type(hidden) is not int or type(heads) is not int:
        return None
    if heads < 1 or hidden % heads:
        return None
    bound = differences_of(*bind(scope.with_value(leaf, hidden // heads)), differences.weights)
    found, after = _one_by_one(bound, bind) if bound.total == differences.total else ([], bound)
    if after.total or [cause.key for cause in found] != [HEADS] or found[0].defaulted:
        return None
    return msgspec.structs.replace(found[0], beside=(HEAD_WIDTH, hidden // heads)), after


def _with_factors(
    differences: Differences, bind: Bind, cause: Cause, causes: Sequence[Cause], after: Differences
) -> Cause:
    """The width of a head, with the numbers of heads that explain as much: the weights show only the products."""
    if cause.key.rpartition(".")[2] != HEAD_WIDTH or cause.rivals:
        return cause
    try:
        others, left = _one_by_one(differences, bind, {cause.key})
    except Exceeded:
        return msgspec.structs.replace(cause, searched=False)
    if left.total > after.total or len(others) > len(causes) + 1:
        return cause
    known = {one.key for one in causes}
    together = tuple((one.key, one.weights) for one in others if one.key not in known)
    return msgspec.structs.replace(cause, together=together)


def _no_longer_than_others(cause: Cause, after: Differences, bind: Bind) -> Cause:
    """The cause with a list that the config lacks cut to the length of a stated list, if no tensor reads the rest.

    Otherwise the list has the length of the class's default, which may be the length for a model with more stages.
    """
    scope, value = after.plan.scope, cause.weights
    if not (cause.defaulted and isinstance(value, list)) or are_flags(value):
        return cause
    lengths = {len(one) for key, one in scope.settings.values.items() if isinstance(one, list) and key != cause.key}
    for length in sorted(lengths - {0}, reverse=True) if len(value) not in lengths else ():
        shorter = scope.with_value(tuple(cause.key.split(".")), value[:length])
        if length < len(value) and differences_of(*bind(shorter), after.weights).total == after.total:
            return msgspec.structs.replace(cause, weights=value[:length])
    return cause


def _of_renamed(differences: Differences, causes: Sequence[Cause]) -> set[str]:
    """Keys that would merely leave out missing tensors, some of which are stored under another name."""
    absent = {key for cause in causes if not cause.agreeing for key in cause.families}
    missing, unexpected = differences.placement.missing, differences.placement.unexpected
    gaps = [(gap.block.key, gap.boxes, gap.block.shape) for gap in missing]
    if not unexpected or absent.isdisjoint(gap[0] for gap in gaps):
        return set()
    pairs = renamings(gaps, [(extra.key, extra.boxes, extra.layout.shape) for extra in unexpected])
    renamed = {gaps[place][0] for pair in pairs for place in pair[0]}
    return {cause.key for cause in causes if not cause.agreeing and not renamed.isdisjoint(cause.families)}


def _with_rival(
    differences: Differences, bind: Bind, causes: list[Cause], after: Differences, refused: Set[str]
) -> tuple[list[Cause], Differences]:
    """The causes that begin with a rival of the first one, if they leave no difference, and the others leave some."""
    for key in dict.fromkeys(name for name, _ in causes[0].rivals if name != causes[0].key):
        others, left = _one_by_one(differences, bind, refused, first=key)
        if not left.total:
            return others, left
    return causes, after


def _one_by_one(
    differences: Differences, bind: Bind, refused: Set[str] = frozenset(), first: str = ""
) -> tuple[list[Cause], Differences]:
    """Repeatedly takes the best cause of the remaining differences. refused: keys that are known to be right.

    first: the key of the first cause, "" for any.
    """
    causes: list[Cause] = []
    for number in range(MOST_ABSENT):
        stated = any(not earlier.defaulted for earlier in causes)
        found = None
        if differences.total and not (stated and number >= MOST_CAUSES):
            found = _best(differences, bind, refused, "" if causes else first)
        if found is None:
            break
        cause, differences = found
        causes = [*(earlier for earlier in causes if earlier.key != cause.key), added(causes, cause)]
    return without_each_other(causes), differences


def _together(differences: Differences, bind: Bind) -> tuple[list[Cause], Differences]:
    """Keys that are wrong together: the necessary ones among all keys that the weights contradict."""

    def bound(values: Mapping[Leaf, Any]) -> Differences:
        scope = differences.plan.scope
        for leaf, value in values.items():
            scope = scope.with_value(leaf, value)
        return differences_of(*bind(scope), differences.weights)

    values = solved_values(differences.plan, differences.weights)
    others, after = _one_by_one(bound(values), bind)
    values |= {tuple(cause.key.split(".")): cause.weights for cause in others}
    without: dict[Leaf, Differences] = {}
    for leaf in list(values):
        rest = {other: value for other, value in values.items() if other != leaf}
        found = bound(rest)
        if found.total <= after.total:
            values, after = rest, found
        else:
            without[leaf] = found
    found_alone = {cause.key: cause for cause in others}
    causes: list[Cause] = []
    for leaf, value in values.items():
        key = ".".join(map(str, leaf))
        config, defaulted = differences.plan.scope.leaf(leaf)
        families = _families(without[leaf], after)
        cause = msgspec.structs.replace(
            found_alone.get(key, Cause(key=key, config=config, weights=value, defaulted=defaulted)),
            config=config,
            explains=without[leaf].total - after.total,
            agreeing=sum(one.tensors for one in after.placement.placed if one.fits and one.block.key in families),
            families=families,
        )
        causes.append(cause)
    return causes, after


def requested_values(differences: Differences) -> Ballots:
    """All values that failing equations request."""
    ballots = Ballots()
    ask_dims(differences, ballots)
    ask_flags(differences, ballots)
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


def _tested(differences: Differences, bind: Bind, ballots: Ballots) -> list[Tested]:
    """The values that explain more than they break, the best first."""
    found: list[Tested] = []
    fractions: list[Tested] = []
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
            continue  # the values of numbers are solved already
        effect = effect_of(differences, ballot.leaf, value)
        if effect is None or not effect.bearable_beside_others or _empties(ballot, stated, value, effect):
            continue
        if value is None and not effect.agreeing and default_of(differences.plan.scope, ballot.leaf):
            continue  # without the key the class has its default, and missing tensors alone are no evidence
        explained = explained or (effect.gain == differences.total and not effect.broken)
        (fractions if effect.partial else found).append(tested(differences, ballot, value, effect))
    if not found and len(fractions) > 1:
        found = _complete(differences, bind, fractions)
    return sorted(found, key=lambda one: one.rank, reverse=True)


def _complete(differences: Differences, bind: Bind, fractions: Sequence[Tested]) -> list[Tested]:
    """The switches that each explain a fraction of a part and together explain all of it."""
    switches = {one.ballot.leaf: one for one in fractions if isinstance(one.value, bool)}
    scope = differences.plan.scope
    for leaf, one in switches.items():
        scope = scope.with_value(leaf, one.value)
    whole = len(switches) > 1 and not differences_of(*bind(scope), differences.weights).total
    return list(switches.values()) if whole else []


def _empties(ballot: Ballot, stated: Any, value: Any, effect: Effect) -> bool:
    """True if a number becomes 0 or a list empty and no stored tensor agrees: missing tensors alone are no evidence.

    Tensors that agree with another number of the same list do not count. Flags may be 0.
    """
    if type(value) is int:
        return value == 0 and (not effect.agreeing or any(type(step) is int for step in ballot.leaf))
    if isinstance(value, list | tuple) and not value and not effect.agreeing:
        return True
    if ballot.kind == "flags" or not (
        isinstance(value, list | tuple) and isinstance(stated, list | tuple) and len(value) == len(stated)
    ):
        return False
    return any(type(new) is int and new == 0 and old != 0 for old, new in zip(stated, value, strict=True))


MOST_CONFIRMED = 3
"""Most values that are confirmed by a new binding before giving up."""


def _best(differences: Differences, bind: Bind, refused: Set[str], only: str = "") -> tuple[Cause, Differences] | None:
    """The first value that a new binding confirms, as a cause, together with the remaining differences.

    only: the key that may have it, "" for any.
    """
    ballots = requested_values(differences)
    found = _tested(differences, bind, ballots)
    if refused:
        found = [one for one in found if named(differences.plan.scope, one.ballot.leaf, one.value)[0] not in refused]
    if only:
        found = [one for one in found if named(differences.plan.scope, one.ballot.leaf, one.value)[0] == only]
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
    of_rank = best.value is None and explains_ranks(differences, ballot.leaf)
    alike = (one for one in found if one.effect.gain == best.effect.gain and not of_rank)
    equal = [named(scope, one.ballot.leaf, one.value) for one in alike]
    own = [(name, value) for name, value in equal if name == key and value != weights]
    elsewhere = {name: (name, value) for name, value in reversed(equal) if name != key}
    config, defaulted = scope.settings.read(tuple(key.split(".")))
    return Cause(
        key=key,
        config=config,
        weights=weights,
        interval=ballots.interval(ballot.leaf, best.value) if type(best.value) is int else None,
        element=next((step for step in reversed(ballot.leaf) if isinstance(step, int)), None),
        explains=differences.total - after.total,
        agreeing=best.effect.agreeing,
        dissenting=best.effect.broken,
        families=_families(differences, after),
        rivals=(*own[:MOST_EQUAL], *list(reversed(elsewhere.values()))[:MOST_RIVALS]),
        defaulted=defaulted,
        lost=lost_beside(differences, after, best.value, ballot.leaf),
        misshaped=misshaped_alone(differences),
    )


def named(scope: Scope, leaf: Leaf, value: Any) -> tuple[str, Any]:
    """(the key of a leaf, the value of the key with the leaf set). For an element, the key and the whole list."""
    steps = next((at for at, step in enumerate(leaf) if isinstance(step, int)), len(leaf))
    key = tuple(str(step) for step in leaf[:steps])
    if steps < len(leaf):
        value = scope.with_value(leaf, value).settings.read(key)[0]
    return ".".join(key), value


def _families(before: Differences, after: Differences) -> tuple[str, ...]:
    """The families that differ before a cause is corrected and no longer afterwards."""
    left = {(one.block.slot.path, one.block.key) for one in after.placement.mismatched}
    gaps = {gap.block.key for gap in after.placement.missing}
    unexpected = {extra.key for extra in after.placement.unexpected}
    names = [one.block.key for one in before.placement.mismatched if (one.block.slot.path, one.block.key) not in left]
    names += [gap.block.key for gap in before.placement.missing if gap.block.key not in gaps]
    names += [extra.key for extra in before.placement.unexpected if extra.key not in unexpected]
    return tuple(dict.fromkeys(names))
