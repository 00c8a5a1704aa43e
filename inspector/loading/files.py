"""What a loader that looks for fixed file names does with a checkpoint, if its files already decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.findings.finding import NO_FILE
from inspector.loader.checkpoint import SIBLINGS_KEPT
from inspector.loader.loaders import INDEX, NAMED_ENDINGS, TRANSFORMERS, WEIGHTS_KEY, named_weights
from inspector.loading.outcome import REFUSES, UNKNOWN

if TYPE_CHECKING:
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loader.loaders import Loader


def taken_file(loader: Loader, checkpoint: Checkpoint) -> str | None:
    """The file or index that the loader reads: the one that the config names, or the first of its names that exists."""
    named = _named(loader, checkpoint)
    return named or next((name for name in loader.files if name in _present(checkpoint)), None)


def refused_name(checkpoint: Checkpoint) -> str:
    """Why transformers refuses the file that the config names for the weights; "" if it reads it.

    Measured with 4.57 and 5.23; 4.57 does not refuse a file outside the folder, of which nothing is known here.
    """
    named = _named(TRANSFORMERS, checkpoint)
    if named.startswith("/") or ".." in named.split("/"):
        return f"{WEIGHTS_KEY} names {named}, which is outside the folder"
    if named and not named.endswith(NAMED_ENDINGS):
        return f"{WEIGHTS_KEY} names {named}, which ends neither in {' nor in '.join(NAMED_ENDINGS)}"
    absent = named and "/" not in named and named not in _present(checkpoint)
    return (
        f"{WEIGHTS_KEY} names {named}, which is absent" if absent and len(checkpoint.siblings) < SIBLINGS_KEPT else ""
    )


def _named(loader: Loader, checkpoint: Checkpoint) -> str:
    config = checkpoint.config
    return "" if loader is not TRANSFORMERS or config is None else named_weights(config.values)


def _present(checkpoint: Checkpoint) -> set[str]:
    there = {file.name for file in checkpoint.files} | checkpoint.siblings.keys() | checkpoint.lost.keys()
    return there | {checkpoint.set_name} | (set() if checkpoint.index is None else {checkpoint.index.file})


def decided_by_files(loader: Loader, checkpoint: Checkpoint, problem: str) -> tuple[str, str] | None:
    """(outcome, reason); None if all files that it reads can be opened. problem: why a file cannot be opened, or ""."""
    index, readable = checkpoint.index, {file.name for file in checkpoint.files}
    taken = taken_file(loader, checkpoint)
    if loader is TRANSFORMERS and (refused := refused_name(checkpoint)):
        return REFUSES, refused
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
