"""Writes a safetensors file with another header and the same data, and verifies that the data are the same."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final, NamedTuple

BLOCK: Final = 16 << 20
"""Bytes that are copied at once."""
ALIGNMENT: Final = 8
"""The data of a safetensors file begin at a multiple of 8 bytes."""


class Copied(NamedTuple):
    """The data of a rewritten file: their bytes and SHA-256."""

    bytes: int
    sha256: str


class NotCopied(Exception):
    """Raised if the header cannot be written, or if the copy differs from the file."""


def header_of(path: str) -> tuple[dict[str, Any], int]:
    """(the header as an object, the position of the data). Raises OSError, ValueError."""
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        if length > os.path.getsize(path) - 8:
            raise ValueError("the header is longer than the file")
        header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    return header, 8 + length


def data_bytes(header: dict[str, Any]) -> int:
    """The bytes of data that a header describes."""
    ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
    return max(ends, default=0)


def write_with_header(source: str, target: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Copied:
    """Writes the file with a changed header and its data up to the last tensor.

    Raises NotCopied if two tensors would have the same name, or if the written data differ from the stored data.
    """
    before, start = header_of(source)
    after = change(before)
    if len(after) - ("__metadata__" in after) != len(before) - ("__metadata__" in before):
        raise NotCopied("two tensors would have the same name")
    raw = json.dumps(after, ensure_ascii=False, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % ALIGNMENT)
    size = data_bytes(after)
    with open(source, "rb") as reading, open(target, "wb") as writing:
        writing.write(struct.pack("<Q", len(raw)) + raw)
        reading.seek(start)
        read = hashlib.sha256()
        copied = 0
        for block in _blocks(reading, size):
            read.update(block)
            writing.write(block)
            copied += len(block)
        writing.flush()
        os.fsync(writing.fileno())
    if copied != size or _digest(target, 8 + len(raw), size) != read.hexdigest():
        raise NotCopied("the copied data differ from the stored ones")
    return Copied(size, read.hexdigest())


def _blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0:
        block = file.read(min(BLOCK, size))
        if not block:
            return
        size -= len(block)
        yield block


def _digest(path: str, start: int, size: int) -> str:
    found = hashlib.sha256()
    with open(path, "rb") as file:
        file.seek(start)
        for block in _blocks(file, size):
            found.update(block)
    return found.hexdigest()
