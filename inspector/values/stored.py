"""Arrays in a file that are read at their position on access.

Files are never memory-mapped: if a mapped file shrinks, the operating system kills the process.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np
from msgspec import Struct

from inspector.values.decoding import Array

SPARSEST: Final = 4
"""A view is read together with the bytes between its elements if there are at most this many times as many bytes in
all.
"""


class ReadStopped(Exception):
    """Raised if a file cannot be read any further. file: its name. because: the reason."""

    def __init__(self, file: str, because: str) -> None:
        super().__init__(f"{file}: {because}")
        self.file, self.because = file, because


PAGE: Final = 4096
"""Bytes of a page of memory on the processors in question."""


class ReusedMemory:
    """Memory that parts of a file are repeatedly read into.

    Copies are ten times slower on some processors (`rep movsb` of AMD's Zen 3 and 4) if the offset of the target in its
    page is less than 32 bytes above that of the source. A part therefore begins half a page further.
    """

    __slots__ = ("bytes", "first")

    def __init__(self) -> None:
        self.bytes, self.first = np.empty(0, np.uint8), 0

    def part(self, offset: int, length: int) -> Array:
        """Bytes for a part of a file that begins at `offset`, aligned for all dtypes."""
        if self.bytes.size < length + 2 * PAGE:
            self.bytes = np.empty(length + 2 * PAGE, np.uint8)
            self.first = -self.bytes.ctypes.data % PAGE
        start = self.first + (offset + PAGE // 2) % PAGE // 64 * 64
        return self.bytes[start : start + length]


class StoredArray:
    """A view of an array in a file.

    Indexing, slicing, swapping axes and reshaping what is contiguous read nothing; conversion to a numpy array reads.
    read: (offset, length) -> exactly that many bytes, else ReadStopped. begin: byte offset of the first element.
    strides: in bytes; None if the elements are contiguous in C order, as `is_contiguous` shows. fill: (offset, memory)
    fills the memory with bytes, else ReadStopped; None if there is no such function.
    """

    __slots__ = ("begin", "fill", "is_contiguous", "kind", "read", "shape", "strides")

    def __init__(
        self,
        read: Callable[[int, int], bytes | bytearray],
        kind: np.dtype[Any],
        begin: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        fill: Callable[[int, memoryview], None] | None = None,
    ) -> None:
        self.read, self.kind, self.begin, self.shape, self.fill = read, kind, begin, shape, fill
        self.strides = contiguous_strides(shape, kind.itemsize) if strides is None else strides
        self.is_contiguous = strides is None or _is_contiguous(shape, strides, kind.itemsize)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.kind

    def __getitem__(self, key: Any) -> Array | StoredArray:
        if isinstance(key, slice) and key.step is None and self.shape:
            start, stop, _ = key.indices(self.shape[0])
            shape = (max(0, stop - start), *self.shape[1:])
            steps = None if self.is_contiguous else self.strides
            return StoredArray(self.read, self.kind, self.begin + start * self.strides[0], shape, steps, self.fill)
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > self.ndim or not all(_is_simple(one) for one in keys):
            found: Array = np.asarray(self)[key]
            return found
        begin, dims, strides = self.begin, list[int](), list[int]()
        for axis, (dim, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            one = keys[axis] if axis < len(keys) else slice(None)
            if isinstance(one, int):
                begin += range(dim)[one] * stride
                continue
            start, stop, _ = one.indices(dim)
            begin += start * stride
            dims.append(max(0, stop - start))
            strides.append(stride)
        return StoredArray(self.read, self.kind, begin, tuple(dims), tuple(strides), self.fill)

    def swapaxes(self, one: int, other: int) -> StoredArray:
        """The view with two axes exchanged."""
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        shape, strides = (tuple(sizes[axis] for axis in order) for sizes in (self.shape, self.strides))
        return StoredArray(self.read, self.kind, self.begin, shape, strides, self.fill)

    def reshape(self, *shape: Any) -> Array | StoredArray:
        """The same elements in another shape; one size may be -1. Raises ValueError if the sizes do not fit."""
        wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        known = prod(dim for dim in wanted if dim != -1)
        if -1 in wanted:
            wanted = tuple(self.size // max(known, 1) if dim == -1 else dim for dim in wanted)
        if prod(wanted) != self.size:
            raise ValueError(f"cannot reshape {self.shape} to {shape}")
        if not self.is_contiguous:
            return np.asarray(self).reshape(wanted)
        return StoredArray(self.read, self.kind, self.begin, wanted, None, self.fill)

    def filled(self, memory: ReusedMemory, start: int = 0, stop: int | None = None) -> Array:
        """The elements. If possible they are read into `memory`, which the next call overwrites.

        start, stop: range of indices of the first axis.
        """
        if self.fill is None or not self.is_contiguous:
            return np.asarray(self if stop is None else self[start:stop])
        shape, begin = self.shape, self.begin
        if stop is not None:
            shape, begin = (stop - start, *shape[1:]), begin + start * self.strides[0]
        part = memory.part(begin, prod(shape) * self.kind.itemsize)
        self.fill(begin, part.data)
        return part.view(self.kind).reshape(shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self._gathered(self.begin, self.shape, self.strides)
        return array if dtype is None else array.astype(dtype, copy=False)

    def _gathered(self, begin: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
        """The elements of a view: in one read, or slice by slice if they are far apart."""
        if not prod(shape):
            return np.empty(shape, self.kind)
        item = self.kind.itemsize
        reach = item + sum((dim - 1) * stride for dim, stride in zip(shape, strides, strict=True))
        if reach == prod(shape) * item and strides == contiguous_strides(shape, item):
            return np.frombuffer(self.read(begin, reach), self.kind).reshape(shape)
        if reach <= SPARSEST * prod(shape) * item:
            raw = np.frombuffer(self.read(begin, reach), np.uint8)
            view = np.ndarray(shape, self.kind, raw.data, 0, strides)
            return np.ascontiguousarray(view)
        axis = max(range(len(shape)), key=lambda one: strides[one] if shape[one] > 1 else -1)
        inner, steps = shape[:axis] + shape[axis + 1 :], strides[:axis] + strides[axis + 1 :]
        parts = [self._gathered(begin + number * strides[axis], inner, steps) for number in range(shape[axis])]
        return np.stack(parts, axis)


def contiguous_strides(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    """The strides of an array in C order, in units of `item`."""
    strides: list[int] = []
    for dim in reversed(shape):
        strides.append(item)
        item *= max(dim, 1)
    return tuple(reversed(strides))


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> bool:
    """True if the elements are contiguous in C order."""
    plain = contiguous_strides(shape, item)
    both = zip(shape, strides, plain, strict=True)
    return strides == plain or all(dim <= 1 or one == other for dim, one, other in both)


def _is_simple(key: object) -> bool:
    return isinstance(key, int) or (isinstance(key, slice) and key.step in (None, 1))


Elements = Array | StoredArray


class Numbers(Struct, frozen=True):
    """Raw elements, in memory or in a file, and the dtype to decode them as."""

    raw: Elements
    dtype: str
