"""Finds further adapters in subfolders of an adapter's folder: `save_pretrained` of PEFT saves every adapter but the
first there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import PEFT
from inspector.loader.sources.folder import FolderSource

MOST_FOLDERS: Final = 100
"""Most subfolders that are searched; only direct ones."""


def adapters_below(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on further adapters in subfolders of a local adapter's folder."""
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
