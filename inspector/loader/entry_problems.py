"""Collects the problems with the entries of one header by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inspector.findings.finding import Place

if TYPE_CHECKING:
    from inspector.findings.header.entries import Entries, HeaderEntry

ENTRIES_KEPT: Final = 20
"""Most entries of one kind that are kept; the others are only counted."""


class EntryProblems:
    """The first entries with each kind of problem, and the number of all such entries."""

    def __init__(self) -> None:
        self._kept: dict[type[Entries], list[HeaderEntry]] = {}
        self._counts: dict[type[Entries], int] = {}
        self._latest: dict[type[Entries], str] = {}

    def add(self, kind: type[Entries], entry: HeaderEntry) -> None:
        """Keeps or counts an entry."""
        kept = self._kept.setdefault(kind, [])
        self._counts[kind] = self._counts.get(kind, 0) + 1
        self._latest[kind] = entry.tensor
        if len(kept) < ENTRIES_KEPT:
            kept.append(entry)

    def add_once(self, kind: type[Entries], entry: HeaderEntry) -> None:
        """Like `add`, but ignores a second problem of this kind in the same entry."""
        if self._latest.get(kind) != entry.tensor:
            self.add(kind, entry)

    def findings(self, file: str) -> list[Entries]:
        """One finding for each kind, in the order of their first entries."""
        return [
            kind(place=Place(file=file), tensors=self._counts[kind], cases=tuple(kept))
            for kind, kept in self._kept.items()
        ]
