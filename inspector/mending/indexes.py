"""Writes the index of a set of shards from their headers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from inspector.mending.headers import header_of


def index_text(folder: str, files: Iterable[str], before: str | None) -> str:
    """The text of the index of some shards. before: the index that there was, which keeps its other metadata."""
    weight_map: dict[str, str] = {}
    size = 0
    for file in sorted(files):
        header, _ = header_of(os.path.join(folder, file))
        for name, entry in header.items():
            if name != "__metadata__":
                first, end = entry["data_offsets"]
                weight_map.setdefault(name, os.path.basename(file))
                size += end - first
    metadata = {key: value for key, value in _metadata(before).items() if key != "total_parameters"}
    index = {"metadata": {**metadata, "total_size": size}, "weight_map": dict(sorted(weight_map.items()))}
    return json.dumps(index, indent=2, ensure_ascii=False) + "\n"


def _metadata(before: str | None) -> dict[str, Any]:
    try:
        stored = json.loads(before or "{}")
    except (ValueError, RecursionError):
        return {}
    metadata = stored.get("metadata") if isinstance(stored, dict) else None
    return metadata if isinstance(metadata, dict) else {}
