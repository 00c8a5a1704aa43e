"""Scans a tensor in a GGUF block format once, for scales that are not finite and rows of zeros."""

from __future__ import annotations

from typing import Final

import numpy as np

from inspector.values.blocks import FORMATS, decoded_blocks
from inspector.values.chunks import chunks
from inspector.values.decoding import Array
from inspector.values.scan import Scan, ZeroRows, by_rows
from inspector.values.stored import Numbers

INFINITE: Final = 0x7C00
"""The bits that are all set in a float16 that is infinite or NaN."""


def scan_blocks(numbers: Numbers) -> Scan:
    """Scans the numbers of blocks. Only scales are decoded, and all numbers of blocks with scales that are not finite.

    A row counts as zero if all its scales are zero.
    """
    raw, found = by_rows(numbers.raw), Scan()
    rows = ZeroRows(raw.shape[0] if raw.ndim > 1 else 1)
    for place, (part,) in chunks(raw if raw.ndim > 1 else raw.reshape(1, -1)):
        zero, lost = _scales(part, numbers.dtype)
        found.elements += part.size * FORMATS[numbers.dtype].elements
        if lost.any():
            values = decoded_blocks(part[lost], numbers.dtype)
            found.nan += int(np.isnan(values).sum())
            found.infinite += int(np.isinf(values).sum())
        if part.ndim > 1:
            rows.add(place[0], np.flatnonzero(zero.all(axis=1)))
    found.rows = rows if raw.ndim > 1 else None
    found.constant = 0.0 if found.elements and rows.zero == rows.rows else None
    return found


def _scales(part: Array, dtype: str) -> tuple[Array, Array]:
    """(blocks with scales of zero, blocks with numbers that are not finite)."""
    halves = FORMATS[dtype].halves
    if not halves:
        values = decoded_blocks(part, dtype).reshape(*part.shape, -1)
        return np.asarray(~values.any(axis=-1)), np.asarray(~np.isfinite(values).all(axis=-1))
    stored = np.ascontiguousarray(part).view(np.uint8).reshape(*part.shape, -1)
    zero: Array = np.ones(part.shape, np.bool_)
    lost: Array = np.zeros(part.shape, np.bool_)
    for at in halves:
        bits = np.ascontiguousarray(stored[..., at : at + 2]).view("<u2")[..., 0]
        zero &= (bits & 0x7FFF) == 0
        lost |= (bits & INFINITE) == INFINITE
    return zero, lost
