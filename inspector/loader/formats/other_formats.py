"""One interface to the readers of formats other than safetensors: GGUF, PyTorch, NumPy.

Each reader returns a `Header` like the safetensors reader. Further content of a format (key-values, shared storages) is
kept here until all files of the set are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.budget import Exceeded
from inspector.findings.finding import Finding
from inspector.loader.config_file import Config
from inspector.loader.formats.incremental import Read
from inspector.loader.header_record import Header, Layouts, unreadable
from inspector.loader.sources.source import Forewarned, Listing, Refusal, Source

if TYPE_CHECKING:
    from inspector.loader.formats.gguf import GgufFile


class _Refused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class ExtraContent(Struct, frozen=True):
    """Content of a set in addition to its headers. metadata: GGUF's key-values. ties: names of the same
    stored numbers.
    """

    metadata: Config | None = None
    findings: tuple[Finding, ...] = ()
    ties: tuple[tuple[str, ...], ...] = ()


class OtherReader:
    """Reads the files of one set in another format, one by one."""

    def __init__(self, source: Source, listing: Listing, kind: str, layouts: Layouts) -> None:
        self._source, self._listing, self._kind, self._layouts = source, listing, kind, layouts
        self._parts: list[GgufFile] = []
        self._ties: list[tuple[str, ...]] = []

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, Header | Refusal]]:
        """The headers of files, in the order of the names."""
        for name in names:
            yield name, self._one(name)

    def beyond(self) -> ExtraContent:
        """The content of the files in addition to their headers. Of several parts, the first with an architecture
        counts.
        """
        if self._kind != "gguf":
            return ExtraContent(ties=tuple(self._ties))
        from inspector.loader.formats.gguf import judge_splits

        named = (part for part in self._parts if "general.architecture" in part.values)
        first = next(named, None) or next((part for part in self._parts if part.values), None)
        metadata = None if first is None else Config(first.header.file, dict(first.values), "gguf", types=first.types)
        return ExtraContent(metadata, judge_splits(self._parts, self._listing.files))

    def _one(self, name: str) -> Header | Refusal:
        size = self._listing.files.get(name)
        if size is None:
            found = self._source.read_part(name, 0, 1)
            return found if isinstance(found, Refusal) else Refusal("not-regular", self._listing.others.get(name, ""))
        try:
            return self._header(name, self._reading(name), size)
        except _Refused as refused:
            return refused.refusal
        except Exceeded as exceeded:
            from inspector.loader.over_budget import exceeded_findings

            return unreadable(name, *exceeded_findings(exceeded, name))

    def _header(self, name: str, read: Read, size: int) -> Header:
        if self._kind == "gguf":
            from inspector.loader.formats.gguf import read_gguf

            part = read_gguf(read, size, name, self._layouts)
            self._parts.append(part)
            return part.header
        if self._kind == "numpy":
            from inspector.loader.formats.numpy_file import read_numpy

            return read_numpy(read, size, name)
        from inspector.loader.formats.torch_file import read_torch

        made = read_torch(read, size, name, self._layouts, remote=isinstance(self._source, Forewarned))
        self._ties.extend(made.ties)
        return made.header

    def _reading(self, name: str) -> Read:
        def read(offset: int, length: int) -> bytes:
            found = self._source.read_part(name, offset, length)
            if isinstance(found, Refusal):
                raise _Refused(found)
            return found

        return read
