"""Reads the directory of a zip archive as PyTorch and NumPy write it: names, sizes and positions. Pure and bounded.

At most the beginning of a member is unpacked, and no more bytes than requested. Source: PKWARE's APPNOTE.TXT 6.3.10,
sections 4.3 and 4.5.3 (zip64).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from inspector.budget import spend
from inspector.loader.formats.incremental import Read

TAIL: Final = 65_557
"""Bytes at the end that contain the end record: 22 and the longest comment."""
DIRECTORY_LIMIT: Final = 32_000_000
ENTRY_LIMIT: Final = 200_000
PACKED_LIMIT: Final = 4_000_000
"""Most compressed bytes that are read to unpack the beginning of one member."""
EXTRA_A_STEP: Final = 16
"""Bytes of extra fields that cost one step of the budget."""

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_ELSEWHERE: Final = 0xFFFFFFFF
"""Represents a size or offset that is in the zip64 field instead."""
_STORED, _DEFLATED = 0, 8
_ENCRYPTED: Final = 1 | 1 << 5 | 1 << 6
"""Flags of members that are encrypted, a patch, or strongly encrypted."""
_FOLDER: Final = 1 << 4
"""The attribute of a folder in DOS."""


class Member(Struct, frozen=True):
    """A file in the archive.

    size: uncompressed, stored: compressed, offset: of its local record. flags: of the directory's entry. has_time: its
    time of day is not 0. is_text: its name is UTF-8.
    """

    name: str
    size: int
    stored: int
    offset: int
    method: int
    flags: int
    has_time: bool
    is_text: bool

    @property
    def encrypted(self) -> bool:
        """True if the member is encrypted, or a patch of another file."""
        return bool(self.flags & _ENCRYPTED)

    @property
    def plain(self) -> bool:
        """True if the member is stored uncompressed."""
        return self.method == _STORED and not self.encrypted


class BadArchive(Exception):
    """Raised if an archive or a member cannot be read. cut: the end of the archive is missing."""

    def __init__(self, problem: str, cut: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.cut = problem, cut


def read_directory(read: Read, size: int, *, prefixed: bool = False) -> Mapping[str, Member]:
    """The members by name. Raises BadArchive, also if two readers could read the archive differently.

    prefixed: other bytes such as a script may precede the archive, as Python allows and torch does not.
    """
    tail_length = min(size, TAIL)
    tail = read(size - tail_length, tail_length)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise BadArchive("the archive has no end record: it is truncated or not a zip file", True)
    _, *disks, here, count, length, offset, _ = _END.unpack_from(tail, at)
    end = size - tail_length + at
    found = _end_of_large(read, tail, at, end)
    if found is not None:
        disks, here, count, length, offset = found
        end -= _LOCATOR.size + _END64.size
    if any(disks) or here != count:
        raise BadArchive("the archive spans several disks")
    if count > ENTRY_LIMIT or length > DIRECTORY_LIMIT:
        raise BadArchive(f"the archive states {count:,} members in a directory of {length:,} bytes")
    if offset + length > end:
        raise BadArchive("the directory of the archive is after its end record", True)
    shift = end - length - offset
    if shift and not prefixed:
        raise BadArchive(f"the offsets of the archive differ by {shift:,} bytes from where its directory is")
    raw = read(offset + shift, length)
    if len(raw) < length:
        raise BadArchive("the directory of the archive is truncated", True)
    return _members(raw, count, shift, size)


def _end_of_large(read: Read, tail: bytes, at: int, end: int) -> tuple[list[int], int, int, int, int] | None:
    """(its disks, members on this disk, members, bytes of the directory, its offset) of a zip64 archive; None for other
    archives. end: position of the ordinary end record.
    """
    if at < _LOCATOR.size or tail[at - _LOCATOR.size : at - _LOCATOR.size + 4] != b"PK\x06\x07":
        return None
    place = end - _LOCATOR.size - _END64.size
    _, disk, stated, disks = _LOCATOR.unpack_from(tail, at - _LOCATOR.size)
    if stated > place or disk or disks != 1:
        raise BadArchive("the zip64 end record is after the end of the file", True)
    raw = read(place, _END64.size)
    if len(raw) < _END64.size or raw[:4] != b"PK\x06\x06":
        raise BadArchive("the zip64 end record is not at the stated position")
    _, record, _, _, disk, first, here, count, length, offset = _END64.unpack(raw)
    if record != _END64.size - 12 or stated != offset + length:
        raise BadArchive("the zip64 end record contradicts its position")
    return [disk, first], here, count, length, offset


def _members(raw: bytes, count: int, shift: int, size: int) -> Mapping[str, Member]:
    members: dict[str, Member] = {}
    at = 0
    for _ in range(count):
        if at + _ENTRY.size > len(raw) or raw[at : at + 4] != b"PK\x01\x02":
            raise BadArchive("the directory of the archive contradicts its end record")
        fields = _ENTRY.unpack_from(raw, at)
        flags, method, time = fields[3:6]
        stored, unpacked, name_length, extra_length, comment_length, disk, _, attributes, offset = fields[8:]
        at += _ENTRY.size
        spelled = raw[at : at + name_length]
        name = spelled.decode("utf-8", "backslashreplace")
        extra = raw[at + name_length : at + name_length + extra_length]
        at += name_length + extra_length + comment_length
        if at > len(raw):
            raise BadArchive("the directory of the archive is truncated", True)
        spend(1 + len(extra) // EXTRA_A_STEP, "the members of the archive")
        if _ELSEWHERE in (unpacked, stored, offset):
            unpacked, stored, offset = _large(extra, unpacked, stored, offset)
        if offset + shift + _LOCAL.size + stored > size:
            raise BadArchive(f"member {name[:100]} is after the end of the file", True)
        if disk > 1:
            raise BadArchive(f"member {name[:100]} is on another disk")
        if name in members or "\0" in name:
            raise BadArchive(f"member {name[:100]} is listed twice in the directory")
        if attributes & _FOLDER and stored:
            raise BadArchive(f"member {name[:100]} is marked as a folder")
        is_text = name.encode() == spelled
        members[name] = Member(name, unpacked, stored, offset + shift, method, flags, bool(time), is_text)
    return members


def _large(extra: bytes, unpacked: int, stored: int, offset: int) -> tuple[int, int, int]:
    """The sizes and the offset, read from the zip64 field if 32 bits are too few for them."""
    at = 0
    while at + 4 <= len(extra):
        kind = int.from_bytes(extra[at : at + 2], "little")
        length = int.from_bytes(extra[at + 2 : at + 4], "little")
        if kind == 1:
            numbers = _numbers(extra[at + 4 : at + 4 + length])
            unpacked = next(numbers, unpacked) if unpacked == _ELSEWHERE else unpacked
            stored = next(numbers, stored) if stored == _ELSEWHERE else stored
            offset = next(numbers, offset) if offset == _ELSEWHERE else offset
            break
        at += 4 + length
    return unpacked, stored, offset


def _numbers(raw: bytes) -> Iterator[int]:
    for at in range(0, len(raw) - 7, 8):
        yield int.from_bytes(raw[at : at + 8], "little")


def data_offset(read: Read, member: Member) -> int:
    """The position of the bytes of a member."""
    raw = read(member.offset, _LOCAL.size)
    if len(raw) < _LOCAL.size or raw[:4] != b"PK\x03\x04":
        raise BadArchive(f"member {member.name[:100]} is not at the listed position")
    name_length, extra_length = _LOCAL.unpack(raw)[-2:]
    return member.offset + _LOCAL.size + int(name_length) + int(extra_length)


def why_unreadable(read: Read | None, member: Member, size: int) -> str:
    """Why the bytes of a member cannot be read; "" if they can. read: None if only the directory is known."""
    if member.encrypted:
        return f"member {member.name[:100]} is encrypted"
    if member.method not in (_STORED, _DEFLATED):
        return f"member {member.name[:100]} uses compression method {member.method}"
    try:
        start = 0 if read is None else data_offset(read, member)
    except BadArchive as bad:
        return bad.problem
    return f"member {member.name[:100]} is after the end of the file" if start + member.stored > size else ""


def beginning(read: Read, member: Member, most: int) -> bytes:
    """At most `most` unpacked bytes from the beginning of a member, however large it is unpacked."""
    problem = why_unreadable(None, member, member.offset + member.stored)
    if problem:
        raise BadArchive(problem)
    start = data_offset(read, member)
    if member.method == _STORED:
        raw = read(start, min(most, member.stored))
        if len(raw) < min(most, member.stored):
            raise BadArchive(f"member {member.name[:100]} is after the end of the file", True)
        return raw
    unpacker = zlib.decompressobj(-15)
    try:
        return unpacker.decompress(read(start, min(member.stored, PACKED_LIMIT)), most)
    except zlib.error:
        raise BadArchive(f"member {member.name[:100]} cannot be decompressed") from None
