"""An index by its lines, undecoded: enough where the headers then say the same to the last letter.

`"name": "file", "name": "file", ...`: the map's text is cut at what is between two entries, and the
entries are put together by file. Nothing is believed of that. Only where the entries of each file are, letter by
letter, what the names in its header make is the map proven to be JSON and to say just this; a single
difference, and the index is decoded instead. Decoding takes three times as long and twice the memory.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final

from msgspec import Struct

from inspector.loader.index import Index, parse_index

_FIRST: Final = re.compile(
    rb'"weight_map"\s*:\s*\{\s*"(?P<name>[^"\\]*)(?P<between>"\s*:\s*")(?P<file>[^"\\]*)(?P<part>"\s*,\s*")'
)
"""The key of the map, its first entry, and what parts that from the second one."""
OUTLINE_TO: Final = 20_000_000
"""Bytes of the largest one: its entries take some ten times as much memory at worst."""
OUTLINE_FROM: Final = 100_000
"""Bytes of the smallest index that is taken in outline; a smaller one is decoded at once."""


class Outline(Struct, frozen=True):
    """An undecoded index.

    entries: file -> its entries, `name": "file`. between: what parts a name from its file. rest: the index with
    an empty map.
    """

    entries: Mapping[str, list[bytes]]
    between: str
    rest: Index

    @property
    def files(self) -> Collection[str]:
        """The files that it names."""
        return self.entries.keys()

    def promises(self, file: str, names: Collection[str]) -> bool:
        """Whether the entries of a file are these names and no others.

        names: no name twice, and none with a quotation mark, a backslash or a control character.
        """
        said = self.entries.get(file, [])
        if len(said) != len(names) or not names:
            return False
        after = f"{self.between}{file}"
        made = f"{after}\n".join(names).encode().split(b"\n")
        made[-1] += after.encode()
        return made == said or set(made) == set(said)

    def kept(self, promised: Mapping[str, list[str]]) -> Index:
        """The index, once it is proven that it puts these names, each of them once, into these files."""
        return Index(self.rest.file, _Placed(promised), promised, self.rest.metadata, self.rest.findings)


class _Placed(Mapping[str, str]):
    """Tensor -> file, spelled out when it is first asked for."""

    __slots__ = ("_files", "_promised")

    def __init__(self, promised: Mapping[str, list[str]]) -> None:
        self._promised = promised
        self._files: dict[str, str] = {}

    def _spelled(self) -> dict[str, str]:
        if not self._files:
            for file, names in self._promised.items():
                self._files.update(dict.fromkeys(names, file))
        return self._files

    def __getitem__(self, name: str) -> str:
        return self._spelled()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spelled())

    def __len__(self) -> int:
        return sum(map(len, self._promised.values()))


def outlined(raw: bytes, file: str) -> Outline | None:
    """The outline of an index; None where it is too small or too large for one, or of another form."""
    first = _FIRST.search(raw) if OUTLINE_FROM <= len(raw) <= OUTLINE_TO else None
    if first is None:
        return None
    start, close = first.start("name"), raw.find(b"}", first.end())
    stop = raw.rfind(b'"', start, close)
    rest = parse_index(raw[: start - 1] + raw[close:], file)
    if raw[stop + 1 : close].strip(b" \t\r\n") or not isinstance(rest, Index) or rest.weight_map:
        return None
    if rest.findings:
        from inspector.findings.shards.index import IndexTotalType

        if not all(isinstance(finding, IndexTotalType) for finding in rest.findings):
            return None
    entries: dict[str, list[bytes]] = {}
    ending = itemgetter(slice(-len(first["between"] + first["file"]), None))
    for end, run in groupby(raw[start:stop].split(first["part"]), ending):
        name = end.removeprefix(first["between"])
        if name == end or b'"' in name or b"\\" in name or not name.isascii():
            return None
        entries.setdefault(name.decode(), []).extend(run)
    return Outline(entries, first["between"].decode(), rest)
