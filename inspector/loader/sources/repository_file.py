"""A file of a repository as the Hub's tree states it."""

from __future__ import annotations

from msgspec import Struct


class RepositoryFile(Struct, frozen=True):
    """size in bytes. sha256: of the content, of large files only; oid: git's name of the content of small ones."""

    size: int
    sha256: str | None = None
    oid: str | None = None
