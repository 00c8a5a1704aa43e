"""A checkpoint as its headers, index and configs state it: `load` for a path, `assemble` for any source.

Nothing here judges names or shapes. What is wrong with the files themselves is evidence; what could not be
read leaves a gap that is named (`lost`, `cut`), so that later stages do not accuse a tensor for the loss
of its file.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from inspector.evidence import Evidence, Fact, Place
from inspector.loader import agreement
from inspector.loader.config_file import (
    CONFIG_LIMIT,
    LITGPT_FILES,
    QUANTISATION_KEYS,
    SIDE_FILES,
    Config,
    Kind,
    read_config,
)
from inspector.loader.folder import FolderSource, locate
from inspector.loader.foreign import SNIFF_BYTES, recognise
from inspector.loader.header import Header, Layouts, parse_header, unopened
from inspector.loader.index import INDEX_LIMIT, Index, parse_index, unreadable_index
from inspector.loader.joining import are_slices, join
from inspector.loader.layout import Layout
from inspector.loader.leftovers import emptied, leftover_evidence, leftovers
from inspector.loader.source import Forewarned, Listing, Opening, Refusal, Source, is_plain_name
from inspector.loader.weight_sets import SAFETENSORS, WeightSet, choose, group, shard_number

if TYPE_CHECKING:
    from inspector.loader.download import Download
    from inspector.loader.opening import Opened
    from inspector.loader.other_formats import OtherReader, Told
    from inspector.loader.repository_file import RepositoryFile
    from inspector.loader.traffic import Progress, Traffic

NAMES_SHOWN: Final = 20
SIBLINGS_KEPT: Final = 1_000
FILES_LIMIT: Final = 20_000
"""Shards of one set that are opened."""
_OTHER_KINDS: Final = ("pytorch", "gguf", "numpy")
"""Formats besides safetensors that are read, in the order in which one is taken where there is no safetensors."""
_HALVES: Final = (".incomplete", ".aria2", ".part", ".crdownload")


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file of the audited set whose header was read. Sizes in bytes; bytes is that of the whole file."""

    name: str
    bytes: int
    header_bytes: int
    tensors: int
    data_bytes: int
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True)
class OtherSet:
    """Weights beside the audited ones. kind: "safetensors", "pytorch", "gguf", "flax", ..."""

    name: str
    files: tuple[str, ...]
    bytes: int
    kind: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What was read.

    tensors: the union over the audited set. file_of: tensor -> file. lost: file -> tensors that the index
    promises in it, or that its header names without a usable layout, and of which nothing is known. cut:
    tensors declared whose bytes are missing. set_name: the name of the audited set. partial: one shard of
    several was asked for, so that absent tensors are no loss. readable: at least one header was read.
    address: what the source turned out to be, `org/name@revision/folder` for a repository; commit: the one
    commit of it that was read. cached: it was read from the local cache of the Hub. traffic, download: of
    what was read over a network. stored_as: tensor -> its name in the file, where a format has names of its
    own. ties: names that the format says are the same numbers. copies: tensor -> how often it lies there again,
    where the files are slices of one model. shadows: the repository that a path of this machine was taken for.
    folder: where on this machine it lies, "" for a single file and for what lies elsewhere; tree: every file of a
    repository's folder, as the Hub states it. kept_shapes: tensors of which the values were read because they are
    shapes, None where none were asked for. reach: opens the place again, to read such values.
    """

    source: str
    title: str
    config: Config | None = None
    adapter: Config | None = None
    pipeline: Config | None = None
    side: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    tensors: dict[str, Layout] = field(default_factory=dict)
    file_of: dict[str, str] = field(default_factory=dict)
    files: tuple[WeightFile, ...] = ()
    index: Index | None = None
    set_name: str = ""
    other_sets: tuple[OtherSet, ...] = ()
    lost: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    readable: bool = False
    partial: bool = False
    siblings: Mapping[str, int] = field(default_factory=dict)
    origin: tuple[str, str] | None = None
    address: str = ""
    commit: str | None = None
    cached: bool = False
    traffic: Traffic | None = None
    download: Download | None = None
    shadows: str | None = None
    folder: str = ""
    tree: Mapping[str, RepositoryFile] = field(default_factory=dict)
    stored_as: Mapping[str, str] = field(default_factory=dict)
    ties: tuple[tuple[str, ...], ...] = ()
    copies: Mapping[str, int] = field(default_factory=dict)
    kept_shapes: int | None = None
    reach: Callable[[], Source | None] | None = field(default=None, repr=False, compare=False)


def load(
    source: str,
    *,
    weights: str | None = None,
    config: str | None = None,
    revision: str | None = None,
    subfolder: str | None = None,
    repo_type: str | None = None,
    cached: bool = False,
    progress: Progress | None = None,
) -> Checkpoint:
    """Reads the checkpoint at a path, in a repository of the Hub, or at an address that fsspec knows.

    A path is a folder, a file, an index, or a place in the Hugging Face cache; one that exists is taken for
    what it is, whatever else the text could mean. A repository is `org/name`, `org/name@revision`,
    `hf://org/name@revision/folder` or the address of a page of it; revision, subfolder and repo_type are
    those of a repository; cached reads the local cache of the Hub and asks nobody.
    weights chooses among several sets of a folder: a file, an index, a set or a variant by name.
    config is the path of a config file to take instead of the one that lies beside the weights.
    progress is called while headers arrive over a network.
    """
    with _no_collector():
        chosen_config: tuple[Config | None, tuple[Evidence, ...]] | None = None
        if config is not None:
            chosen_config = config_at(config)
        path = os.path.join(source, subfolder) if subfolder else source
        if not (cached or revision or repo_type or source.startswith("hf://")):
            found = locate(path)
            if not isinstance(found, Refusal):
                place, only = found
                read = assemble(place, given=source, weights=weights, only=only, config=chosen_config)
                return replace(read, address=path, shadows=_shadowed(source))
            if found.reason != "absent" or os.path.lexists(source):
                return _unread(source, _no_place(found))
        from inspector.loader.address import shown
        from inspector.loader.opening import Opened, open_source

        opened = open_source(
            source,
            revision=revision,
            subfolder=subfolder,
            repo_type=repo_type,
            cached=cached,
            progress=progress,
            chosen=weights is not None,
        )
        if isinstance(opened, Evidence):
            return _unread(shown(source), opened)
        if isinstance(opened, Opened):
            return _opened(opened, shown(source), weights, chosen_config)
        found = locate(opened)
        if isinstance(found, Refusal):
            return _unread(source, _no_place(found))
        read = assemble(found[0], given=source, weights=weights, only=found[1], config=chosen_config)
        return replace(read, address=opened)


def load_within(checkpoint: Checkpoint, folder: str) -> Checkpoint:
    """The checkpoint in a folder below another one: of the same commit, where that has one."""
    if checkpoint.commit is not None:
        from inspector.loader.address import below

        return load(below(checkpoint.address, checkpoint.commit, folder), cached=checkpoint.cached)
    place = checkpoint.address or checkpoint.source
    if "://" not in place:
        return load(os.path.join(place, folder))
    inner, separator, outer = place.partition("::")  # zip://inside::s3://bucket/archive.zip
    return load(f"{inner.rstrip('/')}/{folder}{separator}{outer}")


def _opened(
    opened: Opened, given: str, weights: str | None, config: tuple[Config | None, tuple[Evidence, ...]] | None
) -> Checkpoint:
    """The checkpoint in a source that was opened by its address, with what reading it cost."""
    remote = opened.remote
    try:
        read = assemble(opened.source, given=given, weights=weights, only=opened.only, config=config)
    finally:
        if remote is not None:
            remote.close()
    download = None
    if read.set_name and opened.commit is not None and remote is not None:
        audited = {file.name for file in read.files} | read.lost.keys() | {read.set_name}
        if read.index is not None:
            audited.update(read.index.promised)
        download = remote.download(audited)
    return replace(
        read,
        evidence=(*opened.notes, *read.evidence),
        address=opened.address,
        commit=opened.commit,
        cached=remote is None,
        reach=read.reach if remote is None else lambda: _again(opened.address, opened.commit),
        traffic=None if remote is None else remote.traffic,
        download=download,
        tree=remote.tree if remote is not None and opened.commit is not None and opened.only is None else {},
    )


def _again(address: str, commit: str | None) -> Source | None:
    """A place that was opened by its address, of the same commit."""
    from inspector.loader.opening import Opened, open_source

    opened = open_source(address, revision=commit)
    return opened.source if isinstance(opened, Opened) else None


def _unread(source: str, why: Evidence) -> Checkpoint:
    return Checkpoint(source, os.path.basename(source.rstrip("/")) or source, evidence=(why,), address=source)


def _shadowed(source: str) -> str | None:
    """The repository that a relative path of two parts could have meant."""
    parts = source.split("/")
    named = len(parts) == 2 and all(parts) and not source.startswith((".", "~"))
    return f"hf://{source}" if named else None


def assemble(
    source: Source,
    *,
    given: str | None = None,
    weights: str | None = None,
    only: str | None = None,
    config: tuple[Config | None, tuple[Evidence, ...]] | None = None,
) -> Checkpoint:
    """Reads the checkpoint in a source.

    given: how the user named it. only: the single file that was named. config: a config read elsewhere,
    with its evidence, instead of the one in the source.
    """
    listing = source.listing()
    evidence: list[Evidence] = []
    configs, faults = _configs(source, listing, config)
    evidence.extend(faults)
    blank = Checkpoint(
        source.title if given is None else given,
        source.title if only is None else only,
        configs.get("config") or configs.get("params"),
        configs.get("adapter"),
        configs.get("pipeline"),
        side=_side(source, listing, configs),
        origin=source.origin,
        folder=source.folder if isinstance(source, FolderSource) and only is None else "",
        siblings=dict(list(listing.files.items())[:SIBLINGS_KEPT]),
        reach=lambda: source,
    )
    if "." in listing.others and only is None:
        refusal = Refusal(listing.others["."])
        return replace(blank, evidence=(_no_place(refusal), *evidence))
    sizes = {**listing.files, **dict.fromkeys(listing.others, 0)}
    sets = group(sizes)
    picked = _pick(source, _loadable(sets, listing), sizes, weights, only)
    evidence.extend(picked.evidence)
    if picked.weights is None:
        if not picked.evidence and "pipeline" not in configs:
            evidence.append(_no_weights(source, sets, listing))
            evidence.extend(leftover_evidence(listing))
            evidence.extend(_sniffed(source, sets, sizes))
            for one in sets:
                if one.index is not None:
                    evidence.extend(_read_index(source, one.index)[1])
        others = tuple(OtherSet(one.name, one.files, one.bytes, one.kind) for one in sets)
        return replace(blank, other_sets=others, evidence=tuple(evidence))
    params = configs["params"].values if "params" in configs else {}
    audit = _Reading(source, listing, picked.weights, picked.index, params)
    audit.run()
    others = _others(sets, picked.weights, audit.names, sizes)
    if others and only is None:
        evidence.append(_other_weights(picked.weights, others, audit.bytes))
    evidence.extend(_unfinished(listing, audit.names))
    evidence.extend(audit.evidence)
    if only is None:
        evidence.extend(leftover_evidence(listing, audit.names))
    empty = emptied(audit.tensors) if audit.holds_empty else None
    if empty is not None:
        evidence.append(empty)
    if audit.told is not None and audit.told.config is not None and config is None:
        blank = replace(blank, config=audit.told.config)
    return replace(
        blank,
        stored_as={} if audit.told is None else audit.told.stored_as,
        ties=() if audit.told is None else audit.told.ties,
        copies=audit.copies,
        tensors=audit.tensors,
        file_of=audit.file_of,
        files=tuple(audit.files),
        index=audit.index,
        set_name=picked.weights.name,
        other_sets=others,
        lost=audit.lost,
        cut=tuple(audit.cut),
        evidence=tuple(_with_origin(evidence, source)),
        readable=bool(audit.files),
        partial=picked.partial,
        siblings={name: size for name, size in blank.siblings.items() if name not in audit.names},
    )


@contextmanager
def _no_collector() -> Iterator[None]:
    """Keeps the garbage collector from walking over a growing header again and again: a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _no_place(refusal: Refusal) -> Evidence:
    rule = {"permission": "not-permitted", "not-regular": "not-a-regular-file"}.get(refusal.reason, "not-found")
    return Evidence(rule, Place(), {"reason": refusal.reason, "detail": refusal.detail})


