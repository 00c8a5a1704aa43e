"""Finds how all values of a tensor follow from those of its source, if they differ. A relation is reported only if
proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from math import isfinite
from typing import Final

import numpy as np
from msgspec import Struct

from inspector.values.chunks import chunks
from inspector.values.decoding import Array, decoded, rounded
from inspector.values.stored import Numbers

BLOCK: Final = 1 << 19
"""Number of elements that are read at once."""
MOST_ROWS: Final = 64
"""Most exchanged rows that are named."""
CORNER: Final = 8
"""Number of rows and columns of the corner that is compared first."""
PRECISE: Final = frozenset({"F32", "F64"})
FLOATS: Final = frozenset({"F64", "F32", "F16", "BF16"})


def _one_more(left: Array, dtype: str) -> Array | None:
    return _as_stored(left + left.dtype.type(1), dtype)


def _one_less(left: Array, dtype: str) -> Array | None:
    return _as_stored(left - left.dtype.type(1), dtype)


def _as_stored(values: Array, dtype: str) -> Array | None:
    return values if dtype in PRECISE else rounded(values, dtype)


BY_VALUE: Final[Mapping[str, Callable[[Array, str], Array | None]]] = {
    "through F16": lambda left, dtype: rounded(left, "F16") if dtype in PRECISE else None,
    "through BF16": lambda left, dtype: rounded(left, "BF16") if dtype in PRECISE else None,
    "one added": _one_more,
    "one subtracted": _one_less,
}
"""Changes that apply to each value separately."""


SCALED: Final = "scaled"


class Relation(Struct, frozen=True):
    """The change of all values of a tensor; "" if no simple change explains them. rows: exchanged rows.

    factor: by which all values are multiplied, even if another relation holds as well, as for a norm of ones; else
    None.
    """

    name: str = ""
    rows: tuple[int, ...] = ()
    factor: float | None = None


def value_relation(source: Numbers, target: Numbers, differing: int, *, joined: bool = False) -> Relation:
    """The change of all values.

    differing: number of values that differ. joined: both are parts of a matrix for several modules, whose rows may all
    have been reordered.
    """
    if source.dtype != target.dtype or source.dtype not in FLOATS:
        return Relation()
    factor = _factor(source, target)
    ways = {**BY_VALUE, **({} if factor is None else {SCALED: _times(factor)})}
    for _, (one, other) in chunks(source.raw, target.raw):
        left, right = decoded(np.asarray(one), source.dtype), decoded(np.asarray(other), target.dtype)
        ways = {name: way for name, way in ways.items() if _equal(way(left, source.dtype), right)}
        if not ways:
            break
    if ways:
        return Relation(next(iter(ways)), factor=factor if SCALED in ways else None)
    if joined and source.raw.ndim == 3:
        source, target = (Numbers(one.raw.reshape(-1, one.raw.shape[-1]), one.dtype) for one in (source, target))
    if source.raw.ndim != 2:
        return Relation()
    if _begins_transposed(source, target) and _transposed(source, target):
        return Relation("transposed")
    if joined or differing <= MOST_ROWS * source.raw.shape[1]:
        return Relation(*_exchanged_rows(source, target))
    return Relation()


def _factor(source: Numbers, target: Numbers) -> float | None:
    """The first nonzero value of the source divides that of the target; None if the quotient is not a usable factor."""
    for _, (one, other) in chunks(source.raw, target.raw):
        left = decoded(np.asarray(one), source.dtype).ravel()
        right = decoded(np.asarray(other), target.dtype).ravel()
        at = np.flatnonzero(left)[:1]
        if len(at):
            factor = float(right[at[0]]) / float(left[at[0]])
            return factor if isfinite(factor) and factor not in (0.0, 1.0) else None
    return None


def _times(factor: float) -> Callable[[Array, str], Array | None]:
    """Multiplication by a number. It is exact for a power of two; only then do all values prove it."""
    return lambda left, dtype: _as_stored(left * left.dtype.type(factor), dtype)


def _begins_transposed(source: Numbers, target: Numbers) -> bool:
    """True if both are square and the first corner of one is that of the other transposed: a quick check."""
    if source.raw.shape[0] != source.raw.shape[1]:
        return False
    one, other = np.asarray(source.raw[:CORNER])[:, :CORNER], np.asarray(target.raw[:CORNER])[:, :CORNER]
    return np.array_equal(one, other.T)


def _transposed(source: Numbers, target: Numbers) -> bool:
    """True if one square matrix is the transpose of the other, compared block by block."""
    return all(
        np.array_equal(left[:, start : start + right.shape[0]], right[:, at : at + left.shape[0]].T)
        for at, left in _rows(source)
        for start, right in _rows(target)
    )


def _rows(numbers: Numbers) -> Iterator[tuple[int, Array]]:
    """Blocks of rows of a matrix, each with the index of its first row."""
    height, width = numbers.raw.shape
    step = max(1, BLOCK // max(1, width))
    for start in range(0, height, step):
        yield start, np.asarray(numbers.raw[start : start + step])


def _exchanged_rows(source: Numbers, target: Numbers) -> tuple[str, tuple[int, ...]]:
    """("rows exchanged", the rows) if rows of the source were exchanged and all others are equal; no rows if there are
    many.
    """
    rows: list[int] = []
    before: list[bytes] = []
    after: list[bytes] = []
    for (start, left), (_, right) in zip(_rows(source), _rows(target), strict=True):
        found = np.flatnonzero((left != right).any(axis=1))
        rows += [start + int(row) for row in found]
        before += [_digest(left[row]) for row in found]
        after += [_digest(right[row]) for row in found]
    few = tuple(rows) if len(rows) <= MOST_ROWS else ()
    return ("rows exchanged", few) if sorted(before) == sorted(after) else ("", ())


def _digest(row: Array) -> bytes:
    return blake2b(np.ascontiguousarray(row).data, digest_size=16).digest()


def _equal(expected: Array | None, found: Array) -> bool:
    return expected is not None and bool(((expected == found) | (np.isnan(expected) & np.isnan(found))).all())
