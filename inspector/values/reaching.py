"""From a name to its numbers: where a tensor's bytes lie, as an array that is read when it is looked at.

Files of this machine are mapped to memory; from elsewhere a tensor is fetched whole, which is why there only
named ones are read. Read are safetensors; other formats have no numbers here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from inspector.loader.checkpoint import Checkpoint
from inspector.loader.dtype import BITS
from inspector.loader.folder import FolderSource
from inspector.loader.source import Opening, Source
from inspector.values.comparing import Numbers
from inspector.values.decoding import RAW

if TYPE_CHECKING:
    from inspector.auditing import Audit

FETCHED: Final = 8_000_000_000
"""Bytes of one tensor that are fetched into memory."""


@dataclass(slots=True)
class Store:
    """The tensors of an audited checkpoint, or of one component of a pipeline.

    names: name as the audit has it -> name in the file. begins: file -> name -> where its bytes begin.
    """

    checkpoint: Checkpoint
    source: Source
    names: Mapping[str, str]
    begins: dict[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def is_near(self) -> bool:
        """Whether the files lie on this machine."""
        return isinstance(self.source, FolderSource)

    def numbers(self, name: str) -> Numbers | str:
        """The numbers of a tensor, or why there are none."""
        stored = self.names.get(name, name)
        layout = self.checkpoint.tensors.get(stored)
        file = self.checkpoint.file_of.get(stored)
        if layout is None or file is None:
            return "it is in no file that was read"
        if not file.endswith(".safetensors"):
            return "numbers are read from safetensors only"
        if layout.dtype not in RAW:
            return f"{layout.dtype} is not decoded"
        if stored in self.checkpoint.cut:
            return "its bytes are cut off"
        begin = self._begins(file).get(stored)
        if begin is None:
            return "its file could not be read again"
        kind = np.dtype(RAW[layout.dtype])
        assert kind.itemsize * 8 == BITS[layout.dtype]
        if isinstance(self.source, FolderSource):
            path = os.path.join(self.source.folder, file)
            if not layout.elements:
                return Numbers(np.zeros(layout.shape, kind), layout.dtype)
            return Numbers(np.memmap(path, kind, "r", begin, layout.shape or (1,)), layout.dtype)
        if layout.bytes > FETCHED:
            return f"{layout.bytes:,} bytes are too many to fetch at once"
        raw = self.source.read_part(file, begin, layout.bytes)
        if not isinstance(raw, bytes) or len(raw) != layout.bytes:
            return "it could not be fetched"
        return Numbers(np.frombuffer(raw, kind, prod(layout.shape)).reshape(layout.shape or (1,)), layout.dtype)

    def _begins(self, file: str) -> Mapping[str, int]:
        if file not in self.begins:
            self.begins[file] = {}
            for _, opening in self.source.read_headers([file]):
                if isinstance(opening, Opening) and opening.header is not None:
                    before = 8 + len(opening.header)
                    entries = json.loads(opening.header)
                    entries.pop("__metadata__", None)
                    self.begins[file] = {name: before + entry["data_offsets"][0] for name, entry in entries.items()}
        return self.begins[file]


def store_of(audited: Audit) -> Store | None:
    """The numbers behind an audit; None where its files cannot be reached again."""
    checkpoint = audited.checkpoint
    source = checkpoint.reach() if checkpoint.reach is not None else None
    if source is None:
        return None
    return Store(checkpoint, source, _names(audited))


def _names(audited: Audit) -> dict[str, str]:
    """The name under which the audit has a tensor -> its name in the file."""
    checkpoint, case = audited.checkpoint, audited.case
    if case is None or not case.reading.prefix:
        return dict(checkpoint.stored_as)
    bare = case.reading.bare
    return {bare(name): name for name in checkpoint.tensors}
