"""Checks how the tensors of a file cover its data: gaps, overlaps, and the length of the data. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.layer_words import layers_of


class Tiling(Struct, frozen=True):
    """end: the end of the last tensor. behind: tensors that begin after a gap. All sizes are in bytes."""

    end: int
    gap_bytes: int
    behind: tuple[str, ...]
    overlapping: tuple[str, ...]


def tiling(spans: Iterable[tuple[int, int, str]], alignment: int = 1) -> Tiling:
    """spans: (begin, end, name) of the tensors, in the order of their places."""
    end = gap_bytes = 0
    behind: list[str] = []
    overlapping: list[str] = []
    for begin, stop, name in spans:
        padded = -(-end // alignment) * alignment
        if begin < end:
            overlapping.append(name)
        elif begin > padded:
            gap_bytes += begin - padded
            behind.append(name)
        end = max(end, stop)
    return Tiling(end, gap_bytes, tuple(behind), tuple(overlapping))


def cut_short(place: Place, declared: int, stored: int, lost_bytes: int, names: Sequence[str]) -> Finding:
    """The finding on a truncated file. declared, stored: bytes of the file. names: truncated tensors."""
    from inspector.findings.shards.files import ShardCut

    return ShardCut(
        place=place,
        declared=declared,
        stored=stored,
        lost_bytes=lost_bytes,
        tensors=len(names),
        names=tuple(names[:NAMES_SHOWN]),
        layers=layers_of(name.replace("blk.", "layers.", 1) for name in names),
    )


def longer(place: Place, declared: int, stored: int) -> Finding:
    """The finding on a file with more data than its tensors need."""
    from inspector.findings.header.offsets import DataBehindEnd

    return DataBehindEnd(place=place, declared=declared, stored=stored, bytes=stored - declared)