def config_at(path: str) -> tuple[Config | None, tuple[Evidence, ...]]:
    """The config file at a path of this machine, and what is wrong with it."""
    found = locate(path)
    if isinstance(found, Refusal):
        facts: dict[str, Fact] = {
            "problem": "cannot be read",
            "detail": found.detail,
            "position": None,
            "what": "",
        }
        return None, (Evidence("config-unreadable", Place(file=path), facts),)
    place, name = found
    if name is None:
        name = "config.json"
    return read_config(place, name, _kind_of(name))


def _kind_of(name: str) -> Kind:
    kinds: dict[str, Kind] = {
        "params.json": "params",
        "adapter_config.json": "adapter",
        "model_index.json": "pipeline",
    }
    return kinds.get(name, "config")


def _configs(
    source: Source, listing: Listing, given: tuple[Config | None, tuple[Evidence, ...]] | None
) -> tuple[dict[str, Config], list[Evidence]]:
    """The configs of a place by kind; params.json counts only where no config.json was understood."""
    configs: dict[str, Config] = {}
    evidence: list[Evidence] = []
    if given is not None:
        evidence.extend(given[1])
        if given[0] is not None:
            configs[given[0].kind] = given[0]
    for name in ("config.json", "params.json", "adapter_config.json", "model_index.json"):
        kind = _kind_of(name)
        main = kind in ("config", "params")
        if main and (given is not None or "config" in configs):
            continue
        if kind in configs or (name not in listing.files and name not in listing.others):
            continue
        config, faults = read_config(source, name, kind)
        evidence.extend(faults)
        if config is not None:
            configs[kind] = config
    if given is None and not {"config", "params"} & configs.keys():
        config = _litgpt(source, listing)
        if config is not None:
            configs["config"] = config
    return configs, evidence


