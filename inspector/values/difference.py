"""Compares two tensors, or corresponding slices of them, element by element in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce

import numpy as np
from msgspec import Struct

from inspector.values.bits import BLOCK, HalfProof, are_finite, bits_of
from inspector.values.chunks import chunks, segments
from inspector.values.decoding import WIDE, Array, decoded, rounded, truncated
from inspector.values.narrowing import LOST, rounded_values
from inspector.values.scan import Scanner
from inspector.values.stored import Elements, Numbers
from inspector.values.threads import THREADS, at_once


class Difference(Struct):
    """How two tensors differ.

    elements: number compared. differing: number that differ. largest: the largest difference, with its index and both
    values. rounding: "rounded" or "cut" if the target has the source's values in its narrower dtype, "finer" if the
    source has the target's values rounded, else "". beyond: values that are only rounded are not counted in
    `differing`. last_bits: number of exponentials that differ in their last bit, since libraries round them
    differently; these are not counted either. overflowed: number of values that are infinite only on one side, since
    the largest value of the other side, `limit`, exceeds its dtype. error: for quantized values, the root of the sum of
    squared errors relative to that of the squared source values.
    """

    elements: int = 0
    differing: int = 0
    largest: float = 0.0
    place: tuple[int, ...] = ()
    source: float = 0.0
    target: float = 0.0
    rounding: str = ""
    beyond: bool = False
    last_bits: int = 0
    overflowed: int = 0
    limit: float = 0.0
    error: float = 0.0

    @property
    def equal(self) -> bool:
        """True if all elements are equal."""
        return not self.differing

    def note(self, place: tuple[int, ...], shape: tuple[int, ...], part: _UnequalElements) -> None:
        """Counts elements that differ and keeps the largest difference. place: indices of the first element of the
        part.
        """
        self.differing += int(part.at.size)
        beyond = np.isinf(part.left) != np.isinf(part.right)
        if beyond.any():
            finite = np.where(np.isinf(part.left), part.right, part.left)[beyond]
            finite = np.abs(finite[~np.isnan(finite)])
            self.overflowed += int(finite.size)
            self.limit = max(self.limit, float(finite.max(initial=0.0)))
        with np.errstate(invalid="ignore", over="ignore"):
            gaps = np.abs(part.left - part.right)
        most = int(gaps.argmax())  # of NaN if there is any
        left, right = float(part.left[most]), float(part.right[most])
        gap = abs(left - right) if np.isfinite(gaps[most]) or np.isfinite([left, right]).all() else np.inf
        self.keep(float(gap), left, right, place, shape, int(part.at[most]))

    def keep(
        self, gap: float, left: float, right: float, place: tuple[int, ...], shape: tuple[int, ...], at: int
    ) -> None:
        """Keeps a difference if it is the largest. at: its position in a part with this shape that
        begins at `place`.
        """
        if gap > self.largest or not self.place:
            inside = np.unravel_index(at, shape)
            inner = (*(0,) * (len(place) - len(shape)), *(int(index) for index in inside))
            self.place = tuple(start + index for start, index in zip(place, inner, strict=True))
            self.largest, self.source, self.target = gap, left, right

    def include(self, other: Difference) -> None:
        """Adds the elements of the following part of the tensor."""
        self.elements += other.elements
        self.differing += other.differing
        self.overflowed += other.overflowed
        self.limit = max(self.limit, other.limit)
        if other.place and (other.largest > self.largest or not self.place):
            self.place, self.largest, self.source, self.target = (
                other.place, other.largest, other.source, other.target,
            )  # fmt: skip


class _UnequalElements(Struct, frozen=True):
    """The elements of a part that differ: their positions in C order, and both values."""

    at: Array
    left: Array
    right: Array

    def only(self, chosen: Array) -> _UnequalElements:
        """A selection of the elements."""
        return _UnequalElements(self.at[chosen], self.left[chosen], self.right[chosen])

    def moved(self, start: int, among: Array | None) -> _UnequalElements:
        """The same elements as part of a longer part. start: position of this part, or of its elements
        among `among`.
        """
        at = self.at + start
        return _UnequalElements(at if among is None else among[at], self.left, self.right)


WAYS: dict[str, Callable[[_UnequalElements, str, str], bool]] = {
    "rounded": lambda part, _, target: _is_narrowed(rounded(part.left, target), part.right),
    "cut": lambda part, _, target: _is_narrowed(truncated(part.left, target), part.right),
    "finer": lambda part, source, _: _is_narrowed(rounded(part.right, source), part.left),
}
"""The ways in which all values of one side may follow from those of the other; the most usual first."""


def difference(source: Numbers, target: Numbers, scanner: Scanner | None = None) -> Difference:
    """Compares two arrays of one shape, with several threads if they are long. scanner: for the target."""
    parts = segments([source.raw, target.raw], THREADS)
    dtypes, scans = (source.dtype, target.dtype), scanner is not None
    found = at_once([partial(_compared, start, arrays, dtypes, scans) for start, arrays in parts])
    if scanner is not None:
        scanner.join([part.scanner.result() for part in found if part.scanner is not None])
    return reduce(_DifferenceSoFar.followed_by, found).result()


class _DifferenceSoFar:
    """The result for the first parts of two tensors.

    found, damage: their differences without and with rounding taken into account. ways: ways that still explain all
    values.
    """

    __slots__ = ("damage", "dtypes", "found", "narrows", "proof", "scanner", "ways")

    def __init__(self, dtypes: tuple[str, str], scans: bool) -> None:
        self.found, self.damage, self.dtypes = Difference(), Difference(beyond=True), dtypes
        self.ways = [] if dtypes[0] == dtypes[1] else list(WAYS)
        self.narrows = bool(self.ways) and rounded(np.zeros(0, np.float32), dtypes[1]) is not None
        self.proof = HalfProof() if set(dtypes) == {"BF16", "F16"} else None
        self.scanner = Scanner(dtypes[1]) if scans else None

    def add(self, place: tuple[int, ...], one: Array, other: Array) -> None:
        """Compares parts. place: indices of their first elements."""
        self.found.elements += one.size
        left, right, at = np.asarray(one).reshape(-1), np.asarray(other).reshape(-1), None
        if self.proof is not None:
            at = self.proof.unproven(*((left, right) if self.dtypes[0] == "BF16" else (right, left)))
            left, right = left[at], right[at]
        if self.scanner is not None:
            self.scanner.add(place, other, finite=at is not None and are_finite(right, self.dtypes[1]))
        if self.dtypes[0] == self.dtypes[1] and np.array_equal(bits_of(left), bits_of(right)):
            return
        for start in range(0, left.size, BLOCK):
            both = left[start : start + BLOCK], right[start : start + BLOCK]
            if at is None and self._is_rounded(place, one.shape, start, *both):
                continue
            part = _block(both[0], self.dtypes[0], both[1], self.dtypes[1])
            if part is not None:
                self._note(place, one.shape, part.moved(start, at))

    def _is_rounded(
        self, place: tuple[int, ...], shape: tuple[int, ...], start: int, left: Array, right: Array
    ) -> bool:
        """Handles elements from `start` on if they follow in the only remaining way, and if their bits show that."""
        if self.ways not in (["rounded"], ["finer"]):
            return False
        finer = self.ways == ["finer"]
        (wide, narrow), (dtype, other) = ((right, left) if finer else (left, right)), self.dtypes[:: -1 if finer else 1]
        values = rounded_values(wide, narrow, other) if dtype == "F32" and other in LOST else None
        if values is None:
            return False
        with np.errstate(invalid="ignore"):
            gaps = wide - values
        differing = int(np.count_nonzero(gaps != 0))  # five times as fast as of floats
        if differing:
            most = int(np.abs(gaps, out=gaps).argmax())  # of NaN if there is one
            if not np.isfinite(gaps[most]):
                return False
            both = float(values[most] if finer else wide[most]), float(wide[most] if finer else values[most])
            for one in (self.found, self.damage) if finer else (self.found,):  # rounding to float32 changes nothing
                one.differing += differing
                one.keep(abs(both[0] - both[1]), *both, place, shape, start + most)
        return True

    def _note(self, place: tuple[int, ...], shape: tuple[int, ...], part: _UnequalElements) -> None:
        """Adds elements that differ."""
        self.found.note(place, shape, part)
        self.ways = [way for way in self.ways if WAYS[way](part, *self.dtypes)]
        if self.narrows and "rounded" not in self.ways:
            lost = ~_alike(rounded(part.left, self.dtypes[1]), part.right)
            if lost.any():
                self.damage.note(place, shape, part.only(lost))

    def followed_by(self, other: _DifferenceSoFar) -> _DifferenceSoFar:
        """The result with the following parts added."""
        self.found.include(other.found)
        self.damage.include(other.damage)
        self.ways = [way for way in self.ways if way in other.ways]
        return self

    def result(self) -> Difference:
        """The difference of the tensors."""
        found, damage = self.found, self.damage
        if found.differing and self.ways:
            found.rounding = self.ways[0]
        elif 0 < 2 * damage.differing < found.differing:
            damage.elements = found.elements
            return damage
        return found


def _compared(start: int, arrays: Sequence[Elements], dtypes: tuple[str, str], scans: bool) -> _DifferenceSoFar:
    """Compares parts of two arrays from an index of their first axis on."""
    compared = _DifferenceSoFar(dtypes, scans)
    for (index, *others), (one, other) in chunks(*arrays):
        compared.add((start + index, *others), one, other)
    return compared


def _block(left: Array, dtype: str, right: Array, target: str) -> _UnequalElements | None:
    """The elements of two short flat arrays that differ; None if there are none."""
    integers = dtype == target and dtype[0] in "IU"  # float64 cannot represent all 64-bit integers
    apart = left != right if integers else None
    wide = dtype in WIDE or target in WIDE
    left, right = decoded(left, dtype, wide), decoded(right, target, wide)
    apart = ~_alike(left, right) if apart is None else apart
    if apart.all():
        return _UnequalElements(np.arange(left.size), left, right)
    chosen = np.flatnonzero(apart)
    return _UnequalElements(chosen, left[chosen], right[chosen]) if chosen.size else None


def _alike(one: Array | None, other: Array) -> Array:
    """True for each pair of equal elements; NaN equals NaN."""
    assert one is not None
    same: Array = one == other
    return same if same.all() else same | (np.isnan(one) & np.isnan(other))


def _is_narrowed(expected: Array | None, found: Array) -> bool:
    return expected is not None and bool(_alike(expected, found).all())
