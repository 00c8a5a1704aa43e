"""Gives the values of a tensor by its name: an array at the position of its bytes, which is read on access.

Tensors are read in slices, and in ranges from remote files, of which only named tensors and samples are read. Formats:
safetensors, GGUF, and torch's archives. The elements of an array of a quantized GGUF tensor are its blocks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from threading import Lock
from typing import Any, Final

import numpy as np
from msgspec import Struct

from inspector.findings.shards.sets import SlicesJoined
from inspector.loader import offsets
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.dtype import BITS
from inspector.loader.formats.ggml_types import BY_NAME
from inspector.loader.layout import Layout
from inspector.loader.sources.folder import FolderSource
from inspector.loader.sources.local_reading import open_regular, read_into
from inspector.loader.sources.source import Refusal, Source
from inspector.matcher.reading import Reading
from inspector.values.blocks import FORMATS
from inspector.values.decoding import RAW
from inspector.values.stored import Numbers, ReadStopped, StoredArray, contiguous_strides

FETCHED: Final = 1 << 25
"""Bytes of one request if a remote file is read sequentially."""


CHANGED: Final = "the file changed while it was read"


class StoragePlace(Struct, frozen=True):
    """Position of a tensor in its file: the byte at which its storage begins, its first element there, its strides.

    strides: in elements; None if the elements are contiguous.
    """

    begin: int
    first: int = 0
    strides: tuple[int, ...] | None = None


class Store(Struct):
    """Access to the tensors of an audited checkpoint, or of one component of a pipeline.

    names: name in the audit -> name in the file. positions: file -> name in it -> position. states: local file
    -> its state, which shows whether it has changed since the audit. fetched: the last range of a remote file: the
    file, its first byte, the bytes.
    """

    checkpoint: Checkpoint
    source: Source
    names: Mapping[str, str]
    positions: dict[str, Mapping[str, StoragePlace]] = {}
    states: dict[str, tuple[int, ...]] = {}
    fetched: tuple[str, int, bytes] = ("", 0, b"")

    @property
    def is_near(self) -> bool:
        """True if the files are local."""
        return isinstance(self.source, FolderSource)

    def numbers(self, name: str) -> Numbers | str:
        """The values of a tensor, or why they cannot be read. Raises ReadStopped if its file has changed since the
        audit.
        """
        found = self._found(name)
        if isinstance(found, str):
            return found
        layout, file, place = found
        if layout.dtype in BY_NAME and not BY_NAME[layout.dtype].plain:
            return self._blocks(layout, file, place)
        if layout.dtype not in RAW:
            return f"{layout.dtype} is not decoded"
        kind = np.dtype(RAW[layout.dtype])
        assert kind.itemsize * 8 == BITS[layout.dtype]
        shape = layout.shape or (1,)
        strides = place.strides if layout.shape and layout.elements else None
        begin = place.begin + place.first * kind.itemsize
        steps = contiguous_strides(shape, 1) if strides is None else strides
        steps = tuple(step * kind.itemsize if dim > 1 else 0 for dim, step in zip(shape, steps, strict=True))
        reach = kind.itemsize + sum((dim - 1) * step for dim, step in zip(shape, steps, strict=True))
        if layout.elements and begin + reach > self._size(file):
            return "data truncated"
        if layout.elements * kind.itemsize > reach:
            return "its elements repeat the same memory"
        return Numbers(self._array(file, kind, begin, shape, None if strides is None else steps), layout.dtype)

    def _blocks(self, layout: Layout, file: str, place: StoragePlace) -> Numbers | str:
        """The blocks of a quantized tensor of GGUF: along its last axis."""
        found = FORMATS.get(layout.dtype)
        if found is None or not layout.shape:
            return f"{layout.dtype} is not decoded"
        if place.begin + layout.bytes > self._size(file):
            return "data truncated"
        shape = (*layout.shape[:-1], layout.shape[-1] // found.elements)
        return Numbers(self._array(file, found.kind, place.begin, shape, None), layout.dtype)

    def stored_bytes(self, name: str) -> Numbers | str:
        """The bytes of a tensor, whatever its dtype, or why they cannot be read."""
        found = self._found(name)
        if isinstance(found, str):
            return found
        layout, file, place = found
        if place.strides is not None or place.begin + layout.bytes > self._size(file):
            return "its bytes are not together"
        return Numbers(self._array(file, np.dtype("u1"), place.begin, (layout.bytes,), None), "U8")

    def _array(
        self, file: str, kind: np.dtype[Any], begin: int, shape: tuple[int, ...], strides: tuple[int, ...] | None
    ) -> StoredArray:
        if self.is_near:
            opened = _OpenFile(self, file)
            return StoredArray(opened.read, kind, begin, shape, strides, opened.fill)
        return StoredArray(partial(self._fetch, file), kind, begin, shape, strides)

    def file_of(self, name: str) -> str:
        """The file that contains a tensor."""
        return self.checkpoint.file_of.get(self.names.get(name, name), "")

    def order(self, file: str) -> list[str]:
        """The tensors of a file in the order of their positions, by their names in the file."""
        places = self._places(file)
        return sorted(places, key=lambda name: places[name].begin)

    def _found(self, name: str) -> tuple[Layout, str, StoragePlace] | str:
        stored = self.names.get(name, name)
        layout = self.checkpoint.tensors.get(name, self.checkpoint.tensors.get(stored))
        file = self.checkpoint.file_of.get(stored, self.checkpoint.file_of.get(name))
        if layout is None or file is None:
            return "none of the files read contains it"
        if stored in self.checkpoint.cut:
            return "data truncated"
        if self._is_sliced(stored):
            return "it is split over several files"
        place = self._places(file).get(stored)
        return "its file does not state its position" if place is None else (layout, file, place)

    def spelled(self, name: str) -> str:
        """The name of a tensor in its file."""
        return self.names.get(name, name)

    def _is_sliced(self, stored: str) -> bool:
        """True if a tensor was merged from slices in several files. Tensors that are repeated in each file are in
        `copies`.
        """
        joined = any(isinstance(finding, SlicesJoined) for finding in self.checkpoint.findings)
        return joined and stored not in self.checkpoint.copies

    def _places(self, file: str) -> Mapping[str, StoragePlace]:
        if file not in self.positions:
            if self.is_near:
                _OpenFile(self, file).read(0, 0)  # record the state of the file before its header is read again
            self.positions[file] = _places(self.source, file, self._size(file))
        return self.positions[file]

    def _size(self, file: str) -> int:
        """Size of a file when it was audited, in bytes."""
        return next((one.bytes for one in self.checkpoint.files if one.name == file), 0)

    def _fetch(self, file: str, offset: int, length: int) -> bytes:
        """Reads bytes of a remote file, more at once if it is read sequentially. Raises ReadStopped if they do not
        arrive.
        """
        name, begin, raw = self.fetched
        if name != file or not begin <= offset <= offset + length <= begin + len(raw):
            onwards = name == file and begin <= offset <= begin + len(raw)
            wanted = min(max(length, FETCHED if onwards else 0), self._size(file) - offset)
            found = self.source.read_part(file, offset, wanted)
            if not isinstance(found, bytes) or len(found) < length:
                raise ReadStopped(file, "it could not be downloaded")
            begin, raw = offset, found
            self.fetched = (file, begin, raw)
        return raw[offset - begin : offset - begin + length]

    def open(self, file: str) -> tuple[int, tuple[int, ...]]:
        """Opens a local file: its descriptor and its state. Raises ReadStopped if it has changed since the audit."""
        assert isinstance(self.source, FolderSource)
        opened = open_regular(os.path.join(self.source.folder, file))
        if isinstance(opened, Refusal):
            raise ReadStopped(file, opened.detail)
        descriptor, size = opened
        state = self.states.setdefault(file, _state(descriptor))
        if size != self._size(file) or state != _state(descriptor):
            os.close(descriptor)
            raise ReadStopped(file, CHANGED)
        return descriptor, state


class _OpenFile:
    """A local file that is opened when first read and closed when it is no longer needed."""

    __slots__ = ("descriptor", "file", "opening", "state", "store")

    def __init__(self, store: Store, file: str) -> None:
        self.store, self.file, self.descriptor, self.state = store, file, -1, tuple[int, ...]()
        self.opening = Lock()

    def __del__(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)

    def read(self, offset: int, length: int) -> bytearray:
        """Reads bytes. Raises ReadStopped if the file has changed since the audit."""
        found = bytearray(length)
        self.fill(offset, memoryview(found))
        return found

    def fill(self, offset: int, memory: memoryview) -> None:
        """Reads bytes into memory. Raises ReadStopped if the file has changed since the audit."""
        try:
            if self.descriptor < 0:
                with self.opening:  # several threads may read one tensor
                    if self.descriptor < 0:
                        descriptor, self.state = self.store.open(self.file)
                        self.descriptor = descriptor  # set last, since other threads check it
            if read_into(self.descriptor, offset, memory) < memory.nbytes or _state(self.descriptor) != self.state:
                raise ReadStopped(self.file, CHANGED)
        except OSError as error:
            raise ReadStopped(self.file, error.strerror or str(error)) from None


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
    """Access to the values of a loaded checkpoint; None if its files cannot be read again.

    reading: the mapping of names that the audit used.
    """
    source = checkpoint.reach() if checkpoint.reach is not None else None
    if source is None:
        return None
    return Store(checkpoint, source, _names(checkpoint, reading))


def _names(checkpoint: Checkpoint, reading: Reading | None) -> dict[str, str]:
    """Name of a tensor in the audit -> name in the file, if the two differ."""
    own = checkpoint.names_in_file
    if reading is None or not reading.prefix:
        return dict(own)
    return {reading.bare(name): own.get(name, name) for name in checkpoint.tensors}
