"""Differences between a plan and the stored tensors, and the rows that depend on a config value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from inspector.algebra.boxes import Box
from inspector.algebra.names import DEEPEST
from inspector.algebra.span import Span
from inspector.matcher.families import Families
from inspector.notation.binding import Block, BoundSlot, Plan
from inspector.notation.spelling import template
from inspector.notation.trace import Leaf
from inspector.reconciler.place import Gap, Lost, Placed, Placement, Unexpected
from inspector.reconciler.renaming import renamings

Boxes = dict[str, tuple[Box, ...]]
"""Tensors by family, as boxes of indices."""
Axis = str | int
"""The name of a hole, or the literal index of a row."""


class Weights(msgspec.Struct, frozen=True, eq=False):
    """The stored tensors. lost: boxes of tensors that are known to be absent; None if no tensor is required.

    aside: families that are not compared.
    """

    families: Families
    lost: Lost | None
    aside: frozenset[str]


class Differences(msgspec.Struct, frozen=True, eq=False):
    """The differences between a plan and the weights.

    readers: leaf -> positions of the rows that read it. users: family -> the rows that may describe it. keys, axes: for
    each row its family and the holes of its `#`. linked: rows of groups and tied copies. unequal: family -> number of
    tensors that have another index set or rank than expected. mixed: family -> mismatched tensors of a family with
    several rows. others: blocks of other heads. stored: indices below each prefix. prefixes: of the stored families, up
    to each dot. renamed: missing families, each with the families that are stored under another name instead. total:
    tensors that are missing, mismatched or unexpected.
    """

    plan: Plan
    placement: Placement
    weights: Weights
    readers: Mapping[Leaf, list[int]]
    users: Mapping[str, list[int]]
    keys: tuple[str, ...]
    axes: tuple[tuple[Axis, ...], ...]
    linked: tuple[int, ...]
    unequal: Mapping[str, int]
    mixed: Mapping[str, int]
    others: Mapping[str, list[Block]]
    stored: Mapping[str, Span]
    prefixes: frozenset[str]
    renamed: Sequence[tuple[Boxes, Boxes]]
    total: int

    @property
    def rows(self) -> tuple[BoundSlot, ...]:
        """The rows of the plan."""
        return self.plan.rows


def differences_of(plan: Plan, placement: Placement, weights: Weights) -> Differences:
    """The differences of a plan, with the tables that trying other values needs."""
    readers: dict[Leaf, list[int]] = defaultdict(list)
    users: dict[str, list[int]] = defaultdict(list)
    keys: list[str] = []
    axes: list[tuple[Axis, ...]] = []
    for at, row in enumerate(plan.rows):
        key, named = template(plan.spelling.spelled(row.slot, plan.scope))
        keys.append(key)
        axes.append(named)
        for leaf in row.reads:
            readers[leaf].append(at)
        for name in {key, *(block.key for block in row.blocks)}:
            users[name].append(at)
    others: dict[str, list[Block]] = defaultdict(list)
    own = {id(row.slot) for row in plan.rows}
    for block in {id(one.block): one.block for one in placement.placed if id(one.block.slot) not in own}.values():
        others[block.key].append(block)
    unexpected = [extra for extra in placement.unexpected if not is_unchecked(plan, extra.key)]
    unequal: dict[str, int] = defaultdict(int)
    for gap in placement.missing:
        unequal[gap.block.key] += gap.tensors
    for extra in unexpected:
        unequal[extra.key] += extra.tensors
    mismatched = [one for one in placement.mismatched if id(one.block.slot) in own]
    for one in mismatched:
        if not same_rank(one):
            unequal[one.block.key] += one.tensors
    total = sum(unequal.values()) + sum(one.tensors for one in mismatched if same_rank(one))
    mixed: dict[str, int] = defaultdict(int)
    for one in mismatched:
        if same_rank(one) and len(users[one.block.key]) > 1:
            mixed[one.block.key] += one.tensors
    return Differences(
        plan,
        placement,
        weights,
        readers,
        users,
        tuple(keys),
        tuple(axes),
        tuple([at for at, row in enumerate(plan.rows) if _is_linked(row)]),
        unequal,
        mixed,
        others,
        _indices_stored(weights.families) if unequal else {},
        frozenset(prefix for key in weights.families for prefix in prefixes_of(key)) if unequal else frozenset(),
        _renamed(placement.missing, unexpected),
        total,
    )


def _is_linked(row: BoundSlot) -> bool:
    return row.slot.group is not None or any(block.tie is not None for block in row.blocks)


def prefixes_of(key: str) -> list[str]:
    """The prefixes of a key at each dot before its first index."""
    named = key.partition("#")[0].split(".", DEEPEST)[:-1]
    return [".".join(named[:length]) for length in range(1, len(named) + 1)]


def _indices_stored(families: Families) -> dict[str, Span]:
    """The first indices stored below each prefix. A family without indices counts as index 0 under its own key."""
    spans: dict[str, list[Span]] = {}
    for key, family in families.items():
        first = family.axis(0) if "#" in key.split(".") else Span.range(0, 1)
        spans.setdefault(key.partition(".#.")[0] if "#" in key else key, []).append(first)
    return {prefix: Span.union(found) for prefix, found in spans.items()}


def _renamed(gaps: Sequence[Gap], unexpected: Sequence[Unexpected]) -> list[tuple[Boxes, Boxes]]:
    """Renamed families: (missing boxes, boxes that are stored instead)."""
    if not gaps or not unexpected:
        return []
    missing = [(gap.block.key, gap.boxes, gap.block.shape) for gap in gaps]
    stored = [(extra.key, extra.boxes, extra.layout.shape) for extra in unexpected]
    return [
        (boxes_by_key(missing[at][:2] for at in names), boxes_by_key(stored[at][:2] for at in others))
        for names, others in renamings(missing, stored)
    ]


def boxes_by_key(found: Iterable[tuple[str, tuple[Box, ...]]]) -> Boxes:
    """Boxes by family."""
    boxes: Boxes = {}
    for key, listed in found:
        boxes[key] = (*boxes.get(key, ()), *listed)
    return boxes


def is_unchecked(plan: Plan, key: str) -> bool:
    """True if a family is below a prefix that no row describes."""
    return any(key.startswith(prefix) for prefix, _ in plan.opaque)


def same_rank(one: Placed) -> bool:
    """True if a mismatched tensor has the expected number of dims."""
    return len(one.layout.shape) == len(one.block.slot.dims)
