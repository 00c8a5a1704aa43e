"""Lists of one flag for each layer, 0 or 1, that decide the widths of the layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspector.algebra.span import Span
from inspector.architectures.config_types import types_of
from inspector.notation.scope import Scope
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.differences import Differences, same_rank
from inspector.reconciler.inverse.effect import placement_with
from inspector.reconciler.inverse.solve import Solution

FLAGS: Final = (0, 1)
MOST_LAYERS: Final = 4096
"""Most layers for which a list of flags is solved."""


def only_a_list(scope: Scope, key: Any) -> bool:
    """True if the config class of a definition accepts a list for a key and no integer."""
    types = types_of(scope.definition.name)
    letters = "" if types is None else types.fields.get(str(key), "")
    return "l" in letters and "i" not in letters


def is_flag(scope: Scope, leaf: Leaf) -> bool:
    """True for an entry of a list of flags. Lists without 0 may be sizes, such as the depths of stages."""
    found = scope.leaf(leaf[:-1])[0] if len(leaf) > 1 and isinstance(leaf[-1], int) else None
    return isinstance(found, list) and are_flags(found)


def are_flags(found: Sequence[Any]) -> bool:
    """True for 0 and 1 only, with a 0."""
    return 0 in found and _are_flags(found)


def _are_flags(found: Sequence[Any]) -> bool:
    return bool(found) and all(type(one) is int and one in FLAGS for one in found)


def ask_flags(differences: Differences, ballots: Ballots) -> None:
    """Adds the votes of mismatched layers for a list of flags, each entry for the widths that its layer has."""
    votes: dict[Leaf, int] = {}
    for one in differences.placement.mismatched:
        rows = differences.users.get(one.block.key, ()) if same_rank(one) else ()
        for leaf in {
            leaf for at in rows for leaf in differences.rows[at].reads if _is_read_by_layer(differences, leaf)
        }:
            votes[leaf] = votes.get(leaf, 0) + one.tensors
    for leaf, tensors in sorted(votes.items(), key=str):
        value = _solved(differences, leaf)
        if value is not None:
            ballots.add(leaf, Solution(value, value), "flags", tensors, 0)


def _is_read_by_layer(differences: Differences, leaf: Leaf) -> bool:
    """True for a list of flags, and for an absent key for which only a list is accepted."""
    if not all(isinstance(step, str) for step in leaf):
        return False
    current = differences.plan.scope.leaf(leaf)[0]
    if current is None:
        return only_a_list(differences.plan.scope.below(_scope_of(differences, leaf)), leaf[-1])
    return isinstance(current, list) and _are_flags(current)


def _scope_of(differences: Differences, leaf: Leaf) -> tuple[str, ...]:
    """The path of the submodel that reads a leaf."""
    rows = (differences.rows[at] for at in differences.readers.get(leaf, ()))
    return next((row.slot.scope for row in rows), ())


def _solved(differences: Differences, leaf: Leaf) -> list[int] | None:
    """The list at which the layers have the stored widths; None if no flag fits one of them, or nothing changes."""
    current = differences.plan.scope.leaf(leaf)[0]
    rows = [differences.rows[at] for at in differences.readers.get(leaf, ())]
    last = max((block.axes[0].last for row in rows for block in row.blocks if block.axes), default=-1)
    length = last + 1 if current is None else len(current)
    if not 0 < length <= MOST_LAYERS:
        return None
    fitting = [_misfits(differences, leaf, [flag] * length) for flag in FLAGS]
    solved = list(_entries(fitting, current or [1] * length))
    return solved if len(solved) == length and solved != current else None


def _misfits(differences: Differences, leaf: Leaf, value: Sequence[int]) -> Span:
    """The layers with a stored tensor that has another shape if a leaf has this value."""
    placed = placement_with(differences, leaf, value).placed
    if not placed:  # the value changes nothing
        keys = {differences.keys[at] for at in differences.readers.get(leaf, ())}
        placed = tuple(one for one in differences.placement.placed if one.block.key in keys)
    return Span.union(box[0] for one in placed if not one.fits for box in one.boxes if box)


def _entries(misfits: Sequence[Span], current: Sequence[int]) -> Iterator[int]:
    """The flag of each layer that fits, the current one first; ends at a layer that no flag fits."""
    for at, stated in enumerate(current):
        flag = next((one for one in (stated, 1 - stated) if at not in misfits[one]), None)
        if flag is None:
            return
        yield flag
