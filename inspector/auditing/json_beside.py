"""Reads a small file beside the weights, and knows whether all files there are listed."""

from __future__ import annotations

import json
from typing import Any, Final

from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint

LARGEST: Final = 1_000_000
"""Bytes of the largest file with settings that is read."""


def object_beside(checkpoint: Checkpoint, name: str, largest: int = LARGEST) -> dict[str, Any]:
    """The object in a JSON file of the folder; empty if there is none. largest: bytes beyond which it is not read."""
    try:
        values: Any = json.loads(_bytes_beside(checkpoint, name, largest))
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def text_beside(checkpoint: Checkpoint, name: str, largest: int = LARGEST) -> str:
    """The text of a file of the folder; empty if there is none in UTF-8."""
    try:
        return _bytes_beside(checkpoint, name, largest).decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _bytes_beside(checkpoint: Checkpoint, name: str, largest: int) -> bytes:
    size = checkpoint.siblings.get(name, 0)
    if checkpoint.reach is None or not 0 < size <= largest:
        return b""
    raw = checkpoint.reach().read_part(name, 0, size)
    return raw if isinstance(raw, bytes) else b""


def is_listed(checkpoint: Checkpoint) -> bool:
    """True if the listing of the folder is complete."""
    whole = bool(checkpoint.set_name) and not checkpoint.alone
    return whole and len(checkpoint.siblings) + len(checkpoint.files) < SIBLINGS_KEPT
