"""Recognises safetensors files that a program read as text: their ASCII header is intact, and the data
became longer.
"""

from __future__ import annotations

from typing import Final

from inspector.findings.finding import Place
from inspector.loader.header_record import Header, unreadable
from inspector.loader.signature import REENCODED, is_reencoded
from inspector.loader.sources.source import Refusal, Source

BEHIND: Final = 4_096
"""Number of bytes that are read after the stated end of the data, which no tensor contains."""


def as_read_back(header: Header, size: int | None, source: Source) -> Header:
    """The header; an unreadable one if the bytes after the stated data show that the data were replaced.

    size: bytes of the file. The first of the bytes read may be the end of a character.
    """
    if not header.findings or size is None:
        return header
    from inspector.findings.header.offsets import DataBehindEnd
    from inspector.findings.reading.content import NotACheckpoint

    if not any(isinstance(finding, DataBehindEnd) for finding in header.findings):
        return header
    end = 8 + header.header_bytes + header.declared_bytes
    behind = source.read_part(header.file, end, min(BEHIND, size - end))
    if isinstance(behind, Refusal) or not is_reencoded(behind.lstrip(bytes(range(0x80, 0xC0)))):
        return header
    return unreadable(header.file, NotACheckpoint(place=Place(file=header.file), what=REENCODED, bytes=size))
