"""Turns scans of tensors into findings: values that are not finite, constant, partly zero, or were never written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Final

from msgspec import Struct

from inspector.findings.conversion.not_finite import ValuesNotFinite
from inspector.findings.conversion.values import ValuesConstant
from inspector.findings.conversion.zeros import (
    ColumnsUnused,
    ColumnsZero,
    DataUnwritten,
    NormZero,
    RowsUnused,
    RowsZero,
)
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.values.names import place_of_names
from inspector.values.scan import Scan, ZeroRows

VOCABULARY, MATRIX, NORM, STATE, OTHER = "vocabulary", "matrix", "norm", "state", "other"
"""Uses of a tensor. vocabulary: an embedding or a head. matrix: of a linear layer. norm: used as a factor as stored.
state: may have a single value, such as a position, a token, a bias, a buffer or a weight that is initialised to zero.
other: anything else, such as a convolution or a tensor of an unknown architecture.
"""


class Scanned(Struct, frozen=True):
    """A tensor that was read.

    dims: number of axes with more than one element. item: bytes of an element. row: elements of a row of a matrix.
    file, begin: its file and first byte; "" and 0 if irrelevant. packed: storage of a quantized weight, checked only
    for unwritten bytes. mask: its infinities are those of a mask. coded: floats of a quantized weight that must be
    finite but may be constant or zero. codes: 8-bit floats that are the values of a quantized weight; zero means zero,
    whatever the scale.
    """

    name: str
    scan: Scan
    use: str = OTHER
    dims: int = 1
    item: int = 1
    row: int = 0
    file: str = ""
    begin: int = 0
    packed: bool = False
    coded: bool = False
    codes: bool = False
    mask: bool = False

    @property
    def is_matrix(self) -> bool:
        """True if the tensor has more than one axis."""
        return self.dims > 1


LEAST_PART: Final = 64
"""Bytes of zeros at the end of a tensor that are not a coincidence, whatever it stores."""


class Run(Struct):
    """Consecutive tensors of a file with a common range of zero bytes.

    begin, end: positions in the file. partly: tensors that are only partly in the range. uneven: tensors for which the
    range ends within a row. torn: a row of a matrix is partly in the range, and not by coincidence. short: the range is
    less than a row at one end of one tensor. whole: the range is all data of the file.
    """

    begin: int
    end: int
    members: list[Scanned]
    partly: int = 0
    uneven: int = 0
    torn: bool = False
    short: bool = False
    whole: bool = False

    def add_part(self, one: Scanned, zeros: int) -> None:
        """Adds the first or last elements of a tensor."""
        self.short = not self.members and zeros < one.row
        self.members.append(one)
        self.partly += 1
        self.uneven += one.row == 0 or zeros % one.row > 0
        self.torn = self.torn or (one.row > 0 and zeros % one.row * one.item >= LEAST_PART)

    def is_gap(self, size: int) -> bool:
        """True if data was never written. Zeros that a program stores begin and end with a tensor or with its rows.

        Programs also store zeros in less than a row at the beginning of a tensor, such as the sines of position 0, but
        not at the end of the file. size: bytes of the file.
        """
        if self.short and len(self.members) == 1 and self.end < size:
            return False
        several = sum(one.is_matrix for one in self.members) > 1
        norms = any(one.use == NORM and one.scan.is_unwritten for one in self.members)  # no program makes norms zero
        return self.torn or (several and (self.uneven > 0 or self.whole or norms))


def abnormal(
    scanned: Sequence[Scanned],
    orders: Mapping[str, Sequence[str]] | None = None,
    sizes: Mapping[str, int] | None = None,
    *,
    zeros: bool = True,
    reported: set[str] | None = None,
) -> Iterator[Finding]:
    """The findings on some tensors.

    orders: file -> its tensors by position. sizes: file -> bytes. zeros: a matrix of zeros is abnormal. reported:
    filled with the names of the tensors in the findings.
    """
    names: set[str] = set() if reported is None else reported
    yield from _not_finite([one for one in scanned if not one.packed and _is_abnormal(one)], names)
    unwritten: set[str] = set()
    by_name = {one.name: one for one in scanned if one.file}
    for file, order in (orders or {}).items():
        for run in _runs([by_name.get(name) for name in order]):
            if run.is_gap((sizes or {}).get(file, 0)):
                unwritten.update(one.name for one in run.members)
                yield _unwritten(file, run, (sizes or {}).get(file, run.end))
    names |= unwritten
    whole = [one for one in scanned if not (one.packed or one.scan.nan or one.name in unwritten)]
    judged = [one for one in whole if not one.coded]
    yield from _zero_norms([one for one in judged if one.use == NORM and one.scan.constant == 0], names)
    constant = [one for one in judged if one.is_matrix and one.use != STATE and _is_constant(one.scan)]
    codes = [one for one in whole if one.codes and one.is_matrix and _is_constant(one.scan) and one.scan.constant == 0]
    yield from _constant([one for one in [*constant, *codes] if zeros or one.scan.constant != 0], names)
    varied = [one for one in whole if (one.codes or not one.coded) and one.scan.constant is None]
    yield from _rows([one for one in varied if one.scan.rows is not None], names)
    yield from _columns([one for one in varied if one.scan.columns is not None], names)


def _zero_norms(found: Sequence[Scanned], reported: set[str]) -> Iterator[Finding]:
    if found:
        reported.update(one.name for one in found)
        yield NormZero(place=_place(found), tensors=len(found), names=_names(found), where=_where(found))


def _is_abnormal(one: Scanned) -> bool:
    """True if values are not finite, except in masks and limits: an infinite limit limits nothing."""
    limit = inf if one.name.endswith("_max") else -inf if one.name.endswith("_min") else None
    if one.mask and limit is None and not one.scan.nan:
        return False
    return one.scan.nan > 0 or (one.scan.infinite > 0 and (limit is None or one.scan.constant != limit))


def _is_constant(scan: Scan) -> bool:
    return scan.constant is not None and scan.elements > 1


def _not_finite(found: Sequence[Scanned], reported: set[str]) -> Iterator[Finding]:
    if found:
        reported.update(one.name for one in found)
        yield ValuesNotFinite(
            place=_place(found),
            tensors=len(found),
            names=_names(found),
            where=_where(found),
            nan=sum(one.scan.nan for one in found),
            infinite=sum(one.scan.infinite for one in found),
            file=found[0].file,
            byte=_first_byte(found[0]),
        )


def _first_byte(one: Scanned) -> int | None:
    """The position in its file of the first value that is not finite; None if unknown."""
    return one.begin + one.scan.odd * one.item if one.file and one.scan.odd is not None else None


def _constant(found: Sequence[Scanned], reported: set[str]) -> Iterator[Finding]:
    if found:
        reported.update(one.name for one in found)
        values = sorted({one.scan.constant for one in found if one.scan.constant is not None})
        yield ValuesConstant(
            place=_place(found),
            tensors=len(found),
            names=_names(found),
            where=_where(found),
            values=tuple(values[:5]),
        )


# --- rows and columns of zeros ---


def _rows(found: Sequence[Scanned], reported: set[str]) -> Iterator[Finding]:
    """One finding for all tensors with the same rows of zeros."""
    groups: dict[tuple[type[RowsZero] | type[RowsUnused], int, int, int, int], list[Scanned]] = {}
    for one in found:
        rows = one.scan.rows
        if rows is not None and rows.zero:
            of_stack = one.use == MATRIX and one.scan.columns is not None and one.scan.columns.whole > 0
            kind = RowsZero if of_stack or is_block(rows, one.use) else RowsUnused
            if kind is RowsZero or (rows.zero > 1 and one.use in (VOCABULARY, MATRIX)):
                groups.setdefault((kind, rows.zero, rows.rows, rows.first, rows.last), []).append(one)
    for (kind, zero, of, begin, end), members in groups.items():
        reported.update(one.name for one in members)
        place, names, where = _place(members), _names(members), _where(members)
        yield kind(
            place=place, tensors=len(members), names=names, where=where, zero=zero, of=of, first_row=begin, last_row=end
        )


def _columns(found: Sequence[Scanned], reported: set[str]) -> Iterator[Finding]:
    """One finding for all tensors with the same columns of zeros."""
    groups: dict[tuple[type[ColumnsZero] | type[ColumnsUnused], int, int, int, int], list[Scanned]] = {}
    for one in found:
        columns, linear = one.scan.columns, one.use in (VOCABULARY, MATRIX)
        if columns is None or not (linear or one.dims == 2):  # in the kernel of a convolution, columns are positions
            continue
        if columns.count == columns.whole * columns.width:  # the rows of these matrices are reported instead
            continue
        zero, begin, end = columns.count, columns.first, columns.last
        block = 2 * zero > columns.columns or (linear and zero > 1 and end - begin + 1 == zero)
        if block or linear:
            kind = ColumnsZero if block else ColumnsUnused
            groups.setdefault((kind, zero, columns.columns, begin, end), []).append(one)
    for (kind, zero, of, begin, end), members in groups.items():
        reported.update(one.name for one in members)
        place, names, where = _place(members), _names(members), _where(members)
        yield kind(
            place=place, tensors=len(members), names=names, where=where, zero=zero, of=of,
            first_column=begin, last_column=end,
        )  # fmt: skip


def is_block(rows: ZeroRows, use: str) -> bool:
    """True if rows of zeros look like missing data.

    Such rows are adjacent: rows that training or pruning makes zero are scattered, and a padding token has one row. In
    a vocabulary there must be more than padding to a multiple of a power of two adds; in other tensors, most rows.
    """
    if 2 * rows.zero > rows.rows:
        return True
    if rows.zero < 2 or not rows.adjacent:
        return False
    return use == MATRIX or (use == VOCABULARY and rows.zero >= rows.rows & -rows.rows)


# --- ranges that were never written ---


def _runs(order: Sequence[Scanned | None]) -> Iterator[Run]:
    """The ranges of zero bytes over tensors of one file. None in `order` is a tensor that was not read."""
    run: Run | None = None
    for one in order:
        if one is None or not one.scan.elements:
            if run is not None and one is None:
                yield run
                run = None
            continue
        end = one.begin + one.scan.elements * one.item
        if one.scan.is_unwritten:
            run = Run(one.begin, end, []) if run is None else run
            run.members.append(one)
            run.end = end
            continue
        leading, trailing = one.scan.leading, one.scan.trailing
        if one.scan.columns is not None:
            leading, trailing = one.scan.columns.without(leading, trailing)
        if run is not None or leading * one.item >= LEAST_PART:
            run = Run(one.begin, one.begin, []) if run is None else run
            if leading * one.item >= LEAST_PART:
                run.add_part(one, leading)
                run.end = one.begin + leading * one.item
            yield run
            run = None
        if trailing * one.item >= LEAST_PART:
            run = Run(end - trailing * one.item, end, [])
            run.add_part(one, trailing)
    if run is not None:
        run.whole = all(one is not None and (one.scan.is_unwritten or not one.scan.elements) for one in order)
        yield run


def _unwritten(file: str, run: Run, size: int) -> Finding:
    return DataUnwritten(
        place=Place(file=file),
        begin=run.begin,
        end=run.end,
        of=size,
        tensors=len(run.members),
        partly=run.partly,
        names=tuple(one.name for one in run.members[:NAMES_SHOWN]),
    )


def _place(found: Sequence[Scanned]) -> Place:
    return Place(tensor=found[0].name if len(found) == 1 else None)


def _names(found: Sequence[Scanned]) -> tuple[str, ...]:
    return tuple(one.name for one in found[:NAMES_SHOWN])


def _where(found: Sequence[Scanned]) -> str:
    return place_of_names([one.name for one in found])
