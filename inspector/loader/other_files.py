"""Other files next to the audited weights: other sets, unfinished downloads, pointers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, UNFINISHED, Finding, Place
from inspector.loader.sources.source import Listing
from inspector.loader.weight_sets import WeightSet

if TYPE_CHECKING:
    from inspector.findings.stored_set import StoredSet


TRAINED_BESIDE: Final = "non_lora_trainables.bin"
"""The file in which LLaVA saves other trained weights next to a LoRA. Source: LLaVA, `llava/train/train.py`."""


class OtherSet(Struct, frozen=True):
    """Weights other than the audited ones. kind: "safetensors", "pytorch", "gguf", "flax", ..."""

    name: str
    files: tuple[str, ...]
    bytes: int
    kind: str


def others_of(
    sets: tuple[WeightSet, ...], audited: WeightSet, names: Mapping[str, None], sizes: Mapping[str, int]
) -> tuple[OtherSet, ...]:
    others = []
    for one in sets:
        files = tuple(name for name in one.files if name not in names)
        if one.name != audited.name and files:
            others.append(OtherSet(one.name, files, sum(sizes[name] for name in files), one.kind))
    return tuple(others)


def other_weights(audited: WeightSet, others: tuple[OtherSet, ...], audited_bytes: int) -> Finding:
    """The finding on sets of weights next to the audited set."""
    from inspector.findings.shards.sets import OtherWeights, TrainedBesideAdapter

    beside = audited.name.startswith("adapter_model.") and any(one.name == TRAINED_BESIDE for one in others)
    return (TrainedBesideAdapter if beside else OtherWeights)(
        place=Place(file=audited.name),
        audited=audited.name,
        audited_bytes=audited_bytes,
        sets=stored(others),
        count=len(others),
        bytes=sum(one.bytes for one in others),
    )


def stored(sets: Sequence[OtherSet | WeightSet]) -> tuple[StoredSet, ...]:
    from inspector.findings.stored_set import StoredSet

    return tuple(StoredSet(one.name, len(one.files), one.bytes, one.kind) for one in sets[:NAMES_SHOWN])


def unfinished(listing: Listing, names: Mapping[str, None]) -> list[Finding]:
    """The findings on partial files of unfinished downloads of the audited set."""
    found: list[Finding] = []
    for name in listing.files:
        for ending in UNFINISHED:
            whole = name.removesuffix(ending)
            if whole != name and (whole in names):
                from inspector.findings.reading.place import DownloadUnfinished

                found.append(DownloadUnfinished(place=Place(file=whole), trace=name))
    return found


def unlisted(listing: Listing) -> Iterator[Finding]:
    """The finding on a truncated list of files."""
    if not listing.complete:
        from inspector.findings.reading.place import ListingIncomplete

        yield ListingIncomplete(files=len(listing.files))
