"""Ranks the values that explain the differences."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballot
from inspector.reconciler.inverse.differences import Differences, same_rank
from inspector.reconciler.inverse.effect import Effect
from inspector.reconciler.inverse.solve import default_of


class Tested(msgspec.Struct, frozen=True, eq=False):
    """A value of a leaf with its effect and rank. The value with the greatest rank is named first.

    value: for an interval, the representative one.
    """

    ballot: Ballot
    value: Any
    effect: Effect
    rank: tuple[Any, ...]


def tested(differences: Differences, ballot: Ballot, value: Any, effect: Effect) -> Tested:
    """A value with its rank: by the tensors it explains, then null if it explains other numbers of dims, then by the
    stated values that are read only with it, then absent keys that get the value of another one, then stated keys, then
    dims, then the key nearest to the rows.
    """
    leaf = ballot.leaf
    stated, defaulted = differences.plan.scope.leaf(leaf)
    default = default_of(differences.plan.scope, leaf)
    rank = (
        effect.gain,
        value is None and explains_ranks(differences, leaf),
        effect.confirms,
        defaulted and type(stated) is int and _is_stated_beside(differences, leaf, value),
        stated is not None,
        not defaulted,
        ballot.kind != "extent",
        value is not None and value != 0,
        -ballot.depth,
        -effect.broken,
        -effect.agreeing,
        len(differences.readers.get(leaf, ())),
        ballot.follows,
        _usual(ballot, default),
        -ballot.position,
        _roundness(value),
        ballot.votes,
    )
    return Tested(ballot, value, effect, rank)


def _is_stated_beside(differences: Differences, leaf: Leaf, value: Any) -> bool:
    """True if another key of the same rows states a value, as the heads do where keys and values have as many.

    Older configs leave such a key out, and the default of the class may be another number.
    """
    rows = (differences.rows[at] for at in differences.readers.get(leaf, ()))
    others = {other for row in rows for other in row.reads if other != leaf}
    return any(differences.plan.scope.leaf(other) == (value, False) for other in others)


def explains_ranks(differences: Differences, leaf: Leaf) -> bool:
    """True if null may explain that a tensor of a row that reads a leaf has another number of dims, which no size
    explains.
    """
    readers = {differences.keys[at] for at in differences.readers.get(leaf, ())}
    return any(not same_rank(one) and one.block.key in readers for one in differences.placement.mismatched)


def _usual(ballot: Ballot, default: Any) -> bool:
    """True if the default of the class is among the requested values."""
    if type(default) is int and type(ballot.value) is int and type(ballot.last) is int:
        return ballot.value <= default <= ballot.last
    return type(default) is type(ballot.value) and bool(default == ballot.value)


def standing_for(ballot: Ballot, default: Any) -> Any:
    """The representative of an interval: the default of the class if it is inside, else the roundest number."""
    low, high = ballot.value, ballot.last
    if type(low) is not int or type(high) is not int or low >= high:
        return low
    if type(default) is int and low <= default <= high:
        return default
    zeros = next(bits for bits in range(high.bit_length(), -1, -1) if high >> bits << bits >= low)
    return high >> zeros << zeros


def _roundness(value: Any) -> int:
    """The largest power of two that divides a number."""
    return value & -value if type(value) is int and value > 0 else 0
