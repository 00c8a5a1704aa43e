"""Checks the members of a PyTorch archive other than the pickle and the storages as torch does.

Source: torch/serialization.py and caffe2/serialize/inline_container.cc of torch 2.13, and measurements with torch on
such archives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.formats.incremental import Read
from inspector.loader.formats.zip_directory import BadArchive, Member, beginning
from inspector.loader.signature import REENCODED, is_reencoded

VERSIONS: Final = range(1, 11)
"""Versions of the format that torch reads."""
_READ: Final = frozenset({"data.pkl", "version", "byteorder", "constants.pkl", ".data/version", ".storage_alignment"})
"""Members that determine how torch reads an archive."""
_MASKED: Final = 1 << 13
LONGEST_ROOT: Final = 511
"""Number of bytes of a member's name in which torch looks for the end of its folder."""
_LONGEST: Final = 64
"""Number of bytes that are read of a member with a word or a number."""
_NUMBER: Final = re.compile(rb"[ \t\n\v\f\r]*([+-]?[0-9]+)")
"""Text that C++ parses as a number; anything may follow it."""

_INTEGER: Final = re.compile(rb"\s*[+-]?[0-9]+(?:_[0-9]+)*\s*")
"""Text that Python parses as an integer."""


def judge_members(read: Read, members: Mapping[str, Member], root: str, place: Place) -> Iterator[Finding]:
    """The findings on members outside of the folder `root`, and on members of the format that are absent or invalid:
    torch refuses the archive in each case.
    """
    outside = tuple(name for name in members if not (root and name.startswith(root)))
    if outside:
        from inspector.findings.header.torch_archive import ArchiveRoots

        shown = tuple(name[:200] for name in outside[:NAMES_SHOWN])
        yield ArchiveRoots(place=place, root=root[:200], others=shown, count=len(outside))
        return
    problems = [*_version(read, members, root), *_byte_order(read, members, root), *_alignment(read, members, root)]
    problems += _others(read, members, root)
    problems += [problem for member in members.values() if (problem := _refused(member))][:NAMES_SHOWN]
    if len(root.encode()) > LONGEST_ROOT:
        problems.append(f"the name of its folder has {len(root.encode()) - 1:,} bytes, {LONGEST_ROOT - 1} are read")
    if f"{root}constants.pkl" in members and not any(name.startswith(f"{root}code/") for name in members):
        problems.append(f"{root[:200]}constants.pkl marks it as TorchScript, but there is no code")
    if problems:
        from inspector.findings.header.torch_archive import ArchiveRefused

        yield ArchiveRefused(place=place, problems=tuple(problems), count=len(problems))


def judge_case(members: Iterable[str], root: str) -> None:
    """Raises BadArchive if a member that torch reads has capitals in its name: torch ignores case, and reads it even if
    another member has the name in small letters.
    """
    for name in members:
        spelled = name.removeprefix(root)
        read = spelled.lower()
        if read != spelled and (read in _READ or read.startswith("data/")):
            raise BadArchive(f"member {name[:100]} has capitals in its name")


def _refused(member: Member) -> str:
    """Why torch refuses a directory with this entry; "" if it does not."""
    if not member.is_text:
        return f"the name of {member.name[:200]} is not UTF-8"
    if member.flags & _MASKED:
        return f"the local record of {member.name[:200]} is encrypted"
    uncompressed = member.plain and not member.has_time  # miniz compares method and time in one, with 0
    if (uncompressed and member.stored != member.size) or (member.size and not member.stored):
        return f"{member.name[:200]} has {member.size:,} bytes in {member.stored:,}"
    return ""


def is_big_endian(read: Read, members: Mapping[str, Member], root: str) -> bool:
    """True if an archive states that its numbers are big-endian."""
    return _text(read, members, f"{root}byteorder") == b"big"


def _version(read: Read, members: Mapping[str, Member], root: str) -> Iterator[str]:
    names = [name for name in (f"{root}.data/version", f"{root}version") if name in members]
    if not names:
        yield f"{root[:200]}version is missing"
        return
    text = _text(read, members, names[0]) or b""
    number = _NUMBER.match(text)
    if number is None or int(number[1]) not in VERSIONS:
        yield f"{names[0][:200]} is {_shown(text)}, not a number from {VERSIONS[0]} to {VERSIONS[-1]}"


def _byte_order(read: Read, members: Mapping[str, Member], root: str) -> Iterator[str]:
    name = f"{root}byteorder"
    text = _text(read, members, name)
    if text is not None and text not in (b"little", b"big"):
        yield f"{name[:200]} is {_shown(text)}, not 'little' or 'big'"


def _alignment(read: Read, members: Mapping[str, Member], root: str) -> Iterator[str]:
    name = f"{root}.storage_alignment"
    text = _text(read, members, name)
    if text is not None and not _INTEGER.fullmatch(text):
        yield f"{name[:200]} is {_shown(text)}, not a number"


def _others(read: Read, members: Mapping[str, Member], root: str) -> Iterator[str]:
    """Problems with members that torch reads without using their content."""
    for name in (f"{root}.data/serialization_id", f"{root}.format_version"):
        try:
            text = beginning(read, members[name], _LONGEST) if name in members else b""
        except BadArchive as bad:
            yield bad.problem
            continue
        if name.endswith("_id") and len(text) < _LONGEST and text.decode("utf-8", "replace").encode() != text:
            yield f"{name[:200]} is not UTF-8"


def _text(read: Read, members: Mapping[str, Member], name: str) -> bytes | None:
    """The beginning of a member; None if it is absent, "" if it cannot be unpacked."""
    member = members.get(name)
    if member is None:
        return None
    try:
        return beginning(read, member, _LONGEST)
    except BadArchive:
        return b""


def _shown(text: bytes) -> str:
    return repr(text[:20].decode("ascii", "backslashreplace"))


def unread_archive(place: Place, bad: BadArchive, size: int, first: bytes) -> Finding:
    """The finding on an archive that cannot be read. first: its first bytes."""
    if is_reencoded(first):
        from inspector.findings.reading.content import NotACheckpoint

        return NotACheckpoint(place=place, what=REENCODED, bytes=size)
    from inspector.findings.header.torch_archive import ArchiveMalformed

    return ArchiveMalformed(place=place, problem=bad.problem, cut=bad.cut, stored=size)
