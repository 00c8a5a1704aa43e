"""Corresponding parts of arrays of one shape, small enough to decode."""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt, prod
from typing import Final

import numpy as np

from inspector.values.decoding import Array
from inspector.values.stored import Elements

CHUNK: Final = 1 << 21
"""Bytes that are read at a time of each side: what was read is still in the cache of a processor when it is checked."""


Part = tuple[tuple[int, ...], list[Array]]
"""Indices of the first element in the whole arrays, and the part of each array."""


def chunks(*arrays: Elements) -> Iterator[Part]:
    """The parts, in C order unless a side is transposed."""
    first = arrays[0]
    most = max(1, CHUNK // max(array.dtype.itemsize for array in arrays))
    if first.ndim == 0 or first.size <= most:
        yield (0,) * first.ndim, [np.asarray(array) for array in arrays]
        return
    if first.ndim == 2 and any(_is_transposed(array) for array in arrays):
        yield from _tiles(isqrt(most), *arrays)
        return
    row = prod(first.shape[1:])
    if row > most or (first.ndim > 2 and any(_is_transposed(array) for array in arrays)):
        for index in range(first.shape[0]):
            for place, parts in chunks(*(array[index] for array in arrays)):
                yield (index, *place), parts
        return
    step = max(1, most // max(row, 1))
    for start in range(0, first.shape[0], step):
        place = (start, *(0,) * (first.ndim - 1))
        yield place, [np.asarray(array[start : start + step]) for array in arrays]


def _is_transposed(array: Elements) -> bool:
    """Whether the last axis is not the one with adjacent elements."""
    return array.ndim > 1 and array.shape[-1] > 1 and array.strides[-1] > array.strides[-2]


def _tiles(side: int, *arrays: Elements) -> Iterator[Part]:
    """Square parts of matrices: of a transposed matrix in a file rows are far apart."""
    rows, columns = arrays[0].shape
    for top in range(0, rows, side):
        for left in range(0, columns, side):
            yield (top, left), [np.asarray(array[top : top + side, left : left + side]) for array in arrays]