def _litgpt(source: Source, listing: Listing) -> Config | None:
    """What litgpt's own config says, where it lies alone."""
    if not any(name in listing.files for name in LITGPT_FILES):
        return None
    from inspector.loader.litgpt_config import as_config, read_values

    for name in LITGPT_FILES:
        raw = source.read_whole(name, CONFIG_LIMIT) if name in listing.files else b""
        values = None if isinstance(raw, Refusal) or not raw else read_values(name, raw)
        config = None if values is None else as_config(values)
        if config is not None:
            return Config(name, config, "config")
    return None


def _side(source: Source, listing: Listing, configs: Mapping[str, Config]) -> dict[str, Mapping[str, object]]:
    """Quantisation settings in files of their own, where the config has none."""
    config = configs.get("config")
    if config is not None and any(key in config.values for key in QUANTISATION_KEYS):
        return {}
    read = {name: read_config(source, name, "config")[0] for name in SIDE_FILES if name in listing.files}
    return {name: one.values for name, one in read.items() if one is not None}


@dataclass(frozen=True, slots=True)
class _Picked:
    weights: WeightSet | None
    index: Index | None = None
    evidence: tuple[Evidence, ...] = ()
    partial: bool = False


def _pick(
    source: Source,
    sets: tuple[WeightSet, ...],
    sizes: Mapping[str, int],
    weights: str | None,
    only: str | None,
) -> _Picked:
    """Decides on the audited set and reads its index.

    Shards with an index come before a single file of the same name, an index of which no shard is there
    does not.
    """
    wanted = weights if only is None else only
    if wanted is not None:
        one = choose(sets, wanted, sizes)
        if one is None and only is not None:
            one = WeightSet(only, only, SAFETENSORS, False, (only,), sizes.get(only, 0))
        if one is None:
            names = [one.name for one in sets]
            facts: dict[str, Fact] = {"wanted": wanted, "there": names[:NAMES_SHOWN], "sets": len(names)}
            return _Picked(None, evidence=(Evidence("weights-not-found", Place(), facts),))
        if one.index is None:
            return _Picked(one, partial=not one.numbered and shard_number(one.name) is not None)
        index, faults = _read_index(source, one.index)
        return _Picked(one, index, faults)
    kinds = (SAFETENSORS, *_OTHER_KINDS)
    kind = next((kind for kind in kinds if any(one.kind == kind for one in sets)), SAFETENSORS)
    candidates = [one for one in sets if one.kind == kind]
    stale: list[Evidence] = []
    for position, one in enumerate(candidates):
        if one.index is None or not one.numbered:
            return _Picked(one, evidence=tuple(stale))
        index, faults = _read_index(source, one.index)
        if index is not None and (_present(index, sizes) or (not index.weight_map and one.files)):
            return _Picked(one, index, (*stale, *faults))
        if index is None and one.files:
            return _Picked(one, None, (*stale, *faults))
        if position + 1 == len(candidates):
            return _Picked(one if index is not None else None, index, (*stale, *faults))
        if index is None:
            stale.extend(faults)
            continue
        absent = len(index.promised)
        facts = {"files": absent, "tensors": len(index.weight_map), "audited": candidates[position + 1].name}
        stale.append(Evidence("index-stale", Place(file=one.index), facts))
    return _Picked(None, evidence=tuple(stale))


