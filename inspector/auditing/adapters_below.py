"""Other adapters in folders below an adapter's, which PEFT's `save_pretrained` makes of each but the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import PEFT
from inspector.loader.sources.folder import FolderSource

MOST_FOLDERS: Final = 100
"""Folders that are looked into; only those directly below."""


def adapters_below(checkpoint: Checkpoint) -> Iterator[Finding]:
    """That other adapters are in folders of a local adapter's folder."""
    source = checkpoint.reach() if checkpoint.reach is not None and checkpoint.folder else None
    if checkpoint.alone or not isinstance(source, FolderSource):
        return
    folders = [name for name, kind in sorted(source.listing().others.items()) if kind == "directory"]
    found = [name for name in folders[:MOST_FOLDERS] if _holds_adapter(source, name)]
    if found:
        from inspector.findings.adapters.beside import AdaptersBelow

        yield AdaptersBelow(folders=tuple(found[:NAMES_SHOWN]), count=len(found))


def _holds_adapter(source: FolderSource, folder: str) -> bool:
    inside = source.inside(folder)
    files = inside.listing().files if isinstance(inside, FolderSource) else {}
    return PEFT.config in files and any(map(PEFT.finds, files))
