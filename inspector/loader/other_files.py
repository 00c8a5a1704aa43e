"""Other files next to the audited weights: other sets, unfinished downloads, pointers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.source import Forewarned, Listing, Refusal, Source
from inspector.loader.weight_sets import OTHER_KINDS, SAFETENSORS, WeightSet, group

if TYPE_CHECKING:
    from inspector.findings.stored_set import StoredSet

_HALVES: Final = (".incomplete", ".aria2", ".part", ".crdownload")
_UNFINISHED: Final = (*_HALVES, ".tmp")
_TEMPORARY: Final = r"\.?tmp[A-Za-z0-9_-]*(?:\..*)?|.*\.safetensors\.[A-Za-z0-9]*tmp[A-Za-z0-9]*"
"""Names under which programs write a file until it is complete."""
_PART: Final = r".*\.(?:gguf|safetensors|bin|zip|tar)\.(?:part)?-?\d{1,4}(?:of\d{1,4})?"
"""Pieces of a file that was split to be uploaded."""
DOWNLOAD_FOLDER: Final = (".cache", "huggingface", "download")


class OtherSet(Struct, frozen=True):
    """Weights other than the audited ones. kind: "safetensors", "pytorch", "gguf", "flax", ..."""

    name: str
    files: tuple[str, ...]
    bytes: int
    kind: str


def _is_temporary(name: str) -> bool:
    return "tmp" in name and re.fullmatch(_TEMPORARY, name[:255], re.ASCII | re.DOTALL) is not None


def _is_part(name: str) -> bool:
    return re.fullmatch(_PART, name[-255:], re.ASCII | re.DOTALL) is not None


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
    """The findings on sets of weights next to the audited one."""
    from inspector.findings.shards.sets import OtherWeights

    return OtherWeights(
        place=Place(file=audited.name),
        audited=audited.name,
        audited_bytes=audited_bytes,
        sets=_stored(others),
        count=len(others),
        bytes=sum(one.bytes for one in others),
    )


def _stored(sets: Sequence[OtherSet | WeightSet]) -> tuple[StoredSet, ...]:
    from inspector.findings.stored_set import StoredSet

    return tuple(StoredSet(one.name, len(one.files), one.bytes, one.kind) for one in sets[:NAMES_SHOWN])


def no_weights(
    source: Source, sets: tuple[WeightSet, ...], listing: Listing, leftovers: Sequence[Finding] = ()
) -> list[Finding]:
    """The finding that a place has no readable weights, with what it contains instead, and the other leftovers.

    leftovers: the findings on the training state in this place; the first partitioned save is part of the finding.
    """
    halves = [name for name in listing.files if name.endswith(_UNFINISHED) or _is_temporary(name)]
    if not sets and not halves:
        halves = _in_download_folder(source)
    folders = sorted(name for name, kind in listing.others.items() if kind == "directory")
    from inspector.findings.reading.training import PartitionedSave

    saves = [one for one in leftovers if isinstance(one, PartitionedSave)]
    below = [] if saves else _sets_below(source, folders)
    weights_in = dict.fromkeys(folder for folder, one in below if one.kind in (SAFETENSORS, *OTHER_KINDS))
    if not weights_in:  # other formats are converted, wherever they are
        sets = (*sets, *(replace(one, name=f"{folder}/{one.name}") for folder, one in below))
    from inspector.findings.reading.place import NoWeights

    nothing = NoWeights(
        sets=_stored(sets),
        count=len(sets),
        files=len(listing.files),
        complete=listing.complete,
        unfinished=tuple(halves[:NAMES_SHOWN]),
        folders=tuple([name for name in folders if not name.startswith(".")][:NAMES_SHOWN]),
        weights_in=tuple(weights_in)[:NAMES_SHOWN],
        partitions=saves[0].headline() if saves else "",
        entries=saves[0].names if saves else (),
        merge=saves[0].remedy().words if saves else "",
        parts=tuple(sorted(filter(_is_part, listing.files))[:NAMES_SHOWN]),
    )
    return [nothing, *(one for one in leftovers if one not in saves[:1])]


def _in_download_folder(source: Source) -> list[str]:
    """Files that `hf download --local-dir` has begun, in the folder where it keeps them until they are complete."""
    place: Source = source
    for folder in DOWNLOAD_FOLDER:
        found = place.inside(folder)
        if isinstance(found, Refusal):
            return []
        place = found
    return [name for name in place.listing().files if name.endswith(_UNFINISHED)]


def _sets_below(source: Source, folders: Sequence[str], depth: int = 2) -> list[tuple[str, WeightSet]]:
    """(path, set) of the weights in the folders below a place; only the first of each level are looked into."""
    found: list[tuple[str, WeightSet]] = []
    for name in [one for one in folders if not one.startswith(".")][:NAMES_SHOWN]:
        inner = source.inside(name)
        if isinstance(inner, Refusal):
            continue
        listing = inner.listing()
        sets = [one for one in group(listing.files) if one.files]
        found.extend((name, one) for one in sets)
        if not sets and depth > 1:
            below = sorted(one for one, kind in listing.others.items() if kind == "directory")
            found.extend((f"{name}/{path}", one) for path, one in _sets_below(inner, below, depth - 1))
    return found


_POINTER_LIMIT: Final = 100_000
"""Largest pointer or web page, in bytes: over a network, larger files are not checked for these."""


def sniffed(source: Source, sets: tuple[WeightSet, ...], sizes: Mapping[str, int]) -> list[Finding]:
    """Files of other formats that are a pointer or a web page instead of weights."""
    found: list[Finding] = []
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
                from inspector.findings.reading.content import NotACheckpoint

                found.append(NotACheckpoint(place=Place(file=name), what=what, bytes=None))
    return found


def unfinished(listing: Listing, names: Mapping[str, None]) -> list[Finding]:
    """Partial files of unfinished downloads of the audited set."""
    found: list[Finding] = []
    for name in listing.files:
        for ending in _HALVES:
            whole = name.removesuffix(ending)
            if whole != name and (whole in names):
                from inspector.findings.reading.place import DownloadUnfinished

                found.append(DownloadUnfinished(place=Place(file=whole), trace=name))
    return found


def unlisted(listing: Listing) -> Iterator[Finding]:
    """The finding on a list of files that was cut off."""
    if not listing.complete:
        from inspector.findings.reading.place import ListingIncomplete

        yield ListingIncomplete(files=len(listing.files))
