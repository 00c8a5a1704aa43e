"""Reads a checkpoint from headers, index and configs: `load` for a path, `assemble` for any source.

Names and shapes are not checked here. Problems of the files are findings; what could not be read is recorded (`lost`,
`cut`), so that later stages do not report a tensor as missing because of the loss of its file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Final, Unpack

from msgspec import Struct
from msgspec.structs import replace

from inspector.budget import unspent
from inspector.findings.finding import Finding
from inspector.loader.collector import no_collector
from inspector.loader.config_file import Config
from inspector.loader.configs import config_at, read_configs, side_values
from inspector.loader.files_below import with_files_below
from inspector.loader.index import Index
from inspector.loader.layout import Layout
from inspector.loader.leftovers import EMPTIED, emptied, leftover_findings
from inspector.loader.lost_files import together, with_broken_links, with_origin, with_stand_ins, with_unfinished
from inspector.loader.other_files import OtherSet, other_weights, others_of, unfinished, unlisted
from inspector.loader.picking import Contents, Picked, loadable, pick
from inspector.loader.set_reading import SetReading, WeightFile
from inspector.loader.sources.folder import FolderSource, locate
from inspector.loader.sources.local_reading import closed_folder
from inspector.loader.sources.source import Forewarned, Listing, Refusal, RepositoryFile, Source
from inspector.loader.unnumbered import with_unnumbered
from inspector.loader.weight_sets import WeightSet

if TYPE_CHECKING:
    from inspector.loader.sources.address import Address, Where
    from inspector.loader.sources.download import Download
    from inspector.loader.sources.opening import OpenedSource
    from inspector.loader.sources.traffic import Progress, Traffic

SIBLINGS_KEPT: Final = 1_000


class Checkpoint(Struct, frozen=True):
    """A checkpoint as read from its headers, index and configs.

    tensors: the union over the audited set. file_of: tensor -> file. lost: file -> tensors with unknown layouts: those
    that the index lists in an unreadable file, or that a header names without a usable layout. cut: tensors with
    missing bytes. damaged: safetensors files with findings on the header. set_name, kind: name, format of the set.
    partial: one shard of several was selected, so that absent tensors are not missing. readable: at least one header
    was read. address: the resolved source, `org/name@revision/folder` for a repository; commit: the commit that was
    read. cached: it was read from the local cache of the Hub. traffic, download: only for reading over a network.
    metadata: what the weight files (GGUF) state about the model, unless a config was given to use instead. ties: names
    that share storage according to the format. copies: tensor -> number of further copies, if the files are slices of
    one model. shadows: the repository that a local path hides. folder: its local path, "" for a single file and for a
    remote source; tree: every file of a repository's folder, as the Hub states it. kept_shapes: tensors whose values
    were read because they are shapes; None if none were requested. reach: opens the place again, to read such values
    and the content of its folders. by_rank: file -> its tensors (None if unreadable), for files that are numbered by
    rank and may be slices of one model. alone: the user named the file, the set or the config, so that it does not
    matter what a loader would find in the folder. rival: the set that the same loader would take if the audited set
    were absent. names_in_file: names in `tensors` -> names in the file, for a component of a single file.
    """

    source: str
    title: str
    config: Config | None = None
    adapter: Config | None = None
    pipeline: Config | None = None
    side: Mapping[str, Mapping[str, object]] = {}
    tensors: Mapping[str, Layout] = {}
    file_of: Mapping[str, str] = {}
    files: tuple[WeightFile, ...] = ()
    index: Index | None = None
    set_name: str = ""
    kind: str = ""
    other_sets: tuple[OtherSet, ...] = ()
    lost: Mapping[str, tuple[str, ...]] = {}
    cut: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    readable: bool = False
    partial: bool = False
    siblings: Mapping[str, int] = {}
    origin: tuple[str, str] | None = None
    address: str = ""
    commit: str | None = None
    cached: bool = False
    traffic: Traffic | None = None
    download: Download | None = None
    shadows: str | None = None
    folder: str = ""
    tree: Mapping[str, RepositoryFile] = {}
    metadata: Config | None = None
    ties: tuple[tuple[str, ...], ...] = ()
    copies: Mapping[str, int] = {}
    by_rank: Mapping[str, Mapping[str, Layout] | None] = {}
    kept_shapes: int | None = None
    reach: Callable[[], Source] | None = None
    alone: bool = False
    rival: str = ""
    names_in_file: Mapping[str, str] = {}

    @property
    def is_gguf(self) -> bool:
        """True if the audited set is a GGUF file, or the parts of one."""
        return self.kind == "gguf"


def load(
    source: str,
    *,
    weights: str | None = None,
    config: str | Config | None = None,
    progress: Progress | None = None,
    **where: Unpack[Where],
) -> Checkpoint:
    """Reads the checkpoint at a path, in a repository of the Hub, or at an address that fsspec knows.

    A path is a folder, a file, an index, or a place in the Hugging Face cache. An existing path always takes
    precedence, whatever else the text could mean, as in from_pretrained. A repository is `org/name`,
    `org/name@revision`, `hf://org/name@revision/folder` or the address of one of its pages; revision, subfolder and
    repo_type are those of a repository; cached reads only the local Hub cache. weights chooses among several sets of a
    folder: a file, an index, a set or a variant by name. config is a config, or the path of its file, to use instead of
    the one next to the weights. progress is called while headers arrive over a network.
    """
    with no_collector():
        chosen_config: tuple[Config | None, tuple[Finding, ...]] | None = None
        if config is not None:
            chosen_config = (config, ()) if isinstance(config, Config) else config_at(config)
        subfolder = where.get("subfolder")
        path = os.path.join(source, subfolder) if subfolder else source
        of_cache = where.get("cached") and not os.path.exists(path)
        of_hub = of_cache or where.get("revision") or where.get("repo_type") or source.startswith("hf://")
        if not of_hub:
            found = locate(path)
            if not isinstance(found, Refusal):
                place, only = found
                read = assemble(place, given=source, weights=weights, only=only, config=chosen_config)
                return replace(read, address=path, shadows=_shadowed(source))
            if found.reason != "absent" or os.path.lexists(source):
                return _unread(source, _no_place(found, path))
        from inspector.loader.sources.address import shown
        from inspector.loader.sources.opening import OpenedSource, open_source

        opened = open_source(source, progress=progress, chosen=weights is not None, **where)
        if isinstance(opened, Finding):
            from inspector.loader.no_place import with_similar_paths

            return _unread(shown(source), with_similar_paths(opened, source))
        if isinstance(opened, OpenedSource):
            return _opened(opened, shown(source), weights, chosen_config)
        found = locate(opened)
        if isinstance(found, Refusal):
            return _unread(source, _no_place(found, source))
        read = assemble(found[0], given=source, weights=weights, only=found[1], config=chosen_config)
        return replace(read, address=opened)


def load_repository(address: Address, *, cached: bool = False, progress: Progress | None = None) -> Checkpoint:
    """Reads the checkpoint in a repository of the Hub."""
    from inspector.loader.sources.opening import open_repository_at

    with no_collector():
        opened = open_repository_at(address, cached, progress)
        given = f"hf://{address.text}"
        return _unread(given, opened) if isinstance(opened, Finding) else _opened(opened, given)


def load_within(checkpoint: Checkpoint, folder: str) -> Checkpoint | None:
    """The checkpoint in a folder directly below another checkpoint, at the same commit; None without such a folder.

    The name may come from a file. It is only looked up in the listing of the opened place, and never treated as a path
    or an address.
    """
    source = checkpoint.reach() if checkpoint.reach is not None else None
    if source is None or (isinstance(source, FolderSource) and not checkpoint.folder):
        return None
    found = source.inside(folder)
    if isinstance(found, Refusal):
        return None
    given = _within(checkpoint, folder)
    address = given if checkpoint.commit is None else given.removeprefix("hf://")
    if not isinstance(found, FolderSource):
        from inspector.loader.sources.opening import OpenedSource, RemoteSource

        if isinstance(found, RemoteSource):
            return _opened(OpenedSource(found, address, commit=checkpoint.commit, remote=found), given)
    read = assemble(found, given=given)
    return replace(read, address=address, commit=checkpoint.commit, cached=checkpoint.cached)


def load_other_set(checkpoint: Checkpoint, name: str) -> Checkpoint | None:
    """Another set of weights of the same folder, with the same config; None if the place cannot be opened again."""
    source = checkpoint.reach() if checkpoint.reach is not None else None
    return None if source is None else assemble(source, given=checkpoint.source, weights=name)


def _within(checkpoint: Checkpoint, folder: str) -> str:
    """The address or path that a user would write for a folder of a checkpoint."""
    place = checkpoint.address or checkpoint.source
    if checkpoint.commit is not None:
        from inspector.loader.sources.address import below

        return below(place, checkpoint.commit, folder)
    if "://" not in place:
        return os.path.join(place, folder)
    inner, separator, outer = place.partition("::")  # zip://inside::s3://bucket/archive.zip
    return f"{inner.rstrip('/')}/{folder}{separator}{outer}"


def _in_context(context: Context, again: Callable[[], Source]) -> Source:
    """A remote place, opened again with the token and the cache that it was read with."""
    return context.copy().run(again)


def _opened(
    opened: OpenedSource,
    given: str,
    weights: str | None = None,
    config: tuple[Config | None, tuple[Finding, ...]] | None = None,
) -> Checkpoint:
    """The checkpoint in a source that was opened by its address, with its traffic."""
    from inspector.loader.over_budget import request_findings

    remote, context = opened.remote, copy_context()
    try:
        read = assemble(opened.source, given=given, weights=weights, only=opened.only, config=config)
    finally:
        if remote is not None:
            remote.close()
    download = None
    if read.set_name and opened.commit is not None and remote is not None:
        promised = () if read.index is None else read.index.promised
        unread = (one.place.file for one in read.findings if one.content_unknown and one.place.file is not None)
        audited = {file.name for file in read.files}.union(read.lost, promised, unread, (read.set_name,))
        download = remote.download(audited)
    return replace(
        read,
        findings=(*opened.notes, *read.findings, *request_findings()),
        address=opened.address,
        commit=opened.commit,
        cached=remote is None,
        reach=read.reach if remote is None else partial(_in_context, context, remote.again),
        traffic=None if remote is None else remote.traffic,
        download=download,
        tree=remote.tree if remote is not None and opened.commit is not None and opened.only is None else {},
    )


def _unread(source: str, why: Finding) -> Checkpoint:
    return Checkpoint(source, os.path.basename(source.rstrip("/" + os.sep)) or source, findings=(why,), address=source)


def _no_place(why: Refusal, path: str = "") -> Finding:
    """The finding that a place cannot be read. path: as the user wrote it."""
    from inspector.loader.no_place import no_place

    return no_place(why, path)


def _shadowed(source: str) -> str | None:
    """The repository that a relative path of two parts could also mean."""
    parts = source.split("/")
    named = len(parts) == 2 and all(parts) and not source.startswith((".", "~")) and ":" not in source
    return f"hf://{source}" if named else None


def assemble(
    source: Source,
    *,
    given: str | None = None,
    weights: str | None = None,
    only: str | None = None,
    config: tuple[Config | None, tuple[Finding, ...]] | None = None,
) -> Checkpoint:
    """Reads the checkpoint in a source.

    given: the source as written by the user. only: the single file that the user named. config: a config read
    elsewhere, with its findings, instead of the one in the source.
    """
    listing = source.listing()
    configs, faults = read_configs(source, listing, config)
    findings = [*faults]
    blank = replace(
        _without_weights(source, listing, configs, only),
        source=source.title if given is None else given,
        alone=only is not None or weights is not None or config is not None,
    )
    if "." in listing.others and only is None:
        refusal = Refusal(listing.others["."], folder=closed_folder(given) if given else "")
        return replace(blank, findings=(_no_place(refusal), *findings))
    contents = Contents.of(source, listing, configs.get("config"))
    picked, audit = _audited(loadable(contents), weights, only)
    findings.extend(picked.findings)
    in_component = weights is not None and "pipeline" in configs and (audit is None or not audit.files)
    if picked.weights is None or audit is None or in_component:
        if in_component:
            findings = [*faults, _of_no_component(str(weights), configs["pipeline"])]
        elif not picked.findings and "pipeline" not in configs:
            findings.extend(_instead_of_weights(contents, configs))
        others = tuple(OtherSet(one.name, one.files, one.bytes, one.kind) for one in contents.sets)
        return replace(blank, other_sets=others, findings=tuple(_around_files(together(findings, {}), source, listing)))
    others = others_of(contents.sets, picked.weights, audit.names, contents.sizes)
    findings.extend((*_around(listing, picked.weights, audit, others, alone=only is not None), *unlisted(listing)))
    found = together(with_stand_ins(with_broken_links(findings, listing)), audit.lost)
    placed = _around_files(found, source, listing)
    return replace(
        blank,
        metadata=None if audit.beyond is None or config is not None else audit.beyond.metadata,
        ties=() if audit.beyond is None else audit.beyond.ties,
        by_rank=audit.by_rank,
        tensors=audit.tensors,
        file_of=audit.file_of,
        files=tuple(audit.files),
        index=audit.index,
        set_name=picked.weights.name,
        kind=picked.weights.kind,
        other_sets=others,
        lost=audit.lost,
        cut=tuple(audit.cut),
        damaged=tuple(audit.damaged),
        findings=tuple(with_origin(placed, source.origin, isinstance(source, Forewarned))),
        readable=bool(audit.files),
        partial=picked.partial,
        rival="" if picked.rival is None else picked.rival.name,
        siblings={name: size for name, size in blank.siblings.items() if name not in audit.names},
    )


def _around_files(findings: Sequence[Finding], source: Source, listing: Listing) -> Sequence[Finding]:
    """The findings with what lies below the folder, and with downloads that are not finished."""
    return with_unfinished(with_files_below(findings, source, listing), source, listing)


def _instead_of_weights(contents: Contents, configs: Mapping[str, Config]) -> Iterator[Finding]:
    from inspector.loader.without_weights import instead_of_weights

    return instead_of_weights(contents, configs)


def _of_no_component(weights: str, pipeline: Config) -> Finding:
    from inspector.loader.without_weights import of_no_component

    return of_no_component(weights, pipeline)


def _without_weights(source: Source, listing: Listing, configs: Mapping[str, Config], only: str | None) -> Checkpoint:
    """The part of a checkpoint that is known before its weights are read."""
    return Checkpoint(
        source.title,
        source.title if only is None else only,
        configs.get("config") or configs.get("params"),
        configs.get("adapter"),
        configs.get("pipeline"),
        side=side_values(source, listing, configs),
        origin=source.origin,
        folder=source.folder if isinstance(source, FolderSource) and only is None else "",
        siblings=dict(list(listing.files.items())[:SIBLINGS_KEPT]),
        reach=lambda: source,
    )


def _around(
    listing: Listing, weights: WeightSet, audit: SetReading, others: tuple[OtherSet, ...], *, alone: bool
) -> Iterator[Finding]:
    """The findings in and around the audited set. alone: the user named a single file, so no other file is checked."""
    if audit.index is not None:
        yield from audit.index.findings
    if others and not alone:
        yield from other_weights(weights, others, audit.bytes)
    yield from unfinished(listing, audit.names)
    yield from audit.findings
    if not alone:
        yield from leftover_findings(listing, audit.names)
    for shape in EMPTIED if weights.kind == "pytorch" else EMPTIED[:1]:
        if audit.holds(shape) and (empty := emptied(audit.tensors, shape)) is not None:
            yield empty


def _audited(contents: Contents, weights: str | None, only: str | None) -> tuple[Picked, SetReading | None]:
    """The audited set and its headers. They are read in full detail only if a quick reading is not sufficient."""
    again = unspent()
    for quick in (not isinstance(contents.source, Forewarned), False):
        picked = pick(contents, weights, only, quick)
        if picked.weights is None:
            return picked, None
        if weights is None and only is None:
            picked = with_unnumbered(contents, picked)
        assert picked.weights is not None
        reading = SetReading(contents.source, contents.listing, picked.weights, picked.index, quick)
        if reading.run():
            break
        again()
    return picked, reading
