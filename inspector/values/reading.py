"""From the name of a tensor to its values: an array at the position of its bytes that is read on access.

Local files are read in slices. A remote tensor is fetched whole, which is why only
named tensors are read there. Formats: safetensors, unquantized tensors of GGUF, and torch's archives.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np
from msgspec import Struct

from inspector.findings.shards.sets import SlicesJoined
from inspector.loader import offsets
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.dtype import BITS
from inspector.loader.sources.folder import FolderSource
from inspector.loader.sources.local_reading import open_regular, read_at
from inspector.loader.sources.source import Refusal, Source
from inspector.matcher.reading import Reading
from inspector.values.decoding import RAW
from inspector.values.difference import Numbers
from inspector.values.stored import Elements, ReadStopped, StoredArray

FETCHED: Final = 8_000_000_000
"""Largest number of bytes of one remote tensor that is fetched into memory."""


class StoragePlace(Struct, frozen=True):
    """Position of a tensor in its file: the byte at which its storage begins, its first element there, its strides.

    strides: in elements; None where the elements follow each other.
    """

    begin: int
    first: int = 0
    strides: tuple[int, ...] | None = None


class Store(Struct):
    """Access to the tensors of an audited checkpoint, or of one component of a pipeline.

    names: name in the audit -> name in the file. positions: file -> name in it -> position. states: local file
    -> its state, which shows whether it has changed since the audit.
    """

    checkpoint: Checkpoint
    source: Source
    names: Mapping[str, str]
    positions: dict[str, Mapping[str, StoragePlace]] = {}
    states: dict[str, tuple[int, ...]] = {}

    @property
    def is_near(self) -> bool:
        """Whether the files are local."""
        return isinstance(self.source, FolderSource)

    def numbers(self, name: str) -> Numbers | str:
        """The values of a tensor, or why they cannot be read. ReadStopped if its file has changed since the audit."""
        stored = self.names.get(name, name)
        layout = self.checkpoint.tensors.get(stored)
        file = self.checkpoint.file_of.get(stored)
        if layout is None or file is None:
            return "none of the files read contains it"
        if layout.dtype not in RAW:
            return f"{layout.dtype} is not decoded"
        if stored in self.checkpoint.cut:
            return "its data is truncated"
        if self._is_sliced(stored):
            return "it is split over several files"
        place = self._places(file).get(stored)
        if place is None:
            return "its file does not state its position"
        kind = np.dtype(RAW[layout.dtype])
        assert kind.itemsize * 8 == BITS[layout.dtype]
        shape = layout.shape or (1,)
        if not layout.elements:
            return Numbers(np.zeros(shape, kind), layout.dtype)
        strides = place.strides if layout.shape else None
        begin = place.begin + place.first * kind.itemsize
        if strides is None:
            elements = self._elements(file, kind, begin, shape)
            return elements if isinstance(elements, str) else Numbers(elements, layout.dtype)
        reach = 1 + sum((dim - 1) * stride for dim, stride in zip(shape, strides, strict=True))
        flat = self._elements(file, kind, begin, (reach,))
        if isinstance(flat, str):
            return flat
        steps = tuple(stride * kind.itemsize if dim > 1 else 0 for dim, stride in zip(shape, strides, strict=True))
        view = np.lib.stride_tricks.as_strided(np.asarray(flat), shape, steps, writeable=False)
        return Numbers(view, layout.dtype)

    def spelled(self, name: str) -> str:
        """The name of a tensor in its file."""
        return self.names.get(name, name)

    def _is_sliced(self, stored: str) -> bool:
        """Whether a tensor was merged from slices in several files; tensors repeated in each file are in `copies`."""
        joined = any(isinstance(finding, SlicesJoined) for finding in self.checkpoint.findings)
        return joined and stored not in self.checkpoint.copies

    def _elements(self, file: str, kind: np.dtype[Any], begin: int, shape: tuple[int, ...]) -> Elements | str:
        length = prod(shape) * kind.itemsize
        if self.is_near:
            stated = self._size(file)
            if begin + length > stated:
                return "its data is truncated"
            return StoredArray(partial(self._read, file), kind, begin, shape)
        if length > FETCHED:
            return f"{length:,} bytes are too many for one request"
        raw = self.source.read_part(file, begin, length)
        if not isinstance(raw, bytes) or len(raw) != length:
            return "it could not be downloaded"
        return np.frombuffer(raw, kind).reshape(shape)

    def _places(self, file: str) -> Mapping[str, StoragePlace]:
        if file not in self.positions:
            if self.is_near:
                self._read(file, 0, 0)  # record the state of the file before its header is read again
            self.positions[file] = _places(self.source, file, self._size(file))
        return self.positions[file]

    def _size(self, file: str) -> int:
        """Size of a file when it was audited, in bytes."""
        return next((one.bytes for one in self.checkpoint.files if one.name == file), 0)

    def _read(self, file: str, offset: int, length: int) -> bytes:
        """Reads bytes of a local file. ReadStopped if the file has changed since the audit."""
        assert isinstance(self.source, FolderSource)
        opened = open_regular(os.path.join(self.source.folder, file))
        if isinstance(opened, Refusal):
            raise ReadStopped(file, opened.detail)
        descriptor, size = opened
        try:
            before = self.states.setdefault(file, (self._size(file), *_state(descriptor)))
            raw = read_at(descriptor, offset, length)
            if len(raw) < length or before != (size, *_state(descriptor)):
                raise ReadStopped(file, "the file changed while it was read")
            return raw
        except OSError as error:
            raise ReadStopped(file, error.strerror or str(error)) from None
        finally:
            os.close(descriptor)


def _state(descriptor: int) -> tuple[int, ...]:
    found = os.fstat(descriptor)
    return found.st_size, found.st_mtime_ns, found.st_ino


def _places(source: Source, file: str, size: int) -> Mapping[str, StoragePlace]:
    def read(offset: int, length: int) -> bytes:
        found = source.read_part(file, offset, length)
        return found if isinstance(found, bytes) else b""

    if file.endswith(".safetensors"):
        return {name: StoragePlace(begin) for name, begin in offsets.begins(source, file).items()}
    if read(0, 4) == b"GGUF":
        from inspector.loader.formats.gguf import read_gguf

        made = read_gguf(read, size, file)
        return {} if made.big_endian else {name: StoragePlace(begin) for name, begin in made.begins.items()}
    from inspector.loader.formats.torch_file import begins

    return {name: StoragePlace(*place) for name, place in begins(read, size, file).items()}


def store_of(checkpoint: Checkpoint, reading: Reading | None) -> Store | None:
    """Access to the values of a loaded checkpoint; None where its files cannot be read again.

    reading: the mapping of names that the audit used.
    """
    source = checkpoint.reach() if checkpoint.reach is not None else None
    if source is None:
        return None
    return Store(checkpoint, source, _names(checkpoint, reading))


def _names(checkpoint: Checkpoint, reading: Reading | None) -> dict[str, str]:
    """Name of a tensor in the audit -> name in the file, where the two differ."""
    if reading is None or not reading.prefix:
        return {}
    return {reading.bare(name): name for name in checkpoint.tensors}
