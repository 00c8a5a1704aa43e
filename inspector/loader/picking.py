"""Chooses the set of weights to audit, and reads its index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct
from msgspec.structs import replace

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.config_file import Config
from inspector.loader.index import INDEX_LIMIT, Index, parse_index, unreadable_index
from inspector.loader.leftovers import leftovers
from inspector.loader.loaders import DIFFUSERS, NAMED_ENDINGS, PEFT, TRANSFORMERS, named_weights
from inspector.loader.partial_files import is_unfinished
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.source import Listing, Refusal, Source
from inspector.loader.stray_shards import PYTORCH, without_strays
from inspector.loader.strict_json import JsonFault
from inspector.loader.weight_sets import (
    OTHER_KINDS,
    SAFETENSORS,
    WeightSet,
    choose,
    counterpart,
    format_of,
    group,
    shard_number,
)

if TYPE_CHECKING:
    from inspector.loader.index_outline import Outline

OUTLINE_FROM: Final = 100_000
"""Smallest index in bytes that is read in outline; smaller ones are decoded at once."""

_READ_BY_CONTENT: Final = {"zip": "pytorch", "pickle": "pytorch", "gguf": "gguf", "numpy": "numpy"}
"""Signature of a file -> the format as which it is read if its name states none."""


class Picked(Struct, frozen=True):
    """The audited set with its index; None without a usable index.

    findings: all except those on the index. rival: the set that the same loader would take if this set were absent.
    """

    weights: WeightSet | None
    index: Index | Outline | None = None
    findings: tuple[Finding, ...] = ()
    partial: bool = False
    rival: WeightSet | None = None


class Contents(Struct, frozen=True):
    """The content of a place: its files, their sizes (0 for those that cannot be opened) and its sets of weights.

    named: the file or index that its config names for the weights, if it is there.
    """

    source: Source
    listing: Listing
    sizes: Mapping[str, int]
    sets: tuple[WeightSet, ...]
    named: str = ""

    @classmethod
    def of(cls, source: Source, listing: Listing, config: Config | None = None) -> Self:
        """The content of a place that was listed. Files that the program of its config looks for come first."""
        sizes = {**listing.files, **dict.fromkeys(listing.others, 0)}
        of_diffusers = config is not None and "_class_name" in config.values
        sets = group(sizes, DIFFUSERS.stems.values() if of_diffusers else ())
        named = named_weights(config.values) if config is not None and not of_diffusers else ""
        return cls(source, listing, sizes, sets, named if named in sizes and named.endswith(NAMED_ENDINGS) else "")


def pick(contents: Contents, weights: str | None, only: str | None, outline: bool) -> Picked:
    """Chooses the audited set and reads its index. outline: of safetensors, only the outline is read.

    If there are a single file and shards of the same name, the one that their loader takes is chosen. An index without
    any shard is never chosen.
    """
    if weights is not None or only is not None:
        return _pick_named(contents, only or str(weights), alone=only is not None, outline=outline)
    if contents.named:
        return _pick_named(contents, contents.named, alone=False, outline=outline)
    sets, stray = without_strays(contents.sets, contents.sizes)
    if stray is None:
        return _pick_format(contents, _kind(contents), outline)
    picked = _pick_format(replace(contents, sets=sets), PYTORCH, outline)
    return replace(picked, findings=(*picked.findings, stray))


def _pick_format(contents: Contents, kind: str, outline: bool) -> Picked:
    """Chooses the audited set among those of a format."""
    candidates = [one for one in contents.sets if one.kind == kind]
    if PEFT.config in contents.listing.files and TRANSFORMERS.config not in contents.listing.files:
        candidates.sort(key=lambda one: not PEFT.finds(one.name))
    stale: list[Finding] = []
    read = _outline_or_index if outline and kind == SAFETENSORS else _decoded
    for position, one in enumerate(candidates):
        if one.index is None or not one.numbered:
            return _single(contents, one, candidates, stale)
        index = read(contents.source, one)
        rival = counterpart(one, candidates)
        if isinstance(index, Finding):
            if one.files:
                return _with_index(contents, one, index, stale)
            stale.append(index)
            continue
        if not contents.sizes.keys().isdisjoint(index.files) or (not index.files and one.files):
            other = rival is not None and not set(index.files).issuperset(rival.files)
            return _with_index(contents, one, index, stale, rival if other else None)
        if position + 1 == len(candidates):
            return _with_index(contents, one, index, stale)
        assert isinstance(index, Index)
        stale.append(_stale(one, index, candidates[position + 1].name, taken_first=rival is not None))
    return Picked(None, findings=tuple(stale))


def _kind(contents: Contents) -> str:
    """The format to audit: the first format with a set under a name that a loader looks for, else the first format.

    This includes shards without their index.
    """
    kinds = [kind for kind in (SAFETENSORS, *OTHER_KINDS) if any(one.kind == kind for one in contents.sets)]
    if len(kinds) < 2:
        return kinds[0] if kinds else SAFETENSORS
    loaders = [one for one in (PEFT, TRANSFORMERS, DIFFUSERS) if one.config in contents.sizes]
    stems = {stem for loader in loaders for stem in loader.stems.values()}
    known = {one.kind for one in contents.sets if one.stem in stems}
    return next((kind for kind in kinds if kind in known), kinds[0])


def _single(contents: Contents, one: WeightSet, candidates: list[WeightSet], stale: list[Finding]) -> Picked:
    """Chooses a single file, or shards without an index, with a finding on indexed shards of the same name."""
    if one.numbered and (other := _index_of_other_format(contents, one)) is not None:
        return _with_index(contents, replace(one, index=other.file), other, stale)
    beside = counterpart(one, candidates) if not (one.numbered or stale) else None
    if beside is None or beside.index is None:
        return Picked(one, findings=tuple(stale))
    index = read_index(contents.source, beside.index)
    if isinstance(index, Finding):
        return Picked(one, findings=() if beside.files else (index,), rival=beside if beside.files else None)
    if index.files and set(index.files).issubset(one.files):
        return _with_index(contents, beside, index, [])
    if contents.sizes.keys().isdisjoint(index.files):
        return Picked(one, findings=(_stale(beside, index, one.name, taken_first=False),))
    return Picked(one, rival=beside)


def _index_of_other_format(contents: Contents, one: WeightSet) -> Index | None:
    """The PyTorch index that lists these shards: loaders open the files that it names, whatever their format."""
    for other in contents.sets:
        if other.kind != one.kind and other.index is not None and not other.files:
            index = read_index(contents.source, other.index)
            if isinstance(index, Index) and set(index.files) == set(one.files):
                return index
    return None


def _stale(one: WeightSet, index: Index, audited: str, *, taken_first: bool) -> Finding:
    """The finding on an index without any of its shards. taken_first: its loader prefers it to the single file."""
    from inspector.findings.shards.index import IndexStale, IndexStaleTaken

    kind = IndexStaleTaken if taken_first else IndexStale
    return kind(place=Place(file=one.index), files=len(index.promised), tensors=len(index.weight_map), audited=audited)


def _pick_named(contents: Contents, wanted: str, *, alone: bool, outline: bool) -> Picked:
    """The set, or the single file, that the user named. alone: a file that need not be in any set."""
    one = choose(contents.sets, wanted, contents.sizes)
    if one is None and alone:
        one = WeightSet(wanted, wanted, SAFETENSORS, False, (wanted,), contents.sizes.get(wanted, 0))
    if one is None:
        from inspector.findings.reading.place import WeightsNotFound

        names = tuple(one.name for one in contents.sets)
        return Picked(None, findings=(WeightsNotFound(wanted=wanted, there=names[:NAMES_SHOWN], sets=len(names)),))
    if one.kind == "unknown":
        one = replace(one, kind=_kind_by_content(contents.source, one.name))
    if one.index is None:
        return Picked(one, partial=not one.numbered and shard_number(one.name) is not None)
    read = _outline_or_index if outline and one.kind == SAFETENSORS else _decoded
    return _with_index(contents, one, read(contents.source, one), [])


def _kind_by_content(source: Source, name: str) -> str:
    """The format of a file whose name states none: torch.load, load_file and llama.cpp do not look at the name.

    "unknown" for partial files, which are no such files yet.
    """
    first = Refusal("absent", "") if is_unfinished(name) else source.read_part(name, 0, SNIFF_BYTES)
    what = "" if isinstance(first, Refusal) else recognise(first, None)
    return _READ_BY_CONTENT.get(what, "unknown")


def _with_index(
    contents: Contents,
    one: WeightSet,
    index: Index | Outline | Finding,
    before: list[Finding],
    rival: WeightSet | None = None,
) -> Picked:
    if isinstance(index, Finding):
        from inspector.findings.shards.index import IndexUnreadable

        if isinstance(index, IndexUnreadable):
            index = replace(index, shards=len(one.files))
        return Picked(one, None, (*before, index))
    return Picked(_as_listed(contents, one, index), index, tuple(before), rival=rival)


def _as_listed(contents: Contents, one: WeightSet, index: Index | Outline) -> WeightSet:
    """The set with the format of the files that its index lists: transformers opens each file by its ending.

    Where none of these files is present, the set keeps the format of the files that are.

    torchtune's users list its `hf_model_0001_0.pt` in `model.safetensors.index.json` (measured: 4.57 and 5.23 load it).
    """
    kind = format_of(next(iter(index.files), ""))
    if one.files and contents.sizes.keys().isdisjoint(index.files):
        return one
    if kind in ("", one.kind) or any(format_of(name) != kind for name in index.files):
        return one
    return replace(one, kind=kind)


def loadable(contents: Contents) -> Contents:
    """The content without the sets that are partitions from training."""
    sets = contents.sets
    if all(one.kind == SAFETENSORS for one in sets):
        return contents
    parts = {name for one in leftovers(contents.listing) for name in one.names}
    whole = (one for one in sets if one.kind == SAFETENSORS or one.index or not parts.issuperset(one.files))
    return replace(contents, sets=tuple(whole))


def read_index(source: Source, name: str) -> Index | Finding:
    """Reads and decodes an index; returns the finding if it is unusable."""
    raw = _text(source, name)
    return raw if isinstance(raw, Finding) else parse_index(raw, name)


def _decoded(source: Source, one: WeightSet) -> Index | Finding:
    return read_index(source, str(one.index))


def _outline_or_index(source: Source, one: WeightSet) -> Index | Outline | Finding:
    name = str(one.index)
    raw = _text(source, name)
    if isinstance(raw, Finding):
        return raw
    if len(raw) < OUTLINE_FROM:
        return parse_index(raw, name)
    from inspector.loader.index_outline import outlined

    return outlined(raw, name, one.files) or parse_index(raw, name)


def _text(source: Source, name: str) -> bytes | Finding:
    raw = source.read_whole(name, INDEX_LIMIT)
    if isinstance(raw, Refusal):
        return unreadable_index(name, JsonFault("cannot be read"), refusal=raw)
    return raw
