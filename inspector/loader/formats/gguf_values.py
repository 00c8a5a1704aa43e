"""The values of a GGUF header: numbers, texts and arrays of either byte order, read within limits. Pure.

Vocabularies (tens of megabytes of texts) are skipped and never kept.
"""

from __future__ import annotations

import struct
from typing import Final

from msgspec import Struct

from inspector.loader.formats.incremental import Stretch, TooLong

ITEM_LIMIT: Final = 4_000_000
"""Most texts in the arrays of one file; they are skipped one by one."""
INNER_LIMIT: Final = 65_536
"""Most arrays within arrays."""
NAME_LIMIT: Final = 1_024
"""Most bytes of one name; ggml itself keeps 63."""
NAMES_LIMIT: Final = 16_000_000
"""Most bytes of all names together."""
TEXT_KEPT: Final = 4_096
KEPT_LIMIT: Final = 8_000_000
ARRAY_KEPT: Final = 4_096
"""Longest array of numbers that is kept: a config needs at most one number for each layer."""
NEST_LIMIT: Final = 8


_TEXT, _ARRAY, _BOOL = 8, 9, 7
_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
_WORDS: Final = {
    0: "uint8", 1: "int8", 2: "uint16", 3: "int16", 4: "uint32", 5: "int32", 6: "float32", 7: "bool",
    8: "string", 9: "array", 10: "uint64", 11: "int64", 12: "float64",
}  # fmt: skip


class ArrayOf(Struct, frozen=True):
    """An array that was not kept: the kind of its values and their number."""

    type: str
    count: int


class Malformed(Exception):
    """Raised for a header with content that GGUF does not allow, or beyond a limit."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class GgufValues:
    """Reads values from a stretch of a file. order: "<" or ">", as in struct."""

    def __init__(self, stretch: Stretch, order: str) -> None:
        self.stretch, self._order = stretch, order
        self._u32, self._u64 = struct.Struct(f"{order}I"), struct.Struct(f"{order}Q")
        self._items = self._inner = self._kept = 0
        self._listed = 0

    def u32(self) -> int:
        """An unsigned integer of 32 bits."""
        return int(self._u32.unpack(self.stretch.take(4))[0])

    def u64(self) -> int:
        """An unsigned integer of 64 bits."""
        return int(self._u64.unpack(self.stretch.take(8))[0])

    def name(self, what: str) -> str:
        """A short text. what: its description in error messages."""
        length = self.u64()
        if length > NAME_LIMIT:
            raise Malformed(f"{what} of {length:,} bytes, the limit is {NAME_LIMIT:,}")
        self._kept += length
        if self._kept > NAMES_LIMIT:
            raise TooLong(NAMES_LIMIT)
        return self.stretch.take(length).decode("utf-8", "backslashreplace")

    def value(self, kind: int, depth: int = 0) -> object:
        """A value of a type: a number, a bool, a text, a list of numbers, or `ArrayOf`."""
        if kind in _SCALARS:
            layout = struct.Struct(self._order + _SCALARS[kind])
            value = layout.unpack(self.stretch.take(layout.size))[0]
            return bool(value) if kind == _BOOL else value
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            return self._array(depth)
        raise Malformed(f"a value of type {kind}")

    def type_of(self, kind: int) -> str:
        """The type of the value that was read last: uint32, or [int32] for a list. kind: its number."""
        return f"[{_WORDS.get(self._listed, '')}]" if kind == _ARRAY else _WORDS[kind]

    def _text(self) -> str:
        length = self.u64()
        kept = min(length, TEXT_KEPT)
        self._kept += kept
        if self._kept > KEPT_LIMIT + NAMES_LIMIT:
            raise TooLong(KEPT_LIMIT)
        text = self.stretch.take(kept).decode("utf-8", "replace")
        self.stretch.skip(length - kept)
        return text

    def _array(self, depth: int) -> object:
        if depth >= NEST_LIMIT:
            raise Malformed(f"nested arrays, more than {NEST_LIMIT} deep")
        kind = self.u32()
        count = self.u64()
        self._listed = kind if depth == 0 else _ARRAY
        if kind in _SCALARS:
            width = struct.Struct(self._order + _SCALARS[kind]).size
            if depth or count > ARRAY_KEPT:
                self.stretch.skip(count * width)
                return ArrayOf(_WORDS[kind], count)
            self._kept += count * 32
            if self._kept > KEPT_LIMIT + NAMES_LIMIT:
                raise TooLong(KEPT_LIMIT)
            raw = self.stretch.take(count * width)
            numbers = list(struct.Struct(f"{self._order}{count}{_SCALARS[kind]}").unpack(raw))
            return [bool(number) for number in numbers] if kind == _BOOL else numbers
        if kind not in (_TEXT, _ARRAY):
            raise Malformed(f"an array of values of type {kind}")
        if kind == _TEXT:
            self._items += count
            if self._items > ITEM_LIMIT:
                raise Malformed(f"arrays of {self._items:,} strings, the limit is {ITEM_LIMIT:,}")
            self._skip_texts(count)
        else:
            self._inner += count
            if self._inner > INNER_LIMIT:
                raise Malformed(f"{self._inner:,} nested arrays, the limit is {INNER_LIMIT:,}")
            for _ in range(count):
                self._array(depth + 1)
        return ArrayOf(_WORDS[kind], count)

    def _skip_texts(self, count: int) -> None:
        """Skips `count` texts. The inner loop takes most of the time for a vocabulary."""
        stretch, unpack = self.stretch, self._u64.unpack_from
        while count:
            buffer, at = stretch.buffer, stretch.at
            end = len(buffer) - 8
            while count and at <= end:
                after: int = at + 8 + unpack(buffer, at)[0]
                if after > end + 8:
                    break
                at = after
                count -= 1
            stretch.at = at
            if count:
                stretch.skip(self.u64())
                count -= 1
