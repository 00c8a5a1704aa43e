"""Writes the index of a set of shards from their headers, or from the pickles of PyTorch files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from inspector.loader.formats.torch_file import read_torch
from inspector.mending.headers import header_of


def index_text(folder: str, files: Iterable[str], before: str | None) -> str:
    """The text of the index of some shards. before: the text of the old index, from which other metadata is kept."""
    weight_map: dict[str, str] = {}
    size = 0
    for file in sorted(files):
        for name, stored in _tensors(os.path.join(folder, file)).items():
            weight_map.setdefault(name, os.path.basename(file))
            size += stored
    metadata = {key: value for key, value in _metadata(before).items() if key != "total_parameters"}
    index = {"metadata": {**metadata, "total_size": size}, "weight_map": dict(sorted(weight_map.items()))}
    return json.dumps(index, indent=2, ensure_ascii=False) + "\n"


def _tensors(path: str) -> dict[str, int]:
    """The names of a file's tensors with their bytes. Raises OSError, ValueError."""
    if path.endswith(".safetensors"):
        header, _ = header_of(path)
        spans = {name: entry["data_offsets"] for name, entry in header.items() if name != "__metadata__"}
        return {name: end - first for name, (first, end) in spans.items()}
    with open(path, "rb") as file:

        def read(start: int, length: int) -> bytes:
            file.seek(start)
            return file.read(length)

        found = read_torch(read, os.path.getsize(path), os.path.basename(path))
    if not found.header.readable or found.inside:
        raise ValueError(f"{os.path.basename(path)} is not a state dict")
    return {name: layout.bytes for name, layout in found.header.tensors.items()}


def _metadata(before: str | None) -> dict[str, Any]:
    try:
        stored = json.loads(before or "{}")
    except (ValueError, RecursionError):
        return {}
    metadata = stored.get("metadata") if isinstance(stored, dict) else None
    return metadata if isinstance(metadata, dict) else {}
