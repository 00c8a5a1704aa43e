"""Findings that fetching the file again cures."""

from __future__ import annotations

import re

import msgspec

from inspector.findings.finding import Finding, Place, Remedy, Step


def fetch_file(place: Place, words: str = "fetch this file again") -> Remedy:
    """To fetch the file of a place again."""
    return Remedy(words, (Step(action="fetch", file=place.file),) if place.file else ())


class Refetch(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """A file that has to be fetched again.

    repository, revision: where the folder records that it comes from. remote: whether it was read at its source,
    where fetching again gives the same.
    """

    repository: str | None = None
    revision: str | None = None
    remote: bool = False

    def remedy(self) -> Remedy:
        """How to get the file again; the exact command where it is known where the file comes from."""
        return self.fetch_again()

    def fetch_again(self) -> Remedy:
        """How to get the file again; the exact command where it is known where the file comes from."""
        if self.remote:
            return Remedy("it is like this at its source: its owner has to upload it again")
        command = f"hf download {self.repository} {self.place.file or ''} --revision {self.revision} --force-download"
        # Only words that a shell leaves alone: the line is made to be copied.
        plain = re.fullmatch(r"[\w./ -]+", command, re.ASCII) is not None
        return fetch_file(self.place, command) if self.repository and plain else fetch_file(self.place)

    def from_origin(self, repository: str, revision: str) -> Finding:
        """The same, with where the file can be fetched from."""
        return msgspec.structs.replace(self, repository=repository, revision=revision)

    def at_its_source(self) -> Finding:
        """The same, of a file that was read at its source."""
        return msgspec.structs.replace(self, remote=True)
