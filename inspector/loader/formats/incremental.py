"""Reads a file from its beginning in pieces, as far as a reader needs it and never beyond a limit.

Readers of formats without a stated header length use a `Stretch`. It compares a requested length with the end of the
file before it reads, so that a number from a file never causes an allocation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Read = Callable[[int, int], bytes]
"""(offset, length) -> the bytes there; fewer at the end of the file."""

FIRST_PIECE: Final = 1 << 18
LARGEST_PIECE: Final = 1 << 22


class EndOfFile(Exception):
    """Raised if the file ends at `position`, before the requested bytes."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class TooLong(Exception):
    """Raised if more than `limit` bytes would be read."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit, self.problem = limit, f"the header is longer than {limit:,} bytes"


class Stretch:
    """Bytes of a file from `start` on. size: of the whole file. most: number of bytes that may be read."""

    def __init__(self, read: Read, size: int, most: int, start: int = 0) -> None:
        self._read, self._size, self._most, self._start = read, size, most, start
        self._piece = FIRST_PIECE
        self._base = start  # file offset of buffer[0]
        self.buffer = b""
        self.at = 0  # within the buffer

    @property
    def position(self) -> int:
        """The position in the file of the next byte."""
        return self._base + self.at

    def elsewhere(self, offset: int, length: int) -> bytes:
        """Bytes at another place of the file; they are not kept."""
        return self._read(offset, min(length, max(0, self._size - offset)))

    def need(self, length: int) -> None:
        """Ensures that the buffer has `length` bytes from `at` on."""
        if self.at + length > len(self.buffer):
            self._fill(length)

    def take(self, length: int) -> bytes:
        """Returns the next bytes."""
        self.need(length)
        taken = self.buffer[self.at : self.at + length]
        self.at += length
        return taken

    def skip(self, length: int) -> None:
        """Skips bytes without keeping them. Bytes after the buffer are not read at all."""
        inside = len(self.buffer) - self.at
        if length <= inside:
            self.at += length
            return
        self._bound(self.position + length)
        self._base, self.buffer, self.at = self.position + length, b"", 0

    def _bound(self, stop: int) -> None:
        if stop > self._size:
            raise EndOfFile(self._size)
        if stop - self._start > self._most:
            raise TooLong(self._most)

    def _fill(self, length: int) -> None:
        position = self.position
        self._bound(position + length)
        rest = self.buffer[self.at :]
        most = min(self._size, self._start + self._most) - position
        wanted = min(most, max(length, self._piece))
        self._piece = min(LARGEST_PIECE, self._piece * 2)
        parts, have = [rest], len(rest)
        while have < wanted:
            part = self._read(position + have, wanted - have)
            if not part:
                break
            part = part[: wanted - have]
            parts.append(part)
            have += len(part)
            if have >= length:
                break
        self._base, self.buffer, self.at = position, b"".join(parts), 0
        if have < length:
            raise EndOfFile(position + have)
