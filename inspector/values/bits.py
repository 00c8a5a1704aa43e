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

BLOCK: Final = 1 << 16
"""Elements that are compared at a time: the arrays made from them stay in the cache of a processor."""


class Extremes:
    """The largest patterns of positive and of negative values of a part of a tensor."""

    __slots__ = ("limit", "negative", "positive", "sign")

    def __init__(self, raw: Array, dtype: str) -> None:
        kind = f"{raw.dtype.itemsize}"
        self.limit, self.sign = NOT_FINITE[dtype], 1 << (8 * raw.dtype.itemsize - 1)
        self.positive, self.negative = int(raw.view(f"<i{kind}").max()), int(raw.view(f"<u{kind}").max())

    @property
    def are_finite(self) -> bool:
        """Whether all values are finite."""
        return self.positive < self.limit and self.negative < self.sign + self.limit


def magnitudes(raw: Array) -> NDArray[Any]:
    """The patterns of some floats without their signs."""
    bits = raw.view(f"<u{raw.dtype.itemsize}")
    magnitude: NDArray[Any] = bits & bits.dtype.type((1 << (8 * raw.dtype.itemsize - 1)) - 1)
    return magnitude


class HalfProof:
    """Shows that bfloat16 and float16 values are equal without decoding them.

    The proof covers normal numbers of float16: their patterns differ by the bias of the exponent (127 and 15) and the
    bits of the fraction (7 and 10). The arrays that it works in are made once: new ones cost more than the work.
    """

    __slots__ = ("agrees", "normal", "shifted", "turned")

    def __init__(self) -> None:
        self.shifted, self.turned = np.empty(BLOCK, np.uint16), np.empty(BLOCK, np.uint16)
        self.normal, self.agrees = np.empty(BLOCK, np.bool_), np.empty(BLOCK, np.bool_)

    def unproven(self, brain: Array, half: Array) -> NDArray[np.intp]:
        """Positions of elements of flat arrays that are not shown to be equal."""
        brain, half = brain.view("<u2"), half.view("<u2")
        found = [
            self._unproven(brain[start : start + BLOCK], half[start : start + BLOCK]) + start
            for start in range(0, brain.size, BLOCK)
        ]
        return np.concatenate(found) if found else np.empty(0, np.intp)

    def _unproven(self, brain: Array, half: Array) -> NDArray[np.intp]:
        shifted, turned = self.shifted[: brain.size], self.turned[: brain.size]
        normal, agrees = self.normal[: brain.size], self.agrees[: brain.size]
        np.bitwise_and(brain, np.uint16(0x7FFF), out=shifted)
        np.subtract(shifted, np.uint16((127 - 15) << 7), out=shifted)
        np.subtract(shifted, np.uint16(1 << 7), out=turned)
        np.less(turned, np.uint16(30 << 7), out=normal)
        np.left_shift(shifted, np.uint16(3), out=shifted)
        np.bitwise_and(brain, np.uint16(0x8000), out=turned)
        np.bitwise_or(shifted, turned, out=shifted)
        np.equal(shifted, half, out=agrees)
        np.logical_and(normal, agrees, out=normal)
        if normal.all():
            return np.empty(0, np.intp)
        return np.flatnonzero(np.logical_not(normal, out=agrees))
