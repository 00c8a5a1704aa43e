"""What the stored bits of floats prove without decoding them.

Bit patterns of floats without their sign are ordered like their magnitudes, with infinity and NaN above all finite
values. As signed integers the positive values are therefore ordered like floats, as unsigned ones the negative values
by magnitude: two reductions give the largest positive and the largest negative magnitude.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from inspector.values.decoding import Array

NOT_FINITE: Final[dict[str, int]] = {
    "F64": 0x7FF0 << 48, "F32": 0x7F80_0000, "F16": 0x7C00, "BF16": 0x7F80, "F8_E5M2": 0x7C, "F8_E4M3": 0x7F,
}  # fmt: skip
"""Dtype -> the smallest pattern without sign that is infinite or NaN (F8_E4M3 has NaN alone, OCP 8-bit formats)."""

_FIRST_OF_EXPONENT: Final = {dtype: 1 << limit.bit_length() - 1 for dtype, limit in NOT_FINITE.items()}
_UNSIGNED: Final = {size: np.dtype(f"<u{size}") for size in (1, 2, 4, 8)}
_SIGNED: Final = {size: np.dtype(f"<i{size}") for size in (1, 2, 4, 8)}
_WITHOUT_SIGN: Final = {size: kind.type((1 << (8 * size - 1)) - 1) for size, kind in _UNSIGNED.items()}

BLOCK: Final = 1 << 17
"""Elements that are compared at a time: the arrays made from them stay in the cache of a processor."""


def bits_of(raw: Array) -> NDArray[Any]:
    """The stored patterns of some elements, as unsigned integers."""
    bits: NDArray[Any] = raw.view(_UNSIGNED[raw.dtype.itemsize])
    return bits


def are_small(bits: NDArray[Any], dtype: str) -> bool:
    """Whether all values are below 2, where the first bit of the exponent is not set: one reduction shows it."""
    return not int(np.bitwise_or.reduce(bits, axis=None)) & _FIRST_OF_EXPONENT[dtype]


def are_finite(raw: Array, dtype: str) -> bool:
    """Whether all values are finite."""
    bits = bits_of(raw)
    if are_small(bits, dtype):
        return True
    size, limit = raw.dtype.itemsize, NOT_FINITE[dtype]
    positive, negative = int(raw.view(_SIGNED[size]).max()), int(bits.max())
    return positive < limit and negative < limit + (1 << (8 * size - 1))


def is_ordinary(rows: Array, dtype: str) -> bool:
    """Whether all values of a matrix are below 2, no row begins with zero, and the last bits are not all zero."""
    bits = bits_of(rows)
    return bool(bits[-1, -1]) and bool(_without_sign(bits[:, 0]).all()) and are_small(bits, dtype)


def magnitudes(raw: Array) -> NDArray[Any]:
    """The patterns of some floats without their signs."""
    return _without_sign(bits_of(raw))


def _without_sign(bits: NDArray[Any]) -> NDArray[Any]:
    magnitude: NDArray[Any] = bits & _WITHOUT_SIGN[bits.dtype.itemsize]
    return magnitude


class HalfProof:
    """Shows that bfloat16 and float16 values are equal without decoding them.

    Magnitudes from 2**-14 to 2 are covered, normal numbers of float16: there the patterns b and h of equal values have
    one sign, and without it h = 8 * (b - 112 * 128), for 3 more bits of the fraction and biases of 127 and 15. So
    d = h - 8 * b is 0x4000 with this sign, modulo 2**16, and d ^ b is b without its sign and with its second bit
    inverted: at least 0x7880, as a signed number, for these magnitudes alone. The arrays that it works in are made
    once: new ones cost more than the work.
    """

    __slots__ = ("doubled", "gap", "outside", "unproven_here")

    def __init__(self) -> None:
        self.gap, self.doubled = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.uint16)
        self.outside, self.unproven_here = np.empty(BLOCK, np.bool_), np.empty(0, np.bool_)

    def unproven(self, brain: Array, half: Array) -> NDArray[np.intp]:
        """Positions of elements of flat arrays that are not shown to be equal; all others are finite."""
        brain, half = brain.view("<u2"), half.view("<u2")
        if self.unproven_here.size < brain.size:
            self.unproven_here = np.empty(brain.size, np.bool_)
        for start in range(0, brain.size, BLOCK):
            self._mark(brain[start : start + BLOCK], half[start : start + BLOCK], self.unproven_here[start:])
        return positions(self.unproven_here[: brain.size])

    def _mark(self, brain: Array, half: Array, marks: NDArray[np.bool_]) -> None:
        size = brain.size
        gap, doubled, outside, marks = self.gap[:size], self.doubled[:size], self.outside[:size], marks[:size]
        np.multiply(brain, _EIGHT, out=gap)
        np.subtract(half, gap, out=gap)
        np.add(gap, gap, out=doubled)
        np.not_equal(doubled, _SIGN, out=marks)
        np.bitwise_xor(gap, brain, out=gap)
        np.less(gap.view(np.int16), _COVERED, out=outside)
        np.bitwise_or(marks, outside, out=marks)


_EIGHT, _SIGN, _COVERED = np.uint16(8), np.uint16(0x8000), np.int16(0x7880)


def positions(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Where few flags are set: eight are tested at a time."""
    if flags.size % 8:
        return np.flatnonzero(flags)
    eights = flags.view(np.uint64)
    groups = np.flatnonzero(eights != 0)
    inside = np.flatnonzero(eights[groups].view(np.bool_))
    found: NDArray[np.intp] = groups[inside >> 3] * 8 + (inside & 7)
    return found
