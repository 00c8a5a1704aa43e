"""The algebra of shapes: how a tensor of one shape becomes one of another, and how much of it arrives. Pure.

Both shapes are logical (unpacked) and in one orientation, outputs before inputs, as the definitions say them;
what is still transposed then contradicts its definition.
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
    """How one shape becomes another. step: one of the words above, "" where it does not.

    carried: elements of the source that have a place in the target. axis: the one axis that is longer or
    shorter, None where that is not the difference.
    """

    step: str
    carried: int
    axis: int | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is lost and nothing added."""
        return self.step in (SAME, TRANSPOSED, RESHAPED)


def fit(source: Shape, target: Shape) -> Fit:
    """How a tensor of the source's shape becomes one of the target's."""
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
    """Whether one is the other with neighbouring dims joined, or dims of one put in or left out."""
    if not prod(source):
        return False
    return _refines(source, target) or _refines(target, source)


def _refines(fine: Shape, coarse: Shape) -> bool:
    """Whether runs of neighbouring dims of one multiply to the dims of the other, ones aside."""
    left = [dim for dim in fine if dim != 1]
    for dim in (dim for dim in coarse if dim != 1):
        reached = 1
        while reached < dim and left:
            reached *= left.pop(0)
        if reached != dim:
            return False
    return not left


def split(total: int, sizes: Sequence[int | None], others: Sequence[int | None]) -> tuple[int, ...] | None:
    """The sizes of a fused matrix's parts: as its definition knows them, else as the other side has them.

    total: rows of the fused matrix. The last open part has what is left; None where nothing is left for it.
    Of a matrix too short for its known parts the last ones lack the rows.
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
