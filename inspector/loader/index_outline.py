"""Verifies an index without decoding it, if the headers contain exactly the same names.

The map is `"name": "file", "name": "file", ...`: the text of the entries of each file follows from the names in its
header. If the map consists exactly of these texts, each once, it is proven to be JSON with this content. At any
difference the index is decoded instead. Decoding takes several times as long and twice the memory.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import chain, groupby
from operator import itemgetter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.loader.index import Index, parse_index
from inspector.loader.tensor_files import TensorFiles

_FIRST: Final = (
    rb'"weight_map"[ \t\r\n]*:[ \t\r\n]*\{[ \t\r\n]*"(?P<name>[^"\\]*)'
    rb'(?P<between>"[ \t\r\n]*:[ \t\r\n]*")(?P<file>[^"\\]*)(?P<part>"[ \t\r\n]*,[ \t\r\n]*")'
)
"""The key of the map, its first entry, and the text before the second entry."""
OUTLINE_TO: Final = 20_000_000
"""Largest index that is read in outline, in bytes: entries in any order take up to ten times as much memory."""
_FILES: Final = 5_000
"""Most files of an index that is read in outline: with more files, each has too few entries to save time."""
_PROBE: Final = b'"": "-"'
"""An entry that replaces those of the map."""
_PIECE: Final = 1 << 17
"""Bytes of the map that are split at once: small enough for the CPU cache, and no second copy of the map."""


class Outline(Struct, frozen=True):
    """An undecoded index.

    raw: its text, with the entries of the map from `start` to `stop`, without the outer quotation marks. between: the
    text between a name and its file. part: the text between two entries. files: the files that it must name. rest: the
    index with an empty map.
    """

    raw: bytes
    start: int
    stop: int
    between: bytes
    part: bytes
    files: Collection[str]
    rest: Index

    def kept(self, promised: Mapping[str, list[str]]) -> Index | None:
        """The index, if it is proven to map each of these names once to its file; else None.

        promised: names that are distinct, without quotation marks, backslashes and control characters.
        """
        if len(promised) != len(self.files) or not all(promised.values()):
            return None
        if not _in_turn(self, promised) and not _in_name_order(self, promised) and not _mixed(self, promised):
            return None
        return replace(self.rest, weight_map=TensorFiles(promised), promised=promised)


def outlined(raw: bytes, file: str, files: Collection[str]) -> Outline | None:
    """The outline of an index of these files; None if it is too large or has another form."""
    usual = len(raw) <= OUTLINE_TO and 0 < len(files) <= _FILES
    first = re.search(_FIRST, raw) if usual else None
    if first is None or not all(name.isascii() and name.isprintable() and "\\" not in name for name in files):
        return None
    start, close = first.start("name"), raw.find(b"}", first.end())
    stop = raw.rfind(b'"', start, close)
    rest = parse_index(raw[: start - 1] + _PROBE + raw[close:], file)  # not the map if the entry is not found again
    if raw[stop + 1 : close].strip(b" \t\r\n") or not isinstance(rest, Index) or rest.weight_map != {"": "-"}:
        return None
    if rest.findings:
        from inspector.findings.shards.index_content import IndexTotalType

        if not all(isinstance(finding, IndexTotalType) for finding in rest.findings):
            return None
    return Outline(raw, start, stop, first["between"], first["part"], files, replace(rest, weight_map={}, promised={}))


def _in_turn(outline: Outline, promised: Mapping[str, list[str]]) -> bool:
    """True if the map lists the entries of one file after the other, as most writers do."""
    raw, at = outline.raw, outline.start
    unread = dict(promised)
    while True:
        after = outline.between + _file_at(outline, at)
        names = unread.pop(after[len(outline.between) :].decode(errors="replace"), None)
        if names is None:
            return False
        text = (after + outline.part).decode().join(names).encode() + after
        stop = at + len(text)
        if not raw.startswith(text, at):
            last = stop - len(after)
            if not raw.startswith(after, last) or not _same(raw[at:last].split(after + outline.part), names):
                return False
        if stop == outline.stop:
            return not unread
        if not raw.startswith(outline.part, stop):
            return False
        at = stop + len(outline.part)


def _in_name_order(outline: Outline, promised: Mapping[str, list[str]]) -> bool:
    """True if the map lists the entries of these files in the order of their names, as other writers do."""
    raw, part, between = outline.raw, outline.part.decode(), outline.between.decode()
    # only files that are begun and not finished: a second list of all names takes memory
    ordered: dict[str, list[str]] = {}
    unread = [(min(names), file, 0) for file, names in promised.items()]
    heapify(unread)
    at = outline.start
    while unread:
        _, file, first = heappop(unread)
        names = ordered.pop(file, None) or sorted(promised[file])
        last = bisect_left(names, unread[0][0], first) if unread else len(names)
        if last < len(names):
            ordered[file] = names
            heappush(unread, (names[last], file, last))
        after = between + file
        text = ((after + part).join(names[first:last]) + after + (part if unread else "")).encode()
        if not raw.startswith(text, at):
            return False
        at += len(text)
    return at == outline.stop


def _mixed(outline: Outline, promised: Mapping[str, list[str]]) -> bool:
    """True if the map consists of the entries of these files in any order."""
    entries: dict[bytes, list[bytes]] = {}
    ending = itemgetter(slice(-len(outline.between + _file_at(outline, outline.start)), None))
    pieces = (piece.split(outline.part) for piece in _pieces(outline))
    for end, run in groupby(chain.from_iterable(pieces), ending):
        entries.setdefault(end, []).extend(run)
        if len(entries) > len(promised):
            return False
    for file, names in promised.items():
        after = outline.between + file.encode()
        if not _same(entries.pop(after, []), names, after.decode()):
            return False
    return not entries


def _same(found: list[bytes], names: list[str], after: str = "") -> bool:
    """True if these are exactly the (distinct) names, in any order, each followed by the same text."""
    if len(found) != len(names):
        return False
    return set(found) == set((f"{after}\n".join(names) + after).encode().split(b"\n"))


def _file_at(outline: Outline, at: int) -> bytes:
    """The file of the entry at a position; empty if there is none."""
    start = outline.raw.find(outline.between, at, outline.stop) + len(outline.between)
    return outline.raw[start : max(outline.raw.find(b'"', start), start)]


def _pieces(outline: Outline) -> Iterator[bytes]:
    """The text of the entries in pieces, cut between entries."""
    start = outline.start
    while start < outline.stop:
        cut = outline.raw.find(outline.part, start + _PIECE, outline.stop)
        end = outline.stop if cut < 0 else cut
        yield outline.raw[start:end]
        start = end + len(outline.part)
