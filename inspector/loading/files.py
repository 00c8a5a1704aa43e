"""What a loader that looks for fixed file names does with a checkpoint, if its files already decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.findings.finding import NO_FILE
from inspector.loader.loaders import INDEX
from inspector.loading.outcome import REFUSES, UNKNOWN

if TYPE_CHECKING:
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loader.loaders import Loader


def taken_file(loader: Loader, checkpoint: Checkpoint) -> str | None:
    """The file or index that the loader reads: the first of its names that exists."""
    there = {file.name for file in checkpoint.files} | checkpoint.siblings.keys() | checkpoint.lost.keys()
    there |= {checkpoint.set_name} if checkpoint.index is None else {checkpoint.set_name, checkpoint.index.file}
    return next((name for name in loader.files if name in there), None)


def decided_by_files(loader: Loader, checkpoint: Checkpoint, problem: str) -> tuple[str, str] | None:
    """(outcome, reason); None if all files that it reads can be opened. problem: why a file cannot be opened, or ""."""
    index, readable = checkpoint.index, {file.name for file in checkpoint.files}
    taken = taken_file(loader, checkpoint)
    if taken is None:
        return REFUSES, f"{NO_FILE} {' or '.join(map(loader.single, loader.stems))}"
    if index is not None and taken == index.file:
        if index.without_metadata:
            return REFUSES, f"{index.file} has no metadata (KeyError)"
        absent = next((name for name in index.files if name not in readable), None)
        if absent is not None:
            return REFUSES, f"{absent} is absent, or cannot be read"
    elif taken not in readable:
        if taken == checkpoint.set_name:
            return REFUSES, f"{taken} cannot be read"
        if taken.endswith(INDEX) and not any(one.name == taken and one.files for one in checkpoint.other_sets):
            return REFUSES, f"it reads {taken}, whose shards are absent"
        return UNKNOWN, f"it reads {taken}, which was not audited"
    return (REFUSES, problem) if problem else None
