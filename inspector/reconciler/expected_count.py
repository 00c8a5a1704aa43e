"""The number of parameters that the class builds by the formula, and the usual parts that this
checkpoint leaves out.
"""

from __future__ import annotations

from msgspec import Struct

from inspector.algebra.boxes import Box, count, within
from inspector.notation.binding import Block, Plan
from inspector.reconciler.place import Lost, Placement, stored_groups, wanted_of


class ExpectedCount(Struct, frozen=True):
    """The count by the formula; None if a part has no formula. absent: blocks of usual parts that are not counted."""

    parameters: int | None
    absent: tuple[Block, ...] = ()


def expected_count(plan: Plan, placement: Placement, lost: Lost | None) -> ExpectedCount:
    """The parameters of the model that the class builds; optional parts count if they are stored.

    lost: tensors in files that could not be read; None if only some files were read. A usual part counts unless it is
    certain that it is absent.
    """
    stored: dict[tuple[int, str], tuple[Box, ...]] = {}
    for one in placement.placed:
        name = (id(one.block.slot), one.block.key)
        stored[name] = (*stored.get(name, ()), *one.boxes)
    begun = [(block.slot, stored.get((id(block.slot), block.key), ())) for block in plan.blocks]
    unread = [
        (block.slot, (block.axes,)) for block in plan.blocks if block.slot.usual and (lost is None or block.key in lost)
    ]
    groups = stored_groups([*begun, *unread])
    absent = tuple(block for block in plan.blocks if block.slot.usual and not wanted_of(block, groups))
    if plan.opaque or (plan.scope.faults and any(fault.kind == "size" for fault in plan.scope.faults)):
        return ExpectedCount(None, absent)
    total = 0
    for block in plan.blocks:
        slot = block.slot
        if not slot.tensor.counted or block.tie is not None or slot.extra:
            continue
        if slot.optional:
            tensors = count(within(stored.get((id(slot), block.key), ()), block.axes))
        else:
            tensors = count(wanted_of(block, groups))
        if not tensors:
            continue
        if block.elements is None:
            return ExpectedCount(None, absent)
        total += tensors * block.elements
    return ExpectedCount(total, absent)
