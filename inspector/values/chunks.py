"""Splits arrays of one shape into corresponding parts that are small enough to decode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import isqrt, prod
from typing import Final

from inspector.values.decoding import Array
from inspector.values.stored import Elements, ReusedMemory, StoredArray

CHUNK: Final = 1 << 22
"""Bytes of each side that are read at a time if there are several sides."""
ALONE: Final = 1 << 20
"""Bytes that are read at a time if there is one side: they are still in the core's cache when they are checked, which
doubles the speed. Comparisons make more calls per part, so that longer parts are faster there.
"""
LEAST: Final = 4 * CHUNK
"""Least bytes for which another thread pays off: starting it takes a hundredth of the time for them."""


Part = tuple[tuple[int, ...], list[Array]]
"""Indices of the first element in the whole arrays, and the corresponding part of each array."""
View = tuple[tuple[int, ...], Sequence[Elements]]
"""The same before the part is read."""


_UNUSED: Final[list[ReusedMemory]] = []
"""Memory that finished calls have read into, for reuse: allocating costs more than the checks. Limited by concurrent
use.
"""


def chunks(*arrays: Elements) -> Iterator[Part]:
    """The parts, in C order unless a side is transposed. A part is overwritten when the next one is requested."""
    memories = [_memory() for _ in arrays]
    sides = [(_reader(array), memory) for array, memory in zip(arrays, memories, strict=True)]
    step = _rows_at_once(arrays)
    try:
        if step:
            length, others = arrays[0].shape[0], (0,) * (arrays[0].ndim - 1)
            for start in range(0, length, step):
                stop = min(start + step, length)
                yield (start, *others), [read(memory, start, stop) for read, memory in sides]
            return
        for place, views in _views(arrays):
            yield place, [_read(view, memory) for view, memory in zip(views, memories, strict=True)]
    finally:
        _UNUSED.extend(memories)


def _rows_at_once(arrays: Sequence[Elements]) -> int:
    """Rows of the first axis that are read at a time; 0 if parts must be cut in another way."""
    first, most = arrays[0], _most(arrays)
    if first.ndim == 0 or first.size <= most or any(_is_transposed(array) for array in arrays):
        return 0
    return most // max(1, prod(first.shape[1:]))


def _most(arrays: Sequence[Elements]) -> int:
    """Most elements that are read at a time."""
    size = CHUNK if len(arrays) > 1 else min(CHUNK, ALONE)
    return max(1, size // max(array.dtype.itemsize for array in arrays))


def _reader(array: Elements) -> Callable[[ReusedMemory, int, int], Array]:
    """A function that reads some rows of an array."""
    return array.filled if isinstance(array, StoredArray) else lambda _, start, stop: array[start:stop]


def _memory() -> ReusedMemory:
    try:
        return _UNUSED.pop()
    except IndexError:
        return ReusedMemory()


def _read(view: Elements, memory: ReusedMemory) -> Array:
    return view.filled(memory) if isinstance(view, StoredArray) else view


def _views(arrays: Sequence[Elements]) -> Iterator[View]:
    """The parts before they are read."""
    first = arrays[0]
    most = _most(arrays)
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


def segments(arrays: Sequence[Elements], number: int) -> list[tuple[int, Sequence[Elements]]]:
    """Arrays of one shape in up to `number` parts along their first axis, each with its first index.

    Only one part if the arrays are too short, or are not in local files, which several threads can read.
    """
    first = arrays[0]
    if number < 2 or not first.ndim or not all(_is_shared(array) for array in arrays):
        return [(0, arrays)]
    length, size = first.shape[0], max(array.dtype.itemsize for array in arrays)
    number = max(1, min(number, length, first.size * size // LEAST))
    ends = [length * part // number for part in range(number + 1)]
    return [(start, [array[start:stop] for array in arrays]) for start, stop in pairwise(ends)]


def _is_shared(array: Elements) -> bool:
    """True if several threads can read an array."""
    return isinstance(array, StoredArray) and array.fill is not None and array.is_contiguous


def _is_transposed(array: Elements) -> bool:
    """True if the last axis is not the one with adjacent elements."""
    return array.ndim > 1 and array.shape[-1] > 1 and array.strides[-1] > array.strides[-2]


def _tiles(side: int, arrays: Sequence[Elements]) -> Iterator[View]:
    """Square parts of matrices, since rows of a transposed matrix are far apart in the file."""
    rows, columns = arrays[0].shape
    for top in range(0, rows, side):
        for left in range(0, columns, side):
            yield (top, left), [array[top : top + side, left : left + side] for array in arrays]
