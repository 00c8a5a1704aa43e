"""Shows by bits that each float16 or bfloat16 value is a float32 value rounded to nearest, ties to even."""

from __future__ import annotations

from typing import Final

import numpy as np

from inspector.values.bits import are_finite, magnitudes
from inspector.values.decoding import Array, decoded, positions, rounded

LOST: Final = {"BF16": 16, "F16": 13}
"""Narrow dtype -> bits of the fraction of float32 that it lacks."""


def rounded_values(wide: Array, narrow: Array, dtype: str) -> Array | None:
    """The narrow values as float32 where all follow from the wide ones and are finite; None where that is not shown.

    Half of the last bit that is kept is added to the pattern, one less where that bit is not set; the bits that are
    kept are then those of the narrow value. In float16 this holds for normal numbers.
    """
    if not are_finite(wide, "F32") or not are_finite(narrow, dtype):
        return None
    values, lost = decoded(narrow, dtype), LOST[dtype]
    bits = wide.view(np.uint32)
    work = bits >> np.uint32(lost)
    work &= np.uint32(1)
    work += bits
    work += np.uint32((1 << lost - 1) - 1)
    work ^= values.view(np.uint32)
    if dtype == "F16":
        small = positions(magnitudes(narrow) < 0x400)
        work[small] = 0
        expected = rounded(wide[small], dtype)
        if expected is None or not np.array_equal(expected, values[small]):
            return None
    return values if int(work.max(initial=0)) < 1 << lost else None
