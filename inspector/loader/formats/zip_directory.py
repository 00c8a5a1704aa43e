"""The directory of a zip archive, as PyTorch and NumPy write them: names, sizes and places. Pure and bounded.

Nothing is unpacked here but the beginning of a member, and no more of that than was asked for. Source:
PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3 (zip64).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from inspector.loader.formats.incremental import Read

TAIL: Final = 65_557
"""Bytes at the end that contain the end record: 22 and the longest comment."""
DIRECTORY_LIMIT: Final = 32_000_000
ENTRY_LIMIT: Final = 200_000
PACKED_LIMIT: Final = 4_000_000
"""Compressed bytes that are looked at to read the beginning of one member."""

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_STORED, _DEFLATED = 0, 8


class Member(Struct, frozen=True):
    """A file of the archive.

    size: uncompressed, stored: compressed, offset: of its local record. has_time: whether its time of day is not 0.
    is_text: whether its name is UTF-8.
    """

    name: str
    size: int
    stored: int
    offset: int
    method: int
    encrypted: bool
    has_time: bool
    is_text: bool

    @property
    def plain(self) -> bool:
        """Whether it is stored uncompressed."""
        return self.method == _STORED and not self.encrypted


class BadArchive(Exception):
    """An archive or one of its members cannot be read. cut: its end is not there."""

    def __init__(self, problem: str, cut: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.cut = problem, cut


def read_directory(read: Read, size: int) -> Mapping[str, Member]:
    """The members by name. Raises BadArchive, also where a name comes twice: two readers would see two files."""
    tail_length = min(size, TAIL)
    tail = read(size - tail_length, tail_length)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise BadArchive("the archive has no end record: it is truncated or not a zip file", True)
    _, disk, _, _, count, length, offset, _ = _END.unpack_from(tail, at)
    end = size - tail_length + at
    if disk not in (0, 0xFFFF):
        raise BadArchive("the archive spans several disks")
    found = _end_of_large(read, tail, at, size)
    if found is not None:
        count, length, offset, end = found
    if count > ENTRY_LIMIT or length > DIRECTORY_LIMIT:
        raise BadArchive(f"the archive states {count:,} members in a directory of {length:,} bytes")
    if offset + length > end:
        raise BadArchive("the directory of the archive is after its end record", True)
    # Bytes before the first member (a script, a stub) move every offset by as much.
    shift = end - length - offset
    raw = read(offset + shift, length)
    if len(raw) < length:
        raise BadArchive("the directory of the archive is truncated", True)
    return _members(raw, count, shift, size)


def _end_of_large(read: Read, tail: bytes, at: int, size: int) -> tuple[int, int, int, int] | None:
    """(members, directory bytes, its offset, where it ends) of a zip64 archive; None where it is none."""
    if at < _LOCATOR.size or tail[at - _LOCATOR.size : at - _LOCATOR.size + 4] != b"PK\x06\x07":
        return None
    _, _, place, _ = _LOCATOR.unpack_from(tail, at - _LOCATOR.size)
    if place + _END64.size > size:
        raise BadArchive("the zip64 end record is after the end of the file", True)
    raw = read(place, _END64.size)
    if len(raw) < _END64.size or raw[:4] != b"PK\x06\x06":
        raise BadArchive("the zip64 end record is not at the stated position")
    *_, count, length, offset = _END64.unpack(raw)
    return count, length, offset, place


def _members(raw: bytes, count: int, shift: int, size: int) -> Mapping[str, Member]:
    members: dict[str, Member] = {}
    at = 0
    for _ in range(count):
        if at + _ENTRY.size > len(raw) or raw[at : at + 4] != b"PK\x01\x02":
            raise BadArchive("the directory of the archive contradicts its end record")
        fields = _ENTRY.unpack_from(raw, at)
        flags, method, time = fields[3:6]
        stored, unpacked, name_length, extra_length, comment_length = fields[8:13]
        offset = fields[16]
        at += _ENTRY.size
        spelled = raw[at : at + name_length]
        name = spelled.decode("utf-8", "backslashreplace")
        extra = raw[at + name_length : at + name_length + extra_length]
        at += name_length + extra_length + comment_length
        if at > len(raw):
            raise BadArchive("the directory of the archive is truncated", True)
        unpacked, stored, offset = _large(extra, unpacked, stored, offset)
        if offset + shift + stored > size:
            raise BadArchive(f"member {name[:100]} is after the end of the file", True)
        if name in members:
            raise BadArchive(f"member {name[:100]} is listed twice in the directory")
        is_text = name.encode() == spelled
        members[name] = Member(name, unpacked, stored, offset + shift, method, bool(flags & 1), bool(time), is_text)
    return members


def _large(extra: bytes, unpacked: int, stored: int, offset: int) -> tuple[int, int, int]:
    """The sizes with those that the zip64 field holds because 32 bits are too few."""
    at = 0
    while at + 4 <= len(extra):
        kind = int.from_bytes(extra[at : at + 2], "little")
        length = int.from_bytes(extra[at + 2 : at + 4], "little")
        if kind == 1:
            numbers = _numbers(extra[at + 4 : at + 4 + length])
            unpacked = next(numbers, unpacked) if unpacked == 0xFFFFFFFF else unpacked
            stored = next(numbers, stored) if stored == 0xFFFFFFFF else stored
            offset = next(numbers, offset) if offset == 0xFFFFFFFF else offset
            break
        at += 4 + length
    return unpacked, stored, offset


def _numbers(raw: bytes) -> Iterator[int]:
    for at in range(0, len(raw) - 7, 8):
        yield int.from_bytes(raw[at : at + 8], "little")


def data_offset(read: Read, member: Member) -> int:
    """Where the bytes of a member begin."""
    raw = read(member.offset, _LOCAL.size)
    if len(raw) < _LOCAL.size or raw[:4] != b"PK\x03\x04":
        raise BadArchive(f"member {member.name[:100]} is not at the listed position")
    name_length, extra_length = _LOCAL.unpack(raw)[-2:]
    return member.offset + _LOCAL.size + int(name_length) + int(extra_length)


def beginning(read: Read, member: Member, most: int) -> bytes:
    """At most `most` unpacked bytes from the beginning of a member, however far it would unpack."""
    if member.encrypted:
        raise BadArchive(f"member {member.name[:100]} is encrypted")
    start = data_offset(read, member)
    if member.method == _STORED:
        return read(start, min(most, member.stored))
    if member.method != _DEFLATED:
        raise BadArchive(f"member {member.name[:100]} uses compression method {member.method}")
    unpacker = zlib.decompressobj(-15)
    try:
        return unpacker.decompress(read(start, min(member.stored, PACKED_LIMIT)), most)
    except zlib.error:
        raise BadArchive(f"member {member.name[:100]} cannot be decompressed") from None
