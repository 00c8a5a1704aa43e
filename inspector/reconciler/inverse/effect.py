"""Computes the effect of another value of one leaf. Only the rows that read the leaf are expanded again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from inspector.algebra.boxes import Box, count, minus
from inspector.matcher.families import Family
from inspector.notation.binding import Block, BoundSlot
from inspector.notation.trace import SYMBOL, Leaf
from inspector.reconciler.inverse.differences import Differences, is_unchecked
from inspector.reconciler.inverse.parts import explains_in_part
from inspector.reconciler.place import Gap, Placed, Placement, place


class Effect(msgspec.Struct, frozen=True):
    """Counts of tensors.

    gain: resolved minus new differences. agreeing: stored tensors that match the changed rows. broken: those that
    matched before and no longer do. missing: expected by the changed rows and not stored, for numbers only those not
    expected before, without tied copies. opens: more dims are unknown than before. reshapes: fewer tensors are
    mismatched. partial: it explains only a fraction of a lost, added or renamed part. confirms: values that the config
    states and that are read only with this value.
    """

    gain: int
    agreeing: int
    broken: int
    missing: int
    opens: bool
    reshapes: bool
    partial: bool
    confirms: int

    @property
    def bearable(self) -> bool:
        """True if the value explains more than it breaks, and not just a fraction of a part."""
        return not self.partial and self.bearable_beside_others

    @property
    def bearable_beside_others(self) -> bool:
        """True if the value explains more than it breaks. It may be a fraction of a part if other values explain the
        rest.
        """
        if self.gain <= self.broken + self.missing or self.opens:
            return False
        if self.broken and not self.reshapes:
            return False  # if shapes become equal, a few others may have been equal by chance
        return self.agreeing > 0 or not self.missing


def effect_of(differences: Differences, leaf: Leaf, value: Any) -> Effect | None:
    """The effect of another value of a leaf; None if the value changes no row."""
    changed = _expanded_again(differences, leaf, value)
    if not changed:
        return None
    keys = _keys_moved(differences, changed)
    families = {key: differences.weights.families[key] for key in keys if key in differences.weights.families}
    before = _restricted(differences.placement, keys)
    after = _placed(differences, keys, families, changed)
    gain = _count(differences, before) - _count(differences, after)
    new = {id(block) for row in changed.values() for block in row.blocks}
    return Effect(
        gain=gain,
        agreeing=sum(one.tensors for one in after.placed if id(one.block) in new and one.fits),
        broken=_broken(before.placed, after.placed),
        missing=_missing(
            before, [gap for gap in after.missing if id(gap.block) in new], shortened=isinstance(value, list)
        ),
        opens=_open(changed.values()) > _open(differences.rows[at] for at in changed),
        reshapes=sum(one.tensors for one in after.mismatched) < sum(one.tensors for one in before.mismatched),
        partial=gain > 0 and explains_in_part(differences, keys, before, after),
        confirms=_read_only_now(differences, changed, leaf),
    )


def _missing(before: Placement, gaps: Sequence[Gap], *, shortened: bool) -> int:
    """The number of missing tensors that were not missing before: those of a lost layer are missing with any value.

    shortened: the value is a list of sizes. One that leaves parts out has to explain all of them.
    """
    known: dict[str, tuple[Box, ...]] = {}
    for gap in () if shortened else before.missing:
        known[gap.block.key] = (*known.get(gap.block.key, ()), *gap.boxes)
    added = (minus(gap.boxes, known.get(gap.block.key, ())) for gap in gaps if not gap.block.slot.tied)
    return sum(count(boxes) for boxes in added)


def placement_with(differences: Differences, leaf: Leaf, value: Any) -> Placement:
    """The placement of the families that rows which another value of a leaf changes describe now or then."""
    changed = _expanded_again(differences, leaf, value)
    keys = _keys_moved(differences, changed)
    families = {key: differences.weights.families[key] for key in keys if key in differences.weights.families}
    return _placed(differences, keys, families, changed)


def _read_only_now(differences: Differences, changed: Mapping[int, BoundSlot], leaf: Leaf) -> int:
    """The number of values that the config states, that changed rows read, and that no row read before."""
    reads = {one for row in changed.values() for one in row.reads}
    unread = [one for one in reads if one not in differences.readers and one[0] != SYMBOL and one != leaf]
    found = [differences.plan.scope.leaf(one) for one in unread]
    return sum(value is not None and not defaulted for value, defaulted in found)


def _expanded_again(differences: Differences, leaf: Leaf, value: Any) -> dict[int, BoundSlot]:
    """The rows that a value changes, by position."""
    trace, binder = differences.plan.scope.trace, differences.plan.binder
    changed: dict[int, BoundSlot] = {}
    trace.start(leaf, value)
    try:
        for at in differences.readers.get(leaf, ()):
            row = differences.rows[at]
            again = binder.row(row.slot)
            if not _equal(row, again):
                changed[at] = again
    except (RecursionError, OverflowError):
        return {}
    finally:
        trace.stop()
    return changed


def _equal(one: BoundSlot, other: BoundSlot) -> bool:
    if one.shapes != other.shapes:
        return False
    return all(
        first.key == second.key and first.axes == second.axes and (first.tie is None) == (second.tie is None)
        for first, second in zip(one.blocks, other.blocks, strict=True)
    )


def _keys_moved(differences: Differences, changed: Mapping[int, BoundSlot]) -> dict[str, None]:
    """The families that changed rows describe now or described before, with their tied copies and groups."""
    keys: dict[str, None] = {}
    groups: set[int] = set()
    for at, row in changed.items():
        before = differences.rows[at]
        keys.update(dict.fromkeys(block.key for block in (*before.blocks, *row.blocks)))
        keys[differences.keys[at]] = None
        if row.slot.tied and (target := differences.plan.binder.ties.named(row.slot)) is not None:
            keys[differences.plan.binder.key(target)] = None
        if row.slot.group is not None:
            groups.add(row.slot.group[0])
    slots = {id(row.slot) for row in changed.values()}
    for at in differences.linked:
        row = differences.rows[at]
        of_group = row.slot.group is not None and row.slot.group[0] in groups
        copies = any(block.tie is not None and id(block.tie) in slots for block in row.blocks)
        if of_group or copies:
            keys.update(dict.fromkeys(block.key for block in row.blocks))
    return keys


def _restricted(placement: Placement, keys: Mapping[str, None]) -> Placement:
    """The part of a placement for some families."""
    return Placement(
        tuple([one for one in placement.placed if one.block.key in keys]),
        tuple([gap for gap in placement.missing if gap.block.key in keys]),
        tuple([extra for extra in placement.unexpected if extra.key in keys]),
    )


def _placed(
    differences: Differences,
    keys: Mapping[str, None],
    families: Mapping[str, Family],
    changed: Mapping[int, BoundSlot],
) -> Placement:
    """Places the families in the rows that may describe them. changed: rows that replace rows of the plan."""
    users = dict.fromkeys(at for key in keys for at in differences.users.get(key, ()))
    blocks: list[Block] = []
    for at in (*users, *(at for at in changed if at not in users)):
        row = changed.get(at, differences.rows[at])
        blocks.extend(block for block in row.blocks if block.key in keys)
    for key in keys:
        blocks.extend(differences.others.get(key, ()))
    return place(families, blocks, differences.weights.lost)


def _count(differences: Differences, placement: Placement) -> int:
    checked = [
        extra.tensors
        for extra in placement.unexpected
        if extra.key not in differences.weights.aside and not is_unchecked(differences.plan, extra.key)
    ]
    mismatched = sum(one.tensors for one in placement.placed if not one.fits)
    return mismatched + sum(gap.tensors for gap in placement.missing) + sum(checked)


def _broken(before: Sequence[Placed], after: Sequence[Placed]) -> int:
    fitting: list[dict[str, int]] = [{}, {}]
    for counts, placed in zip(fitting, (before, after), strict=True):
        for one in placed:
            if one.fits:
                counts[one.block.key] = counts.get(one.block.key, 0) + one.tensors
    return sum(max(0, tensors - fitting[1].get(key, 0)) for key, tensors in fitting[0].items())


def _open(rows: Iterable[BoundSlot]) -> int:
    """Number of blocks with a dim that the config does not determine."""
    return sum(None in shape for row in rows for shape in row.shapes)
