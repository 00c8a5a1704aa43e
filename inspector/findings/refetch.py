"""Findings with the remedy to download the file again."""

from __future__ import annotations

import re

import msgspec

from inspector.findings.finding import Finding, Place, Remedy, Step
from inspector.findings.words import first, number


def fetch_file(place: Place, words: str = "download this file again") -> Remedy:
    """Remedy: download the file again."""
    return Remedy(words, (Step(action="fetch", file=place.file),) if place.file else ())


class Refetch(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """A file that must be downloaded again.

    repository, revision: origin of the file as recorded in the folder. remote: the file was read from there, so that
    another download does not help. unfinished: partial files of downloads of these files, one for each file.
    """

    repository: str | None = None
    revision: str | None = None
    remote: bool = False
    unfinished: tuple[str, ...] = ()

    def remedy(self) -> Remedy:
        """How to download the file again, with the exact command if its repository is known."""
        return self.fetch_again()

    def fetch_again(self) -> Remedy:
        """How to download the file again, with the exact command if its repository is known."""
        if self.remote:
            return Remedy("ask its owner to upload it again: the source has the same error")
        several, listed = self.lost_files()
        if self.same_fault_in and self.place.file:
            several, listed = 1 + len(self.same_fault_in), (self.place.file, *self.same_fault_in)
        files = listed if several else (self.place.file,) if self.place.file else ()
        folder = f"{self.from_component.name}/" if self.from_component is not None else ""
        named = [f"{folder}{file}" for file in files] if len(files) >= several else ()  # else the whole repository
        command = " ".join(
            ("hf download", self.repository or "", *named, "--revision", self.revision or "", "--force-download")
        )
        # Only words that a shell does not change, since the line is meant to be copied.
        plain = re.fullmatch(r"[\w./ -]+", command, re.ASCII) is not None
        words = command if self.repository and plain else f"download {'these files' if several else 'this file'} again"
        return Remedy(f"{self._finish()}{words}", tuple(Step(action="fetch", file=file) for file in files))

    def _finish(self) -> str:
        """The first half of the advice if the download is unfinished; "" otherwise."""
        if not self.unfinished:
            return ""
        parts, folder = len(self.unfinished), self.unfinished[0].rpartition("/")[0]
        if self.unfinished[0].endswith(".incomplete"):  # names of hashes, which say nothing to a reader
            one = "a partial file" if parts == 1 else f"{number(parts)} partial files"
            return f"let the download finish that left {one} in {folder or 'this folder'}, or "
        listed = first(self.unfinished, parts, 2)
        if self.unfinished[0].endswith(".aria2"):
            return f"let aria2 finish the download (aria2c -c) that {listed} belongs to, or "
        return f"let the download finish that {listed} belongs to, or "

    def lost_files(self) -> tuple[int, tuple[str, ...]]:
        """(number of files of the finding, the first of them), if they are several and `place` has
        none; else (0, ()).
        """
        return 0, ()

    def from_origin(self, repository: str, revision: str) -> Finding:
        """The same finding with the repository of the file."""
        return msgspec.structs.replace(self, repository=repository, revision=revision)

    def at_its_source(self) -> Finding:
        """The same finding for a file that was read from its original location."""
        return msgspec.structs.replace(self, remote=True)