def _loadable(sets: tuple[WeightSet, ...], listing: Listing) -> tuple[WeightSet, ...]:
    """The sets that are no partitions of a training run: those of safetensors, and of others what is not."""
    if all(one.kind == SAFETENSORS for one in sets):
        return sets
    parts = {name for one in leftovers(listing) for name in one.names}
    return tuple(one for one in sets if one.kind == SAFETENSORS or one.index or not parts.issuperset(one.files))


def _present(index: Index, sizes: Mapping[str, int]) -> bool:
    return any(name in sizes for name in index.promised)


def _read_index(source: Source, name: str) -> tuple[Index | None, tuple[Evidence, ...]]:
    raw = source.read_whole(name, INDEX_LIMIT)
    if isinstance(raw, Refusal):
        return None, (unreadable_index(name, f"cannot be read: {raw.detail or raw.reason}", None),)
    index = parse_index(raw, name)
    if isinstance(index, Index):
        return index, index.evidence
    return None, (index,)


class _Reading:
    """Reads the headers of the audited set one by one and sets them against the index."""

    def __init__(
        self,
        source: Source,
        listing: Listing,
        weights: WeightSet,
        index: Index | None,
        params: Mapping[str, object],
    ) -> None:
        self.source, self.listing, self.weights, self.index = source, listing, weights, index
        self.params = params
        self.copies: dict[str, int] = {}
        self._slices: dict[str, Header] | None = {} if index is None and are_slices(weights.files) else None
        self.tensors: dict[str, Layout] = {}
        self.file_of: dict[str, str] = {}
        self.files: list[WeightFile] = []
        self.lost: dict[str, tuple[str, ...]] = {}
        self.cut: list[str] = []
        self.evidence: list[Evidence] = []
        self.names: dict[str, None] = {}
        self.bytes = 0
        self.told: Told | None = None
        self._other: OtherReader | None = None
        self._layouts = Layouts()
        self._as_promised = index is not None
        self._copies: list[agreement.Copy] = []
        self._unlabelled: set[str] = set()  # files whose metadata is wrong: told already
        self._gone: dict[str, str] = {}  # files that gave no header, and why

    def run(self) -> None:
        listed: dict[str, None] = {}
        if self.index is not None:
            listed = dict.fromkeys(self.index.promised)
        unlisted = [name for name in self.weights.files if name not in listed]
        there = self.listing.files.keys() | self.listing.others.keys()
        asked = [name for name in listed if name in there and is_plain_name(name)]
        if len(asked) + len(unlisted) > FILES_LIMIT:
            facts: dict[str, Fact] = {"files": len(asked) + len(unlisted), "limit": FILES_LIMIT}
            self.evidence.append(Evidence("too-many-files", Place(), facts))
            self._gone.update(dict.fromkeys([*asked, *unlisted][FILES_LIMIT:], "not opened"))
            asked = asked[:FILES_LIMIT]
            unlisted = unlisted[: FILES_LIMIT - len(asked)]
        if self.index is not None and isinstance(self.source, Forewarned):
            self.source.expect(self.index.weight_map)
        for name, result in self._openings(asked):
            self._take(name, result)
        counts = {number[1] for name in asked if (number := shard_number(name)) is not None}
        for name, result in self._openings(unlisted):
            number = shard_number(name)
            stale = bool(counts) and number is not None and number[1] not in counts
            self._take(name, result, self.index is not None, stale)
        if self._slices:
            self._join(self._slices)
        self.names = dict.fromkeys([*asked, *unlisted])
        self.bytes = sum(self.listing.files.get(name, 0) for name in self.names)
        if self.index is not None and self._as_promised and self._kept(self.index, unlisted):
            self.file_of = self.index.weight_map
        elif self.index is not None:
            self._spell_out()
            found = agreement.compare(self.index, self.file_of, self._copies, self._gone, there, set(unlisted))
            self.evidence.extend(found.evidence)
            self.lost.update(found.lost)
        else:
            self.evidence.extend(agreement.doubled(self._copies))
            if self.weights.numbered:
                found_parts = agreement.unindexed(self.weights, self._gone)
                no_index = self.weights.kind == "gguf"  # a format whose parts name one another
                self.evidence.extend(one for one in found_parts if not (no_index and one.rule == "index-missing"))
        self._formats()
        if self._other is not None:
            self._translate(self._other)

    @property
    def holds_empty(self) -> bool:
        """Whether any tensor has the shape [0]."""
        return any(key[1:] == (0,) for key in self._layouts)

    def _openings(self, names: list[str]) -> Iterator[tuple[str, Opening | Header | Refusal]]:
        """The beginnings of files, or their headers where another reader than that of safetensors reads them."""
        kind = "numpy" if self.weights.name.endswith(".npy") else self.weights.kind
        if kind not in _OTHER_KINDS:
            yield from self.source.read_headers(names)
            return
        if self._other is None:
            from inspector.loader.other_formats import OtherReader

            self._other = OtherReader(self.source, self.listing, kind, self._layouts)
        yield from self._other.read(names)

    def _translate(self, other: OtherReader) -> None:
        """Puts the names that the cards know in the place of those that the format has."""
        self.told = other.told(self.tensors)
        self.evidence.extend(self.told.evidence)
        if self.told.stored_as:
            new = {old: name for name, old in self.told.stored_as.items()}
            self.tensors = self.told.tensors
            self.file_of = {new.get(name, name): file for name, file in self.file_of.items()}
            self.cut = [new.get(name, name) for name in self.cut]

    def _take(self, name: str, result: Opening | Header | Refusal, unlisted: bool = False, stale: bool = False) -> None:
        if isinstance(result, Refusal):
            self._refused(name, result)
            return
        size = self.listing.files.get(name) if isinstance(result, Header) else result.size
        if isinstance(result, Header):
            header = result
        elif result.header is None:
            header = unopened(result.first, result.size, name)
        else:
            behind = None if result.size is None else result.size - 8 - len(result.header)
            header = parse_header(result.header, behind, name, self._layouts, result.first)
        self.evidence.extend(header.evidence)
        if any(one.rule == "metadata-malformed" for one in header.evidence):
            self._unlabelled.add(name)
        if not header.readable:
            self._gone[name] = "unreadable"
            return
        if stale:
            self._leave_out(header)
        else:
            self._add(header, size, unlisted)

    def _add(self, header: Header, size: int | None, unlisted: bool) -> None:
        name = header.file
        there = 8 + header.header_bytes + header.declared_bytes if size is None else size
        data = there - 8 - header.header_bytes
        count = len(header.tensors)
        self.files.append(WeightFile(name, there, header.header_bytes, count, data, header.metadata))
        if header.faulty:
            self.lost[name] = header.faulty
        self.cut.extend(header.cut)
        if self._slices is not None:
            self._slices[name] = header
        else:
            self._place(header, unlisted)

    def _join(self, slices: Mapping[str, Header]) -> None:
        """Puts slices together, or takes the files for shards where they are none."""
        self._slices = None
        joint = join({name: header.tensors for name, header in slices.items()}, self._gone, self.params)
        if joint is None:
            for header in slices.values():
                self._place(header, False)
            return
        self.tensors = joint.tensors
        self.file_of = dict.fromkeys(joint.tensors, next(iter(slices)))
        self.copies = joint.copies
        self.evidence.extend(joint.evidence)
        for file, names in joint.lost.items():
            self.lost[file] = tuple(dict.fromkeys((*self.lost.get(file, ()), *names)))

    def _place(self, header: Header, unlisted: bool) -> None:
        name, count = header.file, len(header.tensors)
        if self._promised(header):
            self.tensors.update(header.tensors)
            return
        self._spell_out()
        if not self.tensors.keys().isdisjoint(header.tensors):
            self._doubles(header, unlisted)
            return
        self.tensors.update(header.tensors)
        self.file_of.update(dict.fromkeys(header.tensors, name))
        if unlisted:
            self._copies.append(agreement.Copy(name, (), (), count, unlisted))

    def _kept(self, index: Index, unlisted: Sequence[str]) -> bool:
        """Whether every promise of the index was found kept and nothing lies beside it."""
        return len(self.tensors) == len(index.weight_map) and not unlisted and not self._copies

    def _promised(self, header: Header) -> bool:
        """Whether the index puts every tensor of this file, and of all before it, into their files.

        Then no name can come twice, and the index itself says which tensor is where.
        """
        if not self._as_promised or self.index is None:
            return False
        names = self.index.promised.get(header.file, ())
        return len(names) == len(header.tensors) and all(map(header.tensors.__contains__, names))

    def _spell_out(self) -> None:
        """Leaves the index's word for what was read so far and writes it down tensor by tensor."""
        if self._as_promised and self.index is not None:
            promise = self.index.weight_map
            self.file_of.update({name: promise[name] for name in self.tensors})
        self._as_promised = False

    def _leave_out(self, header: Header) -> None:
        """A shard of another number of shards: its tensors belong to another save, and are only compared."""
        repeated = header.tensors.keys() & self.tensors.keys()
        other = tuple(sorted(name for name in repeated if self.tensors[name] != header.tensors[name]))
        same = tuple(sorted(repeated.difference(other)))
        self._copies.append(agreement.Copy(header.file, same, other, len(header.tensors), True))

    def _doubles(self, header: Header, unlisted: bool) -> None:
        """Adds a file of which some tensors are already there: the one that the index names stays."""
        same: list[str] = []
        other: list[str] = []
        promised = {} if self.index is None else self.index.weight_map
        for name, layout in header.tensors.items():
            present = self.tensors.get(name)
            if present is None:
                self.tensors[name] = layout
                self.file_of[name] = header.file
                continue
            (same if present == layout else other).append(name)
            if promised.get(name) == header.file:
                self.tensors[name] = layout
                self.file_of[name] = header.file
        self._copies.append(agreement.Copy(header.file, tuple(same), tuple(other), len(header.tensors), unlisted))

    def _refused(self, name: str, refusal: Refusal) -> None:
        broken = self.listing.others.get(name) == "broken link"
        self._gone[name] = refusal.reason
        if refusal.reason == "absent" and self.index is not None:
            self._gone[name] = "broken link" if broken else "absent"
            return  # told with the tensors it takes along
        facts: dict[str, Fact] = {
            "reason": "broken link" if broken else refusal.reason,
            "detail": refusal.detail,
        }
        rule = {
            "permission": "not-permitted",
            "not-regular": "not-a-regular-file",
            "absent": "not-found",
            "loop": "not-found",
        }.get(refusal.reason, "read-failed")
        self.evidence.append(Evidence(rule, Place(file=name), facts))

    def _formats(self) -> None:
        without = [
            file.name
            for file in self.files
            if "format" not in file.metadata and file.tensors and file.name not in self._unlabelled
        ]
        if without:
            facts: dict[str, Fact] = {
                "files": len(without),
                "names": without[:NAMES_SHOWN],
                "of": len(self.files),
            }
            self.evidence.append(Evidence("format-absent", Place(), facts))


