"""Reads a small JSON file beside the weights, and knows whether all files there are listed."""

from __future__ import annotations

import json
from typing import Any, Final

from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint

LARGEST: Final = 1_000_000
"""Bytes of the largest file with settings that is read."""


def object_beside(checkpoint: Checkpoint, name: str, largest: int = LARGEST) -> dict[str, Any]:
    """The object in a JSON file of the folder; empty if there is none. largest: bytes beyond which it is not read."""
    size = checkpoint.siblings.get(name, 0)
    if checkpoint.reach is None or not 0 < size <= largest:
        return {}
    raw = checkpoint.reach().read_part(name, 0, size)
    try:
        values: Any = json.loads(raw) if isinstance(raw, bytes) else None
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def is_listed(checkpoint: Checkpoint) -> bool:
    """True if the listing of the folder is complete."""
    whole = bool(checkpoint.set_name) and not checkpoint.alone
    return whole and len(checkpoint.siblings) + len(checkpoint.files) < SIBLINGS_KEPT
