"""Checks of floats by their stored bits, without decoding them.

Bit patterns of floats without their sign are ordered like their magnitudes, with infinity and NaN above all finite
values. As signed integers the positive values are therefore ordered like floats, and as unsigned integers the negative
values by magnitude: two reductions give the largest positive and the largest negative magnitude.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from inspector.values.decoding import Array, positions

NOT_FINITE: Final[dict[str, int]] = {
    "F64": 0x7FF0 << 48, "F32": 0x7F80_0000, "F16": 0x7C00, "BF16": 0x7F80, "F8_E5M2": 0x7C, "F8_E4M3": 0x7F,
}  # fmt: skip
"""Dtype -> smallest pattern without sign that is infinite or NaN (F8_E4M3 has only NaN, OCP 8-bit formats)."""

_FIRST_OF_EXPONENT: Final = {dtype: 1 << limit.bit_length() - 1 for dtype, limit in NOT_FINITE.items()}
_UNSIGNED: Final = {size: np.dtype(f"<u{size}") for size in (1, 2, 4, 8)}
_SIGNED: Final = {size: np.dtype(f"<i{size}") for size in (1, 2, 4, 8)}
_WITHOUT_SIGN: Final = {size: kind.type((1 << (8 * size - 1)) - 1) for size, kind in _UNSIGNED.items()}

BLOCK: Final = 1 << 17
"""Number of elements that are decoded at a time, so that the arrays stay in the processor's cache."""
PROVEN: Final = 1 << 18
"""Number of 16-bit elements that are compared at a time, for the same reason."""


def bits_of(raw: Array) -> NDArray[Any]:
    """The stored patterns of the elements as unsigned integers."""
    bits: NDArray[Any] = raw.view(_UNSIGNED[raw.dtype.itemsize])
    return bits


def are_small(bits: NDArray[Any], dtype: str) -> bool:
    """True if all values are below 2: the first bit of the exponent is then never set, which one reduction shows."""
    return not int(np.bitwise_or.reduce(bits, axis=None)) & _FIRST_OF_EXPONENT[dtype]


def are_finite(raw: Array, dtype: str) -> bool:
    """True if all values are finite."""
    bits = bits_of(raw)
    if are_small(bits, dtype):
        return True
    size, limit = raw.dtype.itemsize, NOT_FINITE[dtype]
    positive, negative = int(raw.view(_SIGNED[size]).max()), int(bits.max())
    return positive < limit and negative < limit + (1 << (8 * size - 1))


def is_ordinary(rows: Array, dtype: str) -> bool:
    """True if all values of a matrix are below 2, no row begins with zero, and the last bits are not all zero."""
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

    Normal numbers of float16 below 2 are covered: there the patterns b and h of equal values have one sign, and without
    it h = 8 * (b - 112 * 128), for 3 more bits of the fraction and biases of 127 and 15. So h - 8 * b is 0x4000 with
    this sign, modulo 2**16. Conversely, with b below 2 and h - 9 * b at most 0x780, h - 8 * b is one of

    - 0x4000 or 0xC000: then b is a number from 2**-14 on with this sign, and h its value; - 0 or 0x8000: then b is zero
    with this sign, and h too; - anything else: nothing is proven, and no element of the block counts as equal.

    The working arrays are allocated once: new ones would cost more than the work.
    """

    __slots__ = ("flags", "other", "work")

    def __init__(self) -> None:
        self.work, self.flags = np.empty(PROVEN, np.uint16), np.empty(PROVEN, np.bool_)
        self.other = np.empty(PROVEN, np.bool_)

    def unproven(self, brain: Array, half: Array) -> NDArray[np.intp]:
        """Positions of elements of flat arrays that are not proven to be equal. All other elements are finite."""
        brain, half = brain.view("<u2"), half.view("<u2")
        found = [
            self._unproven(brain[start : start + PROVEN], half[start : start + PROVEN]) + start
            for start in range(0, brain.size, PROVEN)
        ]
        return np.concatenate(found) if found else np.empty(0, np.intp)

    def _unproven(self, brain: Array, half: Array) -> NDArray[np.intp]:
        work, flags = self.work[: brain.size], self.flags[: brain.size]
        np.subtract(half, np.multiply(brain, _NINE, out=work), out=work)
        found = positions(np.greater(work, _COVERED, out=flags))
        np.add(work, brain, out=work)  # h - 8 * b
        work[found] = 0
        if not int(np.bitwise_or.reduce(work)) & 0x3FFF and are_small(brain, "BF16"):
            return found
        return self._one_by_one(brain, half)

    def _one_by_one(self, brain: Array, half: Array) -> NDArray[np.intp]:
        """The same for single elements: h - 8 * b is 0x4000 with the sign of b, which combining it with b shows."""
        work, flags, other = self.work[: brain.size], self.flags[: brain.size], self.other[: brain.size]
        np.subtract(half, np.multiply(brain, _EIGHT, out=work), out=work)
        np.not_equal(work & 0x7FFF, 0x4000, out=flags)
        np.bitwise_xor(work, brain, out=work)
        np.less(work.view(np.int16), 0x7880, out=other)
        return positions(np.bitwise_or(flags, other, out=flags))


_EIGHT, _NINE, _COVERED = np.uint16(8), np.uint16(9), np.uint16(0x780)
