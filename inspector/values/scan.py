"""Reads one tensor once: infinities and NaN, a single value, rows of zeros, zeros at both ends."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from inspector.values.bits import NOT_FINITE, are_finite, magnitudes
from inspector.values.chunks import chunks
from inspector.values.decoding import Array, decoded
from inspector.values.stored import Elements, Numbers


class ZeroRows(Struct):
    """Rows of a matrix in which all values are zero: how many, the first and the last of them."""

    rows: int = 0
    zero: int = 0
    first: int = 0
    last: int = 0

    def add(self, start: int, rows: Array) -> None:
        """Counts rows, given as their numbers from `start` on."""
        if rows.size:
            self.first = self.first if self.zero else start + int(rows[0])
            self.last = start + int(rows[-1])
            self.zero += int(rows.size)

    @property
    def adjacent(self) -> bool:
        """Whether they follow each other."""
        return self.zero > 0 and self.last - self.first + 1 == self.zero


class Scan(Struct):
    """What a tensor's values are.

    nan, infinite: how many. constant: its only value, if all are equal, also of a single element. rows: those of
    zeros, of a matrix.
    leading, trailing: elements at the begin and the end of the tensor with no bit set, as in bytes never written.
    """

    elements: int = 0
    nan: int = 0
    infinite: int = 0
    constant: float | None = None
    rows: ZeroRows | None = None
    leading: int = 0
    trailing: int = 0

    @property
    def is_unwritten(self) -> bool:
        """Whether no bit is set."""
        return self.elements > 0 and self.trailing == self.elements


class Scanner:
    """Collects what the values of a tensor are, part by part in the order of the elements.

    rows: the tensor as rows, whose zeros are counted; 0 where they are not.
    """

    __slots__ = ("dtype", "found", "length", "row", "spread")

    def __init__(self, dtype: str, rows: int = 0, length: int = 0) -> None:
        self.dtype, self.length = dtype, length
        self.found = Scan(rows=ZeroRows(rows) if rows and dtype in NOT_FINITE else None)
        self.spread, self.row = _Spread(dtype), _LongRow()

    def add(self, place: tuple[int, ...], part: Array) -> None:
        """Looks at a part; place: of its first element."""
        found = self.found
        if not part.size:
            return
        if self.dtype not in NOT_FINITE or not are_finite(part, self.dtype):
            _count_abnormal(found, decoded(part, self.dtype))
        self.spread.look(part)
        _count_ends(found, part)
        found.elements += part.size
        if found.rows is not None:
            if part.ndim > 1:
                found.rows.add(place[0], zero_rows(part))
            elif self.row.ends(place, part, self.length):
                found.rows.add(place[0], np.zeros(1, np.intp))

    def result(self) -> Scan:
        """What all parts were."""
        if not self.found.nan:
            self.found.constant = self.spread.only
        return self.found


def scan(numbers: Numbers) -> Scan:
    """Reads all elements once."""
    raw = by_rows(numbers.raw)
    scanner = Scanner(numbers.dtype, *((raw.shape[0], raw.shape[-1]) if raw.ndim > 1 else ()))
    for place, (part,) in chunks(raw):
        scanner.add(place, part)
    return scanner.result()


def by_rows(raw: Elements) -> Elements:
    """An array as rows: of matrices and stacks of them the last axis, of kernels of convolutions all but the first."""
    shape = raw.shape
    while len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    if len(shape) < 2 or not raw.size:
        return raw.reshape(-1)
    return raw.reshape(shape[0], -1) if len(shape) > 3 else raw.reshape(-1, shape[-1])


def zero_rows(part: Array) -> Array:
    """The rows of a matrix in which all values are zero. Few rows are read whole: those that begin with zeros."""
    first = magnitudes(part[:, 0])
    if first.all():
        return np.empty(0, np.intp)
    candidates = np.flatnonzero(first == 0)
    for column in (part.shape[1] // 2, part.shape[1] - 1):
        if candidates.size:
            candidates = candidates[~_is_set(part[candidates, column])]
    return candidates[~_is_set(part[candidates]).any(axis=1)] if candidates.size else candidates


def _is_set(part: Array) -> Array:
    """Which floats are not zero, of either sign."""
    found: Array = magnitudes(part) != 0
    return found


class _Spread:
    """The only value of the elements so far, None once there are two."""

    __slots__ = ("dtype", "only", "varies")

    def __init__(self, dtype: str) -> None:
        self.dtype, self.only, self.varies = dtype, None, False  # type: tuple[str, float | None, bool]

    def look(self, part: Array) -> None:
        if self.varies:
            return
        flat = part.reshape(-1)
        for some in (flat[:64], flat):
            values = decoded(some, self.dtype)
            low, high = float(values.min()), float(values.max())
            if low != high or self.only not in (None, low):
                self.only, self.varies = None, True
                return
        self.only = low


class _LongRow:
    """Joins the parts of rows that are too long to be read at once."""

    __slots__ = ("zero",)

    def __init__(self) -> None:
        self.zero = True

    def ends(self, place: tuple[int, ...], part: Array, length: int) -> bool:
        """Whether a part ends a row of zeros."""
        self.zero = (self.zero or place[-1] == 0) and not _is_set(part).any()
        return self.zero and place[-1] + part.size == length


def _count_abnormal(found: Scan, values: Array) -> None:
    found.nan += int(np.isnan(values).sum())
    found.infinite += int(np.isinf(values).sum())


def _count_ends(found: Scan, part: Array) -> None:
    """Counts elements without a set bit at the begin and the end."""
    flat = part.reshape(-1)
    bits = flat.view(f"<u{flat.dtype.itemsize}")
    begins = found.leading == found.elements and bits[0] == 0
    if not begins and bits[-1] != 0:
        found.trailing = 0
        return
    nonzero = bits != 0
    if not nonzero.any():
        found.leading += bits.size if begins else 0
        found.trailing += bits.size
        return
    found.leading += int(nonzero.argmax()) if begins else 0
    found.trailing = int(nonzero[::-1].argmax())
