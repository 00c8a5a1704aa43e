"""The algebra of shapes: how a tensor of one shape is converted to another, and how many elements arrive. Pure.

Both shapes are logical (unpacked) and in one orientation, outputs before inputs, by their definitions;
a tensor that is still transposed contradicts its definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct

Shape = tuple[int, ...]

SAME = "same"
TRANSPOSED = "transposed"
RESHAPED = "reshaped"
PADDED = "padded"
CUT = "cut"


class Fit(Struct, frozen=True):
    """How one shape is converted to another. step: one of the words above; "" if no conversion is possible.

    carried: elements of the source that are in the target. axis: the only axis that is longer or
    shorter, None for other differences.
    """

    step: str
    carried: int
    axis: int | None = None

    @property
    def whole(self) -> bool:
        """True if nothing is dropped and nothing is added."""
        return self.step in (SAME, TRANSPOSED, RESHAPED)


def fit(source: Shape, target: Shape) -> Fit:
    """The conversion of a shape of the source to one of the target."""
    if source == target:
        return Fit(SAME, prod(source))
    if prod(source) == prod(target):
        if _regrouped(source, target):
            return Fit(RESHAPED, prod(source))
        if len(source) > 1 and target == (*source[:-2], source[-1], source[-2]):
            return Fit(TRANSPOSED, prod(source))
    if len(source) == len(target):
        axes = [axis for axis, (one, other) in enumerate(zip(source, target, strict=True)) if one != other]
        if len(axes) == 1:
            axis = axes[0]
            step = CUT if source[axis] > target[axis] else PADDED
            return Fit(step, prod(min(one, other) for one, other in zip(source, target, strict=True)), axis)
    return Fit("", 0)


def _regrouped(source: Shape, target: Shape) -> bool:
    """True if one shape is the other with adjacent dims merged, or with dims of 1 inserted or removed."""
    if not prod(source):
        return False
    return _refines(source, target) or _refines(target, source)


def _refines(fine: Shape, coarse: Shape) -> bool:
    """True if products of adjacent dims of one shape give the dims of the other, ignoring dims of 1."""
    left = [dim for dim in fine if dim != 1]
    for dim in (dim for dim in coarse if dim != 1):
        reached = 1
        while reached < dim and left:
            reached *= left.pop(0)
        if reached != dim:
            return False
    return not left


def split(total: int, sizes: Sequence[int | None], others: Sequence[int | None]) -> tuple[int, ...] | None:
    """The sizes of the parts of a fused matrix: by its definition, else as on the other side.

    total: rows of the fused matrix. The last unknown part gets the remaining rows; None if no rows remain. If a matrix
    is too short for its known parts, the last parts lack the rows.
    """
    found = [own if own is not None else other for own, other in zip(sizes, others, strict=True)]
    known = sum(size for size in found if size is not None)
    missing = [position for position, size in enumerate(found) if size is None]
    if missing:
        share, rest = divmod(total - known, len(missing))
        if share < 0 or rest:
            return None
        found = [share if size is None else size for size in found]
    elif known != total:
        found[-1] = (found[-1] or 0) + max(0, total - known)
        over = max(0, known - total)
        for position, size in reversed(list(enumerate(found))):
            cut = min(size or 0, over)
            found[position], over = (size or 0) - cut, over - cut
    return tuple(size for size in found if size is not None)
