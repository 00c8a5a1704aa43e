"""Sizes of the model to which a shard belongs, where they differ from the config."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from inspector.findings.finding import Rows


class SizeOfShard(Struct, frozen=True):
    """A key of the config: its value there, and the value that the shapes in one shard show."""

    key: str
    config: int
    shard: int


def sizes_of_shard(sizes: Iterable[SizeOfShard]) -> Rows:
    """One row for each size."""
    return [(one.key, f"{one.shard} in this file, {one.config} in the config") for one in sizes]
