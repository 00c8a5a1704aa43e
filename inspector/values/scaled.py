"""Compares 8-bit floats with separate scales with the weights that were made of them: value times scale.

A scale is one number, one for each row, or one for each block. Source: `weight_dequant` of DeepSeek-V3's
`inference/kernel.py`, which multiplies in float32 and rounds to the dtype of the target. Programs that round in between
write other last bits: these are neither proven nor an error.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from inspector.values.decoding import Array, decoded
from inspector.values.difference import Difference, difference
from inspector.values.result import DIFFERENT, EQUAL, ROUNDED
from inspector.values.scan import Scan, Scanner
from inspector.values.stored import Numbers

READ: Final = 1 << 20
"""Elements that are multiplied at a time."""
NEARLY: Final = 2.0**-6
"""Relative difference of two roundings to bfloat16, with a margin of two bits."""
UNPROVEN: Final = "it equals value times scale but for the last bits, which programs round differently"


class Scales(Struct, frozen=True):
    """The scales of a matrix in float32, [rows of blocks, columns of blocks], and the rows and columns of a block."""

    grid: Array
    block: tuple[int, int]

    def of_rows(self, start: int, stop: int, columns: int) -> Array:
        """The scale of each element of some rows, [stop - start, columns]. start: the first row of a block."""
        high, wide = self.block
        rows = np.repeat(self.grid[start // high : -(-stop // high)], high, axis=0)[: stop - start]
        found: Array = np.repeat(rows, wide, axis=1)[:, :columns]
        return found


def scales_of(stored: Numbers, shape: tuple[int, ...], block: tuple[int, int]) -> Scales | None:
    """The scales of a matrix with the block of each; None if the shapes show no such division."""
    scale, (rows, columns) = decoded(np.asarray(stored.raw), stored.dtype), shape
    if scale.size == 1:
        return Scales(scale.reshape(1, 1), (rows, columns))
    if scale.shape in ((rows,), (rows, 1)):
        return Scales(scale.reshape(-1, 1), (1, columns))
    if scale.shape == (-(-rows // block[0]), -(-columns // block[1])):
        return Scales(scale, block)
    return None


def scaled_outcome(codes: Numbers, scales: Scales, target: Numbers) -> tuple[str, Difference, Scan] | str:
    """(outcome, difference, scan of the target), or why there is none. Both sides are read some rows at a time."""
    rows, columns = codes.raw.shape
    high = scales.block[0] if len(scales.grid) > 1 else 1
    step = max(1, READ // max(columns * high, 1)) * high
    whole, scans, ways, near = Difference(), list[Scan](), set[str](), True
    for start in range(0, rows, step):
        stop = min(start + step, rows)
        values = decoded(np.asarray(codes.raw[start:stop]), codes.dtype) * scales.of_rows(start, stop, columns)
        stored, scanner = np.asarray(target.raw[start:stop]), Scanner(target.dtype)
        found = difference(Numbers(values, "F32"), Numbers(stored, target.dtype), scanner)
        scans.append(scanner.result())
        if found.differing and (found.overflowed or not found.rounding):
            near = near and np.allclose(values, decoded(stored, target.dtype), NEARLY, 0, equal_nan=True)
            ways.add(DIFFERENT)
        elif found.differing:
            ways.add(found.rounding)
        if found.place:
            found.place = (found.place[0] + start, *found.place[1:])
        whole.include(found)
        whole.rounding = whole.rounding or found.rounding
    scanner = Scanner(target.dtype)
    scanner.join(scans)
    if DIFFERENT in ways or len(ways) > 1:
        return UNPROVEN if near else (DIFFERENT, whole, scanner.result())
    return ROUNDED if ways else EQUAL, whole, scanner.result()
