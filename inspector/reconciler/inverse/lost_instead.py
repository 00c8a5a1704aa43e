"""The alternative to a wrong config: the tensors that are lost or misshaped if the config is right after all."""

from __future__ import annotations

from typing import Any

from inspector.algebra.boxes import Box
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.differences import Differences


def _finds_unexpected(before: Differences, after: Differences) -> bool:
    """True if a value makes stored tensors expected that the config does not expect: then none are lost."""
    tensors = [sum(extra.tensors for extra in one.placement.unexpected) for one in (before, after)]
    return tensors[1] < tensors[0]


def _mends_shapes(before: Differences, after: Differences) -> bool:
    """True if stored tensors have the shape for the other value: a router with a row for each expert."""
    tensors = [sum(one.tensors for one in side.placement.mismatched) for side in (before, after)]
    return tensors[1] < tensors[0]


def _lost(differences: Differences, leaf: Leaf) -> tuple[str, tuple[Box, ...]] | None:
    """The family and boxes that are missing if the config is right, if the leaf is the number of some part."""
    gaps = differences.placement.missing
    if differences.total == 1 and gaps:
        return gaps[0].block.key, gaps[0].boxes
    gap = next((gap for gap in gaps if any(gap.block.axes)), None)
    return (gap.block.key, gap.boxes) if gap is not None and _gives_extent(differences, leaf) else None


def lost_beside(before: Differences, after: Differences, value: Any, leaf: Leaf) -> tuple[str, tuple[Box, ...]] | None:
    """The family and boxes that the weights may have lost if the config is right."""
    if value is False:
        return _part_lost(before, after)
    return None if _finds_unexpected(before, after) or _mends_shapes(before, after) else _lost(before, leaf)


def _part_lost(before: Differences, after: Differences) -> tuple[str, tuple[Box, ...]] | None:
    """A matrix that is missing unless a switch is off. Its absence alone does not show that the switch is off."""
    left = {gap.block.key for gap in after.placement.missing}
    gaps = (gap for gap in before.placement.missing if gap.block.key not in left and len(gap.block.shape) > 1)
    return next(((gap.block.key, gap.boxes) for gap in gaps), None)


def misshaped_alone(differences: Differences) -> tuple[str, tuple[Box, ...]] | None:
    """The tensor with the wrong shape if the config is right and only one tensor differs."""
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
