"""Sets of weights stored next to the audited set, or instead of it."""

from __future__ import annotations

import msgspec

from inspector.findings.words import count, number


class StoredSet(msgspec.Struct, frozen=True):
    """A set of weights that was not audited. kind: its format."""

    name: str
    files: int
    bytes: int
    kind: str

    def words(self) -> str:
        """Name, format and size."""
        return f"{self.name}: {self.kind}, {count(self.files, 'file')}, {number(self.bytes)} bytes"
