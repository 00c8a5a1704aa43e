"""Corresponding parts of arrays of one shape, small enough to decode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt, prod
from typing import Final

from inspector.values.decoding import Array
from inspector.values.stored import Elements, ReusedMemory, StoredArray

CHUNK: Final = 1 << 22
"""Bytes that are read at a time of each side: what was read is still in the cache of a processor when it is checked."""


Part = tuple[tuple[int, ...], list[Array]]
"""Indices of the first element in the whole arrays, and the part of each array."""
View = tuple[tuple[int, ...], Sequence[Elements]]
"""The same before it is read."""


_UNUSED: Final[list[ReusedMemory]] = []
"""What finished calls have read into: new memory costs more than the checks. At most as many as are used at a time."""


def chunks(*arrays: Elements) -> Iterator[Part]:
    """The parts, in C order unless a side is transposed. A part is overwritten when the next one is asked for."""
    memories = [_UNUSED.pop() if _UNUSED else ReusedMemory() for _ in arrays]
    try:
        for place, views in _views(arrays):
            yield place, [_read(view, memory) for view, memory in zip(views, memories, strict=True)]
    finally:
        _UNUSED.extend(memories)


def _read(view: Elements, memory: ReusedMemory) -> Array:
    return view.filled(memory) if isinstance(view, StoredArray) else view


def _views(arrays: Sequence[Elements]) -> Iterator[View]:
    """The parts, not yet read."""
    first = arrays[0]
    most = max(1, CHUNK // max(array.dtype.itemsize for array in arrays))
    if first.ndim == 0 or first.size <= most:
        yield (0,) * first.ndim, arrays
        return
    if first.ndim == 2 and any(_is_transposed(array) for array in arrays):
        yield from _tiles(isqrt(most), arrays)
        return
    row = prod(first.shape[1:])
    if row > most or (first.ndim > 2 and any(_is_transposed(array) for array in arrays)):
        for index in range(first.shape[0]):
            for place, views in _views([array[index] for array in arrays]):
                yield (index, *place), views
        return
    step = max(1, most // max(row, 1))
    for start in range(0, first.shape[0], step):
        place = (start, *(0,) * (first.ndim - 1))
        yield place, [array[start : start + step] for array in arrays]


def _is_transposed(array: Elements) -> bool:
    """Whether the last axis is not the one with adjacent elements."""
    return array.ndim > 1 and array.shape[-1] > 1 and array.strides[-1] > array.strides[-2]


def _tiles(side: int, arrays: Sequence[Elements]) -> Iterator[View]:
    """Square parts of matrices: of a transposed matrix in a file rows are far apart."""
    rows, columns = arrays[0].shape
    for top in range(0, rows, side):
        for left in range(0, columns, side):
            yield (top, left), [array[top : top + side, left : left + side] for array in arrays]
