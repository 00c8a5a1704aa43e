"""Scans one tensor once, for infinities and NaN, a single value, rows of zeros, and zeros at both ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Final

import numpy as np
from msgspec import Struct

from inspector.values.bits import BLOCK, NOT_FINITE, are_finite, bits_of, is_ordinary, magnitudes
from inspector.values.chunks import chunks, segments
from inspector.values.decoding import Array, decoded
from inspector.values.stored import Elements, Numbers
from inspector.values.threads import THREADS, at_once

INTEGERS: Final = frozenset({"I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL"})
"""Dtypes in which every bit pattern is a finite number."""


class ZeroRows(Struct):
    """Rows of a matrix with only zeros: their number, the first and the last one."""

    rows: int = 0
    zero: int = 0
    first: int = 0
    last: int = 0

    def add(self, start: int, rows: Array) -> None:
        """Counts rows, given by their numbers from `start` on."""
        if rows.size:
            self.first = self.first if self.zero else start + int(rows[0])
            self.last = start + int(rows[-1])
            self.zero += int(rows.size)

    def followed_by(self, other: ZeroRows) -> ZeroRows:
        """The rows of a matrix, if these are among its first rows and the others among its last rows."""
        first, last = (self.first if self.zero else other.first), (other.last if other.zero else self.last)
        return ZeroRows(self.rows, self.zero + other.zero, first, last)

    @property
    def adjacent(self) -> bool:
        """True if the rows are adjacent."""
        return self.zero > 0 and self.last - self.first + 1 == self.zero


class ZeroColumns(Struct):
    """Columns of matrices with only zeros.

    height, width: of a matrix. zero: number of a matrix -> its columns with only zeros so far, ascending. done: the row
    up to which no such column is left.
    """

    height: int
    width: int
    zero: dict[int, Array] = {}
    done: int = 0

    def add(self, start: int, part: Array) -> None:
        """Checks rows from `start` on. Few are read completely: those whose first and last values are zero."""
        row, end = start, start + len(part)
        while row < end:
            matrix = row // self.height
            stop = min((matrix + 1) * self.height, end)
            zero = self.zero.get(matrix)
            if zero is None or zero.size:
                self.zero[matrix] = zero = _zero_columns(part[row - start : stop - start], zero)
            self.done = 0 if zero.size else (matrix + 1) * self.height
            row = stop

    def followed_by(self, other: ZeroColumns) -> ZeroColumns:
        """The columns, if these are of the first rows and the others of the last rows."""
        both = {
            matrix: np.intersect1d(self.zero[matrix], columns, assume_unique=True)
            for matrix, columns in other.zero.items()
            if matrix in self.zero
        }
        return ZeroColumns(self.height, self.width, {**self.zero, **other.zero, **both}, other.done)

    def positions(self) -> Array:
        """The columns of all matrices, beginning with the first matrix."""
        return np.concatenate([columns + matrix * self.width for matrix, columns in sorted(self.zero.items())])

    def without(self, leading: int, trailing: int) -> tuple[int, int]:
        """Zero elements at both ends, without those of a row that are due to columns of zeros.

        If only one row of a matrix has values, there are no such columns.
        """
        first, last = self.zero[min(self.zero)], self.zero[max(self.zero)]
        (before, begin), (after, end) = divmod(leading, self.width), divmod(trailing, self.width)
        if before >= self.height - 1 or not np.array_equal(first[:begin], np.arange(begin)):
            begin = 0
        if after >= self.height - 1 or not np.array_equal(
            last[last.size - end :], np.arange(self.width - end, self.width)
        ):
            end = 0
        return leading - begin, trailing - end

    @property
    def whole(self) -> int:
        """Number of matrices of a stack that have only zeros, such as the matrix of one expert."""
        return sum(columns.size == self.width for columns in self.zero.values())

    @property
    def columns(self) -> int:
        """Columns of all matrices."""
        return len(self.zero) * self.width

    @property
    def count(self) -> int:
        """Number of zero columns."""
        return sum(columns.size for columns in self.zero.values())

    @property
    def first(self) -> int:
        """The first zero column."""
        return int(self.positions()[0])

    @property
    def last(self) -> int:
        """The last zero column."""
        return int(self.positions()[-1])


class Scan(Struct):
    """The result of scanning a tensor's values.

    nan, infinite: number of such values; odd: position of the first of them, None if all are finite. constant: the only
    value, if all elements are equal. rows: rows of zeros of a matrix. columns: columns of zeros, None if there are
    none. leading, trailing: number of elements at the beginning and the end of the tensor without a set bit, as in
    bytes that were never written.
    """

    elements: int = 0
    nan: int = 0
    infinite: int = 0
    constant: float | None = None
    rows: ZeroRows | None = None
    leading: int = 0
    trailing: int = 0
    columns: ZeroColumns | None = None
    odd: int | None = None

    @property
    def is_unwritten(self) -> bool:
        """True if no bit of the tensor is set."""
        return self.elements > 0 and self.trailing == self.elements

    def followed_by(self, other: Scan) -> Scan:
        """The scan of a tensor, if this is the scan of its first part and the other that of the rest."""
        return Scan(
            self.elements + other.elements,
            self.nan + other.nan,
            self.infinite + other.infinite,
            other.constant if self.constant == other.constant else None,
            None if self.rows is None or other.rows is None else self.rows.followed_by(other.rows),
            self.leading + (other.leading if self.leading == self.elements else 0),
            other.trailing + (self.trailing if other.trailing == other.elements else 0),
            None if self.columns is None or other.columns is None else self.columns.followed_by(other.columns),
            self.odd if other.odd is None or self.odd is not None else self.elements + other.odd,
        )


class Scanner:
    """Scans the values of a tensor part by part, in the order of the elements.

    rows: number of rows of the tensor, if rows of zeros are counted; else 0. length: elements of a row. height: rows of
    one matrix; the tensor has one or more.
    """

    __slots__ = ("dtype", "found", "length", "row", "spread")

    def __init__(self, dtype: str, rows: int = 0, length: int = 0, height: int = 0) -> None:
        self.dtype, self.length = dtype, length
        counted = rows > 0 and dtype in NOT_FINITE
        self.found = Scan(rows=ZeroRows(rows) if counted else None)
        self.found.columns = ZeroColumns(height, length) if counted and height > 1 else None
        self.spread, self.row = _Spread(dtype), _LongRow()

    def add(self, place: tuple[int, ...], part: Array, finite: bool = False) -> None:
        """Scans a part. place: indices of its first element. finite: all its values are known to be finite."""
        found, size = self.found, part.size
        if not size:
            return
        if self._goes_on(place[0], part):
            found.elements += size
            found.trailing = 0
            return
        if not (finite or self.dtype in INTEGERS or (self.dtype in NOT_FINITE and are_finite(part, self.dtype))):
            _count_abnormal(found, part, self.dtype)
        if not self.spread.varies:
            self.spread.look(part)
        _count_ends(found, part)
        found.elements += size
        if found.rows is not None:
            if part.ndim > 1:
                found.rows.add(place[0], zero_rows(part))
            elif self.row.ends(place, part, self.length):
                found.rows.add(place[0], np.zeros(1, np.intp))
            if part.ndim == 1:
                found.columns = None  # columns of rows that are read in parts are unknown
            elif found.columns is not None:
                found.columns.add(place[0], part)

    def _goes_on(self, row: int, part: Array) -> bool:
        """True if the part is an ordinary one: several values so far, no column of zeros, all values below 2."""
        found = self.found
        if found.rows is None or not self.spread.varies or found.leading == found.elements or part.ndim < 2:
            return False
        if found.columns is not None and row + len(part) > found.columns.done:
            return False
        return is_ordinary(part, self.dtype)

    def join(self, parts: Sequence[Scan]) -> None:
        """Adds the scans of the parts of the tensor, in their order."""
        self.found = reduce(Scan.followed_by, parts)
        self.spread.only = self.found.constant

    def result(self) -> Scan:
        """The scan of all parts."""
        if not self.found.nan:
            self.found.constant = self.spread.only
        return self.found


def scan(numbers: Numbers) -> Scan:
    """Scans all elements once, with several threads if the tensor is long."""
    raw = by_rows(numbers.raw)
    height = numbers.raw.shape[-2] if 1 < numbers.raw.ndim < 4 else 0
    new = partial(Scanner, numbers.dtype, *((raw.shape[0], raw.shape[-1], height) if raw.ndim > 1 else ()))
    found = at_once([partial(_scan, new, start, part) for start, (part,) in segments([raw], THREADS)])
    whole = reduce(Scan.followed_by, found)
    if whole.columns is not None and not whole.columns.count:
        whole.columns = None
    return whole


def _scan(new: Callable[[], Scanner], start: int, part: Elements) -> Scan:
    """Scans a part of a tensor from a row on."""
    scanner = new()
    for (row, *others), (read,) in chunks(part):
        scanner.add((start + row, *others), read)
    return scanner.result()


def by_rows(raw: Elements) -> Elements:
    """An array as rows: along the last axis for matrices and stacks, along all but the first axis for convolution
    kernels.
    """
    shape = raw.shape
    while len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    if len(shape) < 2 or not raw.size:
        return raw.reshape(-1)
    return raw.reshape(shape[0], -1) if len(shape) > 3 else raw.reshape(-1, shape[-1])


def axes(raw: Elements) -> int:
    """Number of axes with more than one element."""
    return sum(dim > 1 for dim in raw.shape)


def is_mask(numbers: Numbers) -> bool:
    """True if all values are 0 or minus infinity, which attention adds to the scores of tokens that it must ignore."""
    parts = (decoded(part.reshape(-1), numbers.dtype) for _, (part,) in chunks(numbers.raw))
    return all(bool(((part == 0) | (part == -np.inf)).all()) for part in parts)


def zero_rows(part: Array) -> Array:
    """The rows of a matrix with only zeros. Few rows are read completely: those that begin with zero."""
    first = magnitudes(part[:, 0])
    if first.all():
        return np.empty(0, np.intp)
    candidates = np.flatnonzero(first == 0)
    for column in (part.shape[1] // 2, part.shape[1] - 1):
        if candidates.size:
            candidates = candidates[~_is_set(part[candidates, column])]
    return candidates[~_is_set(part[candidates]).any(axis=1)] if candidates.size else candidates


def _zero_columns(part: Array, among: Array | None) -> Array:
    """The columns of a matrix with only zeros. among: the only columns to check; None for all."""
    found = np.arange(part.shape[1]) if among is None else among
    for row in (0, len(part) - 1, len(part) // 2):
        if not found.size:
            return found
        found = found[~_is_set(part[row] if found.size == part.shape[1] else part[row, found])]
    if found.size:
        joined = np.bitwise_or.reduce(bits_of(part), axis=0)
        found = found[~_is_set(joined[found])]
    return found


def _is_set(part: Array) -> Array:
    """True for each float that is not zero, of either sign."""
    found: Array = magnitudes(part) != 0
    return found


class _Spread:
    """The only value of the elements so far; None once there are two."""

    __slots__ = ("dtype", "only", "varies")

    def __init__(self, dtype: str) -> None:
        self.dtype, self.only, self.varies = dtype, None, False  # type: tuple[str, float | None, bool]

    def look(self, part: Array) -> None:
        flat = part.reshape(-1)
        for some in (flat[:64], flat):
            value = _only(some, self.dtype)
            if value is None or self.only not in (None, value):
                self.only, self.varies = None, True
                return
        self.only = value


class _LongRow:
    """Joins the parts of rows that are too long to be read at once."""

    __slots__ = ("zero",)

    def __init__(self) -> None:
        self.zero = True

    def ends(self, place: tuple[int, ...], part: Array, length: int) -> bool:
        """True if a part ends a row of zeros."""
        self.zero = (self.zero or place[-1] == 0) and not _is_set(part).any()
        return self.zero and place[-1] + part.size == length


def _only(flat: Array, dtype: str) -> float | None:
    """The value of all elements; None if there are several values or NaN."""
    bits = bits_of(flat)
    if bits[0] == bits[-1] and bits.min() == bits.max():
        value = float(decoded(flat[:1], dtype)[0])
        return None if value != value else value
    # only 0 has two patterns
    return 0.0 if dtype in NOT_FINITE and not _is_set(flat).any() else None


def _count_abnormal(found: Scan, part: Array, dtype: str) -> None:
    """Counts NaN and infinities in a part that follows the elements scanned so far."""
    flat = part.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        values = decoded(flat[start : start + BLOCK], dtype)
        if found.odd is None and not np.isfinite(values).all():
            found.odd = found.elements + start + int(np.isfinite(values).argmin())
        found.nan += int(np.isnan(values).sum())
        found.infinite += int(np.isinf(values).sum())


def _count_ends(found: Scan, part: Array) -> None:
    """Counts elements without a set bit at the beginning and the end."""
    flat = part.reshape(-1)
    bits = bits_of(flat)
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