_SINGLE: Final = "model.safetensors"
"""Taken by transformers before it looks for an index (`_get_resolved_checkpoint_files`)."""


def _others(
    sets: tuple[WeightSet, ...], audited: WeightSet, names: Mapping[str, None], sizes: Mapping[str, int]
) -> tuple[OtherSet, ...]:
    others = []
    for one in sets:
        files = tuple(name for name in one.files if name not in names)
        if one.name != audited.name and files:
            others.append(OtherSet(one.name, files, sum(sizes[name] for name in files), one.kind))
    return tuple(others)


def _other_weights(audited: WeightSet, others: tuple[OtherSet, ...], audited_bytes: int) -> Evidence:
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


def _no_weights(source: Source, sets: tuple[WeightSet, ...], listing: Listing) -> Evidence:
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


def _sniffed(source: Source, sets: tuple[WeightSet, ...], sizes: Mapping[str, int]) -> list[Evidence]:
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


def _unfinished(listing: Listing, names: Mapping[str, None]) -> list[Evidence]:
    """Traces of a download that did not end, beside a file of the audited set."""
    found: list[Evidence] = []
    for name in listing.files:
        for ending in _HALVES:
            whole = name.removesuffix(ending)
            if whole != name and (whole in names):
                facts: dict[str, Fact] = {"trace": name}
                found.append(Evidence("download-unfinished", Place(file=whole), facts))
    return found


_FETCHED_AGAIN: Final = frozenset(
    {
        "shard-cut",
        "shard-missing",
        "header-truncated",
        "not-a-checkpoint",
        "data-behind-end",
        "index-unreadable",
    }
)


def _with_origin(evidence: list[Evidence], source: Source) -> list[Evidence]:
    """Adds to what is cured by fetching a file again where to fetch it, or that it is so where it comes from."""
    more: dict[str, Fact] = {}
    if isinstance(source, Forewarned):
        more = {"remote": True}
    elif source.origin is not None:
        more = {"repository": source.origin[0], "revision": source.origin[1]}
    if not more:
        return evidence
    return [replace(one, facts={**one.facts, **more}) if one.rule in _FETCHED_AGAIN else one for one in evidence]
