"""Finds shards that an index lists and that are in a folder below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.loader.sources.source import Listing, Refusal, Source

FOLDERS_SEARCHED: Final = 20


def with_files_below(findings: Sequence[Finding], source: Source, listing: Listing) -> list[Finding]:
    """Adds to findings on missing shards the subfolder that contains all of them.

    Only the first folders of the place are searched, and only if a shard is missing.
    """
    if not any(one.incomplete for one in findings):
        return list(findings)
    from inspector.findings.shards.files import ShardMissing

    return [
        replace(one, below=_folder_with(one.lost_files()[1] or (str(one.place.file),), source, listing))
        if isinstance(one, ShardMissing) and not one.link
        else one
        for one in findings
    ]


def _folder_with(names: Sequence[str], source: Source, listing: Listing) -> str:
    folders = sorted(name for name, kind in listing.others.items() if kind == "directory" and not name.startswith("."))
    for folder in folders[:FOLDERS_SEARCHED]:
        inner = source.inside(folder)
        if not isinstance(inner, Refusal) and inner.listing().files.keys() >= set(names):
            return folder
    return ""
