"""Judges numbered shards of which the loader needs the index."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import Loader


def without_index(
    checkpoint: Checkpoint, loader: Loader, findings: tuple[Finding, ...], wanted: str
) -> Iterator[Finding]:
    """The findings on numbered shards, with the one on their index, which the loader needs. wanted: its name."""
    from inspector.findings.shards.index import IndexMissing, IndexRequired, IndexStale, SavesMixed

    if any(isinstance(one, SavesMixed) for one in findings):
        yield from findings
        return
    for one in findings:
        replaced = isinstance(one, IndexStale) and one.place.file == wanted
        if not replaced and not isinstance(one, IndexMissing):
            yield one
    names = tuple(file.name for file in checkpoint.files)
    lacking = any(one.incomplete for one in findings)
    yield IndexRequired(files=len(names), names=names[:NAMES_SHOWN], loader=loader.name, wanted=wanted, lacking=lacking)
