"""Files of other formats than safetensors behind one door: GGUF, PyTorch, NumPy.

A reader gives the same `Header` as the safetensors reader does; what a format knows beyond it (a config in its
key-values, names of its own, shared storages) is kept here until all files of the set are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from inspector.findings.finding import Finding
from inspector.loader.config_file import Config
from inspector.loader.formats.gguf import GgufFile, judge_splits, read_gguf
from inspector.loader.formats.gguf_config import config_of, names_of, read_by_role
from inspector.loader.formats.gguf_names import positions_renamed, renamed
from inspector.loader.formats.incremental import Read
from inspector.loader.formats.numpy_file import read_numpy
from inspector.loader.formats.torch_file import read_torch
from inspector.loader.header_record import Header, Layouts
from inspector.loader.layout import Layout
from inspector.loader.sources.source import Listing, Refusal, Source


class _Refused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Told:
    """What a set says beyond its headers.

    tensors: under the names that the cards know. stored_as: such a name -> the name in the file, where they differ.
    config: what stands in for a config.json. ties: names of one and the same numbers.
    """

    tensors: dict[str, Layout]
    stored_as: Mapping[str, str] = field(default_factory=dict)
    config: Config | None = None
    evidence: tuple[Finding, ...] = ()
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

    def told(self, tensors: dict[str, Layout]) -> Told:
        """What is known when all files were read. tensors: of all of them, under the files' names."""
        if self._kind != "gguf":
            return Told(tensors, ties=tuple(self._ties))
        evidence = judge_splits(self._parts)
        own = next((part for part in self._parts if read_by_role(part.values)), None)
        if own is not None:
            values = config_of(own.values, tensors)
            config = None if values is None else Config(own.header.file, values, "config")
            made, stored_as = positions_renamed(tensors)
            return Told(made, stored_as, config, evidence)
        first = next((part for part in self._parts if names_of(part.values) is not None), None)
        names = None if first is None else names_of(first.values)
        if first is None or names is None:
            return Told(tensors, evidence=evidence)
        values = config_of(first.values, tensors)
        config = None if values is None else Config(first.header.file, values, "config")
        made, stored_as = renamed(names, tensors)
        return Told(made, stored_as, config, evidence)

    def _one(self, name: str) -> Header | Refusal:
        size = self._listing.files.get(name)
        if size is None:
            found = self._source.read_part(name, 0, 1)
            return found if isinstance(found, Refusal) else Refusal("not-regular", self._listing.others.get(name, ""))
        try:
            return self._header(name, self._reading(name), size)
        except _Refused as refused:
            return refused.refusal

    def _header(self, name: str, read: Read, size: int) -> Header:
        if self._kind == "gguf":
            part = read_gguf(read, size, name, self._layouts)
            self._parts.append(part)
            return part.header
        if self._kind == "numpy":
            return read_numpy(read, size, name)
        made = read_torch(read, size, name, self._layouts)
        self._ties.extend(made.ties)
        return made.header

    def _reading(self, name: str) -> Read:
        def read(offset: int, length: int) -> bytes:
            found = self._source.read_part(name, offset, length)
            if isinstance(found, Refusal):
                raise _Refused(found)
            return found

        return read
