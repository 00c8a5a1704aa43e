"""Arrays in a file, read at their position on access.

Files are never memory-mapped: if a mapped file shrinks, the operating system kills the process.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from inspector.values.decoding import Array


class ReadStopped(Exception):
    """A file cannot be read any further. file: its name; because: why."""

    def __init__(self, file: str, because: str) -> None:
        super().__init__(f"{file}: {because}")
        self.file, self.because = file, because


class StoredArray:
    """An array in a file, contiguous in C order.

    Indexing or slicing the first axis and reshaping read nothing; conversion to a numpy array reads.
    read: (offset, length) -> exactly that many bytes, else ReadStopped. begin: byte offset of the first element.
    """

    __slots__ = ("begin", "kind", "read", "shape")

    def __init__(
        self, read: Callable[[int, int], bytes], kind: np.dtype[Any], begin: int, shape: tuple[int, ...]
    ) -> None:
        self.read, self.kind, self.begin, self.shape = read, kind, begin, shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    def __getitem__(self, key: Any) -> Array | StoredArray:
        row = self.kind.itemsize * prod(self.shape[1:])
        if isinstance(key, int):
            number = range(self.shape[0])[key]
            return StoredArray(self.read, self.kind, self.begin + number * row, self.shape[1:])
        if isinstance(key, slice) and key.step in (None, 1):
            start, stop, _ = key.indices(self.shape[0])
            shape = (max(0, stop - start), *self.shape[1:])
            return StoredArray(self.read, self.kind, self.begin + start * row, shape)
        found: Array = np.asarray(self)[key]
        return found

    def reshape(self, *shape: Any) -> StoredArray:
        """The same elements in another shape; one size may be -1. ValueError where the sizes do not fit."""
        wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        known = prod(dim for dim in wanted if dim != -1)
        if -1 in wanted:
            wanted = tuple(self.size // max(known, 1) if dim == -1 else dim for dim in wanted)
        if prod(wanted) != self.size:
            raise ValueError(f"cannot reshape {self.shape} to {shape}")
        return StoredArray(self.read, self.kind, self.begin, wanted)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raw = self.read(self.begin, self.size * self.kind.itemsize)
        array = np.frombuffer(raw, self.kind).reshape(self.shape)
        return array if dtype is None else array.astype(dtype, copy=False)


Elements = Array | StoredArray
