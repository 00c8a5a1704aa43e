"""Verifies an index without decoding it, where the headers contain exactly the same text.

`"name": "file", "name": "file", ...`: the text of the map is split at the text between two entries, and the
entries are collected by file. That alone proves nothing. Only where the entries of each file are, character by
character, the text that the names in its header give, the map is proven to be JSON with this content; at any
difference the index is decoded instead. Decoding takes three times as long and twice the memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.loader.index import Index, parse_index
from inspector.loader.tensor_files import TensorFiles

_FIRST: Final = rb'"weight_map"\s*:\s*\{\s*"(?P<name>[^"\\]*)(?P<between>"\s*:\s*")(?P<file>[^"\\]*)(?P<part>"\s*,\s*")'
"""The key of the map, its first entry, and the text before the second entry."""
OUTLINE_TO: Final = 20_000_000
"""Largest index with an outline, in bytes: its entries take up to ten times as much memory."""
FILES_OUTLINED: Final = 5_000
"""Most files of an index with an outline: of many files each has too few entries to gain by it."""
_PIECE: Final = 1 << 17
"""Bytes of the map that are split at once: small enough for the CPU cache, and no second copy of the map."""
OUTLINE_FROM: Final = 100_000
"""Smallest index with an outline, in bytes; a smaller one is decoded at once."""


class Outline(Struct, frozen=True):
    """An undecoded index.

    entries: file -> its entries, `name": "file`. between: the text between a name and its file. rest: the index with
    an empty map.
    """

    entries: dict[str, list[bytes]]
    between: str
    rest: Index

    @property
    def files(self) -> Collection[str]:
        """The files that the index names."""
        return self.entries.keys()

    def promises(self, file: str, names: Collection[str]) -> bool:
        """Whether the entries of a file are exactly these names. They are asked for once, and take no memory after it.

        names: distinct, without quotation marks, backslashes and control characters.
        """
        said = self.entries.get(file, [])
        if len(said) != len(names) or not names:
            return False
        self.entries[file] = []
        after = f"{self.between}{file}"
        made = f"{after}\n".join(names).encode().split(b"\n")
        made[-1] += after.encode()
        return made == said or set(made) == set(said)

    def kept(self, promised: Mapping[str, list[str]]) -> Index:
        """The index, after it is proven that it maps each of these names once to these files."""
        return replace(self.rest, weight_map=TensorFiles(promised), promised=promised)


def outlined(raw: bytes, file: str) -> Outline | None:
    """The outline of an index; None where it is too small or too large, or has another form."""
    first = re.search(_FIRST, raw) if OUTLINE_FROM <= len(raw) <= OUTLINE_TO else None
    if first is None:
        return None
    start, close = first.start("name"), raw.find(b"}", first.end())
    stop = raw.rfind(b'"', start, close)
    rest = parse_index(raw[: start - 1] + raw[close:], file)
    if raw[stop + 1 : close].strip(b" \t\r\n") or not isinstance(rest, Index) or rest.weight_map:
        return None
    if rest.findings:
        from inspector.findings.shards.index_content import IndexTotalType

        if not all(isinstance(finding, IndexTotalType) for finding in rest.findings):
            return None
    entries: dict[str, list[bytes]] = {}
    ending = itemgetter(slice(-len(first["between"] + first["file"]), None))
    pieces = _pieces(raw, start, stop, first["part"])
    for end, run in groupby(chain.from_iterable(piece.split(first["part"]) for piece in pieces), ending):
        name = end.removeprefix(first["between"])
        if name == end or b'"' in name or b"\\" in name or not name.isascii():
            return None
        entries.setdefault(name.decode(), []).extend(run)
        if len(entries) > FILES_OUTLINED:
            return None
    return Outline(entries, first["between"].decode(), rest)


def _pieces(raw: bytes, start: int, stop: int, part: bytes) -> Iterator[bytes]:
    """The entries from `start` to `stop`, cut where two entries meet."""
    while start < stop:
        cut = raw.find(part, start + _PIECE, stop)
        end = stop if cut < 0 else cut
        yield raw[start:end]
        start = end + len(part)
