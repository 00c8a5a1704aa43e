"""Places stored families in expected blocks, which gives matching, mismatched, missing and unexpected tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from operator import mul

from msgspec import Struct

from inspector.algebra.boxes import Box, count, leading, less, minus, within
from inspector.algebra.names import Index
from inspector.algebra.span import Span
from inspector.budget import spend
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed
from inspector.matcher.families import Families, Stored
from inspector.notation.binding import Block, fits
from inspector.notation.slots import Slot

STEPS_A_PART = 6
BLOCKS_A_STEP = 32


class Placed(Struct, frozen=True):
    """Stored tensors of one layout inside one block."""

    block: Block
    layout: Layout
    boxes: tuple[Box, ...]
    tensors: int
    packed: Packed | None = None

    @property
    def fits(self) -> bool:
        """True if the stored shape is the expected one. Dims that the config does not determine always fit."""
        shape = self.block.shape
        if self.packed is not None:
            if not self.packed.exact:
                return self.packed.admits(shape, self.layout)
            if self.block.slot.kind.name == "linear_io":  # quantizers transpose such weights before packing them
                shape = (*shape[:-2], *reversed(shape[-2:]))
                if shape == self.layout.shape:
                    return True
                shape = self.block.shape
        return shape == self.layout.shape or fits(shape, self.layout.shape)

    @property
    def computed(self) -> bool:
        """True for a buffer that a file may leave out: its content is no evidence of the config."""
        return self.block.slot.optional and not self.block.slot.tensor.counted

    @property
    def transposed(self) -> bool:
        """True if a matrix, or each matrix of stacked experts, has the expected dims in the other order."""
        stored, expected = self.layout.shape, self.block.shape
        return len(stored) in (2, 3) and stored == (*expected[:-2], *expected[:-3:-1])

    @property
    def reshaped(self) -> bool:
        """True if one shape of a weight is the other with adjacent dims merged: flattened, or with additional dims of
        1.
        """
        stored, expected = self.layout.shape, self.block.shape
        sizes = [size for size in expected if size]
        if self.computed or len(stored) == len(expected) or len(sizes) < len(expected) or 0 in stored:
            return False
        left, right = (set(accumulate(shape, mul)) - {1} for shape in (stored, sizes))
        return max(left, default=1) == max(right, default=1) and (left <= right or right <= left)


class Gap(Struct, frozen=True):
    """Tensors of a block that are not stored."""

    block: Block
    boxes: tuple[Box, ...]
    tensors: int

    @property
    def is_head(self) -> bool:
        """True if they are a head that may be tied to the embedding."""
        return self.block.slot.tied.startswith("role:embed")


class Unexpected(Struct, frozen=True):
    """Stored tensors that no block expects."""

    key: str
    layout: Layout
    boxes: tuple[Box, ...]
    tensors: int
    packed: Packed | None = None


class Placement(Struct, frozen=True):
    """The stored tensors of a checkpoint by the blocks of a plan. missing: required tensors that are not stored."""

    placed: tuple[Placed, ...]
    missing: tuple[Gap, ...]
    unexpected: tuple[Unexpected, ...]

    @property
    def mismatched(self) -> tuple[Placed, ...]:
        """Stored tensors with another shape than expected."""
        return tuple(one for one in self.placed if not one.fits)

    @property
    def differences(self) -> int:
        """Number of missing, mismatched and unexpected tensors."""
        sides: tuple[Iterable[Placed | Gap | Unexpected], ...] = (self.mismatched, self.missing, self.unexpected)
        return sum(one.tensors for side in sides for one in side)


Lost = Mapping[str, tuple[Box, ...]]
"""Key -> index boxes of tensors in unreadable files, which are not reported as missing."""


def place(families: Families, blocks: Sequence[Block], lost: Lost | None) -> Placement:
    """Places every stored tensor in the block that expects it. lost: None if absent tensors do not count as
    missing.
    """
    by_key: dict[str, list[Block]] = {}
    for block in blocks:
        by_key.setdefault(block.key, []).append(block)
    placed: list[Placed] = []
    unexpected: list[Unexpected] = []
    for key, family in families.items():
        expected = by_key.get(key, ())
        spend(STEPS_A_PART * len(family.stored), "the shapes of the tensors")
        for part in family.stored:
            left = part.boxes
            for block in expected:
                inside = within(left, block.axes)
                if inside and not _is_another(block, part):
                    placed.append(Placed(block, part.layout, inside, count(inside), part.packed))
                    left = less(left, block.axes) if inside != left else ()
            if left:
                unexpected.append(Unexpected(key, part.layout, left, count(left), part.packed))
    gaps = [] if lost is None else _required_gaps(blocks, placed, lost)
    return Placement(tuple(placed), tuple(gaps), tuple(unexpected))


def _is_another(block: Block, part: Stored) -> bool:
    """True if a tensor has the name of another head's tensor of free sizes, but not its number of dims."""
    if block.required or part.packed is not None or len(part.layout.shape) == len(block.shape):
        return False
    return not any(block.shape) and None in block.shape


