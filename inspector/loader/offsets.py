"""Byte offsets of the tensors of a safetensors file, which are read only if values of tensors are needed."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.loader import strict_json
from inspector.loader.sources.source import Opening, Source


def begins(source: Source, file: str) -> Mapping[str, int]:
    """Tensor -> its first byte in the file; empty if the header cannot be read again.

    The header was checked when the checkpoint was loaded; invalid entries are left out.
    """
    ((_, opening),) = source.read_headers([file])
    if not isinstance(opening, Opening) or opening.header is None:
        return {}
    entries = strict_json.decode_quick(opening.header)
    if not isinstance(entries, dict):
        return {}
    before = 8 + len(opening.header)
    starts = {name: _begin(entry) for name, entry in entries.items() if name != "__metadata__"}
    return {name: before + start for name, start in starts.items() if start is not None}


def _begin(entry: object) -> int | None:
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    begin = offsets[0] if isinstance(offsets, list) and offsets else None
    return begin if type(begin) is int and begin >= 0 else None
