"""Where the tensors of a safetensors file begin: asked for only where bytes of them are to be read."""

from __future__ import annotations

import json
from collections.abc import Mapping

from inspector.loader.sources.source import Opening, Source


def begins(source: Source, file: str) -> Mapping[str, int]:
    """Tensor -> the byte of the file at which it begins; none where the header cannot be read again.

    The header was judged when the checkpoint was loaded.
    """
    ((_, opening),) = source.read_headers([file])
    if not isinstance(opening, Opening) or opening.header is None:
        return {}
    entries = json.loads(opening.header)
    entries.pop("__metadata__", None)
    before = 8 + len(opening.header)
    return {name: before + entry["data_offsets"][0] for name, entry in entries.items()}
