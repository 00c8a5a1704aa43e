"""What lies beside the audited weights, or in the place of any: other sets, halves of downloads, pointers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from inspector.evidence import Evidence, Fact, Place
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.source import Forewarned, Listing, Refusal, Source
from inspector.loader.weight_sets import WeightSet

NAMES_SHOWN: Final = 20
_HALVES: Final = (".incomplete", ".aria2", ".part", ".crdownload")


@dataclass(frozen=True, slots=True)
class OtherSet:
    """Weights beside the audited ones. kind: "safetensors", "pytorch", "gguf", "flax", ..."""

    name: str
    files: tuple[str, ...]
    bytes: int
    kind: str


_SINGLE: Final = "model.safetensors"
"""Taken by transformers before it looks for an index (`_get_resolved_checkpoint_files`)."""


def others_of(
    sets: tuple[WeightSet, ...], audited: WeightSet, names: Mapping[str, None], sizes: Mapping[str, int]
) -> tuple[OtherSet, ...]:
    others = []
    for one in sets:
        files = tuple(name for name in one.files if name not in names)
        if one.name != audited.name and files:
            others.append(OtherSet(one.name, files, sum(sizes[name] for name in files), one.kind))
    return tuple(others)


def other_weights(audited: WeightSet, others: tuple[OtherSet, ...], audited_bytes: int) -> Evidence:
    rows: list[Fact] = [
        {"name": one.name, "files": len(one.files), "bytes": one.bytes, "kind": one.kind}
        for one in others[:NAMES_SHOWN]
    ]
    total = sum(one.bytes for one in others)
    facts: dict[str, Fact] = {
        "audited": audited.name,
        "audited_bytes": audited_bytes,
        "sets": rows,
        "count": len(others),
        "bytes": total,
    }
    if audited.index == "model.safetensors.index.json" and any(one.name == _SINGLE for one in others):
        facts["loaded_first"] = _SINGLE
    return Evidence("other-weights", Place(file=audited.name), facts)


def no_weights(source: Source, sets: tuple[WeightSet, ...], listing: Listing) -> Evidence:
    rows: list[Fact] = [
        {"name": one.name, "files": len(one.files), "bytes": one.bytes, "kind": one.kind} for one in sets[:NAMES_SHOWN]
    ]
    halves = [name for name in listing.files if name.endswith(_HALVES)]
    facts: dict[str, Fact] = {
        "sets": rows,
        "count": len(sets),
        "files": len(listing.files),
        "complete": listing.complete,
        "unfinished": halves[:NAMES_SHOWN],
    }
    return Evidence("no-weights", Place(), facts)


_POINTER_LIMIT: Final = 100_000
"""Bytes of a pointer or a page: over a network, larger files are not asked whether they are one."""


def sniffed(source: Source, sets: tuple[WeightSet, ...], sizes: Mapping[str, int]) -> list[Evidence]:
    """Files of other formats that are a pointer or a page instead of weights."""
    found: list[Evidence] = []
    remote = isinstance(source, Forewarned)
    for one in sets[:NAMES_SHOWN]:
        for name in one.files[:NAMES_SHOWN]:
            if remote and sizes.get(name, 0) > _POINTER_LIMIT:
                continue
            first = source.read_part(name, 0, SNIFF_BYTES)
            if isinstance(first, Refusal):
                continue
            what = recognise(first, None if len(first) == SNIFF_BYTES else len(first))
            if what in ("git-lfs-pointer", "html", "refusal", "json-error", "empty", "zeros"):
                facts: dict[str, Fact] = {"what": what, "bytes": None}
                found.append(Evidence("not-a-checkpoint", Place(file=name), facts))
    return found


def unfinished(listing: Listing, names: Mapping[str, None]) -> list[Evidence]:
    """Traces of a download that did not end, beside a file of the audited set."""
    found: list[Evidence] = []
    for name in listing.files:
        for ending in _HALVES:
            whole = name.removesuffix(ending)
            if whole != name and (whole in names):
                facts: dict[str, Fact] = {"trace": name}
                found.append(Evidence("download-unfinished", Place(file=whole), facts))
    return found
