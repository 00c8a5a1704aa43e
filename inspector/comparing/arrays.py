"""Applies the algebra of shapes to arrays: creates the views of stored tensors that correspond in a conversion.

Views of data that is not contiguous in the file are read, one tensor or one expert at a time.

Rotary halves: Meta's q and k have each head's rows in pairs (0, 1), (2, 3), ..., transformers' in two halves; row i of
pair j is row j of half i. Both have the same shape; only the values show the difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inspector.comparing.pieces import FusedPart, Piece
from inspector.comparing.shapes import Fit
from inspector.comparing.tally import LogicalTensor
from inspector.values.decoding import decoded
from inspector.values.stored import Elements, Numbers


def logical(raw: Elements, tensor: LogicalTensor, piece: Piece) -> Elements | None:
    """The view of a stored array for a piece: its index, its rows, outputs before inputs; None without such a view.

    Rows of an alternating part have the shape (groups, rows of one group, ...).
    """
    whole = piece.shape if piece.part is None else (-1, *piece.shape[1:])
    array = raw
    if tensor.index is not None:
        if array.ndim == len(whole):  # modules stacked along the rows
            if whole[0] <= 0 or array.shape[0] % whole[0]:
                return None
            array = array.reshape(-1, whole[0], *array.shape[1:])
        array = array[tensor.index]
    if tensor.transposed and array.ndim > 1:
        array = np.swapaxes(array, -1, -2)
    return array if tensor.part is None else _rows(array, tensor.part)


def _rows(array: Elements, part: FusedPart) -> Elements | None:
    if part.groups is None:
        return None
    if part.groups == 1:
        return array[part.start : part.start + part.size]
    if array.shape[0] != part.groups * part.stride:
        return None
    return array.reshape(part.groups, part.stride, *array.shape[1:])[:, part.start : part.start + part.size]


def matched(source: Elements, target: Elements, fit: Fit) -> tuple[Elements, Elements] | None:
    """Both views in one common shape, without padding or cut parts; None without a common shape."""
    if fit.step == "transposed":
        target = np.swapaxes(target, -1, -2)
    if fit.step in ("padded", "cut") and fit.axis is not None and source.ndim == target.ndim:
        most = min(source.shape[fit.axis], target.shape[fit.axis])
        cut = (*(slice(None) for _ in range(fit.axis)), slice(most))
        source, target = source[cut], target[cut]
    if source.shape == target.shape:
        return source, target
    if source.size != target.size:
        return None
    if source.ndim > target.ndim:
        return source, target.reshape(source.shape)
    return source.reshape(target.shape), target


def stored_at(
    place: tuple[int, ...], tensor: LogicalTensor, piece: Piece, fit: Fit, stored: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Position in the target's stored tensor of a position in the matched view; None if unknown.

    place: the position in the view from `matched`. stored: the shape in the file.
    """
    part = tensor.part
    if fit.step == "reshaped" or len(place) != len(piece.shape) or (part is not None and part.groups != 1):
        return None
    at = list(place)
    if fit.step == "transposed":
        at[-2:] = at[:-3:-1]
    if part is not None:
        at[0] += part.start
    if tensor.transposed and len(at) > 1:
        at[-2:] = at[:-3:-1]
    if tensor.index is not None and len(stored) > len(at):
        at.insert(0, tensor.index)
    elif tensor.index is not None:
        at[0] += tensor.index * piece.shape[0]
    return tuple(at)


def head_widths(halves: Numbers, pairs: Numbers) -> Iterator[int]:
    """Possible numbers of rows per head, if the second row of a pair begins the second half. Only all rows prove
    one.
    """
    one, other = halves.raw, pairs.raw
    if one.ndim < 1 or one.shape != other.shape or one.shape[0] < 4:
        return
    wanted = decoded(np.asarray(other[1:2]), pairs.dtype)
    for row in range(2, one.shape[0] // 2 + 1):
        if one.shape[0] % (2 * row) == 0 and _alike(decoded(np.asarray(one[row : row + 1]), halves.dtype), wanted):
            yield 2 * row


def _alike(one: Elements, other: Elements) -> bool:
    """True if two rows may be equal up to rounding to 8 bits of fraction: a reason to compare all rows."""
    return bool(np.allclose(one, other, rtol=2**-7, atol=0, equal_nan=True))


def in_halves(pairs: Elements, width: int) -> Elements:
    """Rows in pairs, in the order of halves: (heads, 2, width/2, ...)."""
    return np.swapaxes(pairs.reshape(-1, width // 2, 2, *pairs.shape[1:]), 1, 2)


def as_halves(halves: Elements, width: int) -> Elements:
    """Rows in halves, in the shape that `in_halves` returns."""
    return halves.reshape(-1, 2, width // 2, *halves.shape[1:])