def _required_gaps(blocks: Sequence[Block], placed: list[Placed], lost: Lost) -> list[Gap]:
    inside: dict[int, list[Placed]] = {}
    for one in placed:
        inside.setdefault(id(one.block), []).append(one)
    copies: dict[int, list[Box]] = {}
    for one in placed:
        if one.block.tie is not None and one.block.tie.holes == one.block.slot.holes:
            copies.setdefault(id(one.block.tie), []).extend(one.boxes)
        elif one.block.tie is not None:
            copies.setdefault(id(one.block.tie), []).extend(_everywhere(blocks, one.block.tie))
    groups = stored_groups((one.block.slot, one.boxes) for one in placed)
    gaps = []
    for block in blocks:
        if not block.required or block.tie is not None:
            continue
        copied = [box for box in copies.get(id(block.slot), ()) if len(box) == len(block.axes)]
        wanted = wanted_of(block, groups)
        known = [box for one in inside.get(id(block), ()) for box in one.boxes]
        if tuple(known) == wanted:
            continue
        known += [box for box in lost.get(block.key, ()) if len(box) == len(block.axes)]
        wanted = minus(wanted, copied + known)
        missing = count(wanted)
        if missing:
            gaps.append(Gap(block, wanted, missing))
    return gaps


def _everywhere(blocks: Sequence[Block], slot: Slot) -> list[Box]:
    """All indices of a slot: a single tensor with other indices is a copy of each of its tensors."""
    spend(1 + len(blocks) // BLOCKS_A_STEP, "the shapes of the tensors")
    return [block.axes for block in blocks if block.slot is slot]


def copies_in(placed: Sequence[Placed]) -> dict[int, tuple[Box, ...]]:
    """id of Placed -> where tied tensors are stored in addition to their original or to another copy."""
    counted: dict[int, list[Box]] = {}
    for one in placed:
        counted.setdefault(id(one.block.slot), []).extend(one.boxes)
    copies: dict[int, tuple[Box, ...]] = {}
    for one in placed:
        tie = one.block.tie
        if tie is None:
            continue
        before = counted.setdefault(id(tie), [])
        aligned = bool(tie.holes) and tie.holes == one.block.slot.holes  # single tensors share no index
        same = [box for box in before if len(box) == len(one.block.axes)]  # indices of another tensor do not correspond
        own = minus(one.boxes, same if aligned or not before else one.boxes)
        before.extend(own)
        copied = minus(one.boxes, own)
        if copied:
            copies[id(one)] = copied
    return copies


def stored_groups(stored: Iterable[tuple[Slot, tuple[Box, ...]]]) -> dict[int, set[Index]]:
    """For each all-or-nothing group, the leading indices at which any of its tensors is stored."""
    groups: dict[int, set[Index]] = {}
    for slot, boxes in stored:
        if slot.group is not None:
            number, axes = slot.group
            groups.setdefault(number, set()).update(leading(boxes, axes) or ())
    return groups


def wanted_of(block: Block, groups: dict[int, set[Index]]) -> tuple[Box, ...]:
    """Where the tensors of a block are required: at all indices, or where any tensor of its group is stored."""
    if block.slot.group is None:
        return (block.axes,)
    number, axes = block.slot.group
    begun = groups.get(number, set())
    if axes == 0:
        return (block.axes,) if begun else ()
    wanted: list[Box] = []
    for index in sorted(begun):
        cut = (*(Span.of([one]) for one in index), *block.axes[axes:])
        wanted.extend(within((block.axes,), cut))
    return tuple(wanted)
