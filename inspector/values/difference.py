"""Compares two tensors, or corresponding slices of them, element by element in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from msgspec import Struct

from inspector.values.bits import HalfProof
from inspector.values.chunks import chunks
from inspector.values.decoding import WIDE, Array, decoded, rounded, truncated
from inspector.values.scan import Scanner
from inspector.values.stored import Numbers

BLOCK: Final = 1 << 17
"""Elements that are decoded at a time: the arrays made from them stay in the cache of a processor."""


class Difference(Struct):
    """How two tensors differ.

    elements: compared. differing: elements that differ. largest: the largest difference, with its index
    and both values. rounding: "rounded" or "cut" where the target has the source's values in its narrower
    dtype, "finer" where the source has the target's values rounded, "" otherwise. beyond: whether values that are
    only rounded are left out of `differing`. last_bits: values of an exponential that differ in their last bit, which
    libraries round differently; they are left out too. overflowed: values that are infinite on one side alone, as
    the largest one of the other side, `limit`, is beyond its dtype.
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

    @property
    def equal(self) -> bool:
        """Whether all elements are equal."""
        return not self.differing

    def note(self, place: tuple[int, ...], shape: tuple[int, ...], part: _UnequalElements) -> None:
        """Counts elements that differ, and keeps the largest difference. place: of the first element of the part."""
        self.differing += int(part.at.size)
        beyond = np.isinf(part.left) != np.isinf(part.right)
        if beyond.any():
            finite = np.where(np.isinf(part.left), part.right, part.left)[beyond]
            finite = np.abs(finite[~np.isnan(finite)])
            self.overflowed += int(finite.size)
            self.limit = max(self.limit, float(finite.max(initial=0.0)))
        with np.errstate(invalid="ignore", over="ignore"):
            gaps = np.abs(part.left - part.right)
        most = int(gaps.argmax())  # of NaN if there is one
        left, right = float(part.left[most]), float(part.right[most])
        gap = abs(left - right) if np.isfinite(gaps[most]) or np.isfinite([left, right]).all() else np.inf
        if gap > self.largest or not self.place:
            inside = np.unravel_index(int(part.at[most]), shape)
            inner = (*(0,) * (len(place) - len(shape)), *(int(index) for index in inside))
            self.place = tuple(start + index for start, index in zip(place, inner, strict=True))
            self.largest, self.source, self.target = float(gap), left, right


class _UnequalElements(Struct, frozen=True):
    """The elements of a part that are not equal: their positions in it, in C order, and both values."""

    at: Array
    left: Array
    right: Array

    def only(self, chosen: Array) -> _UnequalElements:
        """Some of them."""
        return _UnequalElements(self.at[chosen], self.left[chosen], self.right[chosen])


WAYS: dict[str, Callable[[_UnequalElements, str, str], bool]] = {
    "rounded": lambda part, _, target: _is_narrowed(rounded(part.left, target), part.right),
    "cut": lambda part, _, target: _is_narrowed(truncated(part.left, target), part.right),
    "finer": lambda part, source, _: _is_narrowed(rounded(part.right, source), part.left),
}
"""How all values of one side may follow from those of the other, the most usual way first."""


def difference(source: Numbers, target: Numbers, scanner: Scanner | None = None) -> Difference:
    """Compares two arrays of the same shape. scanner: is given the parts of the target too."""
    found, damage = Difference(), Difference(beyond=True)
    ways = [] if source.dtype == target.dtype else list(WAYS)
    narrows = bool(ways) and rounded(np.zeros(0, np.float32), target.dtype) is not None
    proof = HalfProof() if {source.dtype, target.dtype} == {"BF16", "F16"} else None
    for place, (one, other) in chunks(source.raw, target.raw):
        found.elements += one.size
        if scanner is not None:
            scanner.add(place, other)
        for part in _unequal(Numbers(one, source.dtype), Numbers(other, target.dtype), proof):
            found.note(place, one.shape, part)
            ways = [way for way in ways if WAYS[way](part, source.dtype, target.dtype)]
            if narrows and "rounded" not in ways:
                lost = ~_alike(rounded(part.left, target.dtype), part.right)
                if lost.any():
                    damage.note(place, one.shape, part.only(lost))
    if found.differing and ways:
        found.rounding = ways[0]
    elif 0 < 2 * damage.differing < found.differing:
        damage.elements = found.elements
        return damage
    return found


def _unequal(one: Numbers, other: Numbers, proof: HalfProof | None) -> Iterator[_UnequalElements]:
    """The elements that differ, block by block. What the stored bits prove equal is not decoded."""
    left, right = np.asarray(one.raw), np.asarray(other.raw)
    if one.dtype == other.dtype and np.array_equal(_bits(left), _bits(right)):
        return
    left, right, at = left.reshape(-1), right.reshape(-1), None
    if proof is not None:
        at = proof.unproven(*((left, right) if one.dtype == "BF16" else (right, left)))
        left, right = left[at], right[at]
    for start in range(0, left.size, BLOCK):
        part = _block(left[start : start + BLOCK], one.dtype, right[start : start + BLOCK], other.dtype)
        if part is not None:
            yield _UnequalElements(part.at + start if at is None else at[part.at + start], part.left, part.right)


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


def _bits(array: Array) -> Array:
    return array.view(f"<u{array.dtype.itemsize}")


def _alike(one: Array | None, other: Array) -> Array:
    """Which elements are equal, with NaN equal to NaN."""
    assert one is not None
    same: Array = one == other
    return same if same.all() else same | (np.isnan(one) & np.isnan(other))


def _is_narrowed(expected: Array | None, found: Array) -> bool:
    return expected is not None and bool(_alike(expected, found).all())
