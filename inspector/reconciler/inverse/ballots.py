"""The values that failing equations request for config leaves, with the number of tensors as votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.solve import Solution

Kind = Literal["dim", "flags", "extent", "presence"]
"""Kind of the equation: the size of a dim, or those of all layers, the indices of a hole, or the presence of a row."""


class Ballot(msgspec.Struct, eq=False):
    """A requested value. last: end of an interval of values. votes: number of tensors that request it.

    depth: the smallest number of definitions between the equations and the leaf. follows: True if the stored quantity
    rises or falls with the value. position: order in which the leaf was first requested.
    """

    leaf: Leaf
    value: Any
    last: Any
    kind: Kind
    depth: int
    follows: bool
    position: int
    votes: int = 0


class Ballots:
    """All requested values."""

    def __init__(self) -> None:
        self._found: dict[tuple[Leaf, str], Ballot] = {}
        self._leaves: dict[Leaf, int] = {}

    def add(self, leaf: Leaf, solution: Solution, kind: Kind, votes: int, depth: int) -> None:
        """Counts the tensors that request a value."""
        position = self._leaves.setdefault(leaf, len(self._leaves))
        asked = Ballot(leaf, solution.value, solution.last, kind, depth, solution.follows, position)
        known = self._found.setdefault((leaf, repr(solution.value)), asked)
        known.votes += votes
        if type(known.last) is int and type(solution.last) is int:  # all intervals of a value begin with it
            known.last = min(known.last, solution.last)
        known.depth = min(known.depth, depth)

    def ranked(self) -> list[Ballot]:
        """The values, the most votes first. For a leaf that is a size, votes on its size precede votes
        on its presence.
        """
        sizes = {ballot.leaf for ballot in self._found.values() if type(ballot.value) is int}
        found = (ballot for ballot in self._found.values() if ballot.value is not True or ballot.leaf not in sizes)
        return sorted(found, key=lambda ballot: -ballot.votes)

    def interval(self, leaf: Leaf, value: Any) -> tuple[int, int] | None:
        """The largest interval around a number that all its equations allow; None if it contains only this number."""
        around = [
            (ballot.value, ballot.last)
            for ballot in self._found.values()
            if ballot.leaf == leaf and type(ballot.value) is int and ballot.value <= value <= ballot.last
        ]
        low, high = max((low for low, _ in around), default=value), min((high for _, high in around), default=value)
        return (low, high) if low < high else None

    def joined(self) -> Iterator[tuple[Leaf, dict[int, Any], int]]:
        """(list, its elements with other values, votes) for lists with more than one such element."""
        votes: dict[Leaf, dict[int, Counter[Any]]] = {}
        for ballot in self._found.values():
            at = ballot.leaf[-1]
            if isinstance(at, int) and isinstance(ballot.value, int | float | str):
                votes.setdefault(ballot.leaf[:-1], {}).setdefault(at, Counter())[ballot.value] += ballot.votes
        for leaf, elements in votes.items():
            if len(elements) > 1:
                chosen = {at: counts.most_common(1)[0] for at, counts in elements.items()}
                yield leaf, {at: value for at, (value, _) in chosen.items()}, sum(n for _, n in chosen.values())
