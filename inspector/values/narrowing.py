"""Proves by bits that each float16 or bfloat16 value is a float32 value rounded to nearest, ties to even."""

from __future__ import annotations

from typing import Final

import numpy as np

from inspector.values.bits import are_finite, magnitudes
from inspector.values.decoding import Array, decoded, positions, rounded

LOST: Final = {"BF16": 16, "F16": 13}
"""Narrow dtype -> number of fraction bits of float32 that it lacks."""


def rounded_values(wide: Array, narrow: Array, dtype: str) -> Array | None:
    """The narrow values as float32 if all are roundings of the wide values; None if that is not proven.

    A wide pattern that differs from the narrow value by less than half of its last bit is rounded to that value.
    Patterns that differ by exactly half, and in float16 subnormal numbers, are rounded one by one. An infinite wide
    value can be among the former; its narrow value is finite, so that the difference of the two is not.
    """
    if not are_finite(narrow, dtype):
        return None
    values, half = decoded(narrow, dtype), 1 << LOST[dtype] - 1
    work = wide.view(np.uint32) - values.view(np.uint32)
    work += np.uint32(half - 1)
    others = work > 2 * (half - 1)
    if dtype == "F16":
        others |= magnitudes(narrow) < 0x400
    at = positions(others)
    expected = rounded(wide[at], dtype)
    return values if expected is not None and np.array_equal(expected, values[at]) else None
