"""Opens the source that a user named: a path, a cached or a remote repository, a bucket."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import Struct

from inspector.findings.finding import Finding
from inspector.loader.sources.address import Address, InvalidAddress, address_of, shown, with_options
from inspector.loader.sources.source import RepositoryFile, Source

if TYPE_CHECKING:
    from inspector.loader.sources.download import Download
    from inspector.loader.sources.traffic import Progress, Traffic


@runtime_checkable
class RemoteSource(Source, Protocol):
    """A source that is read over a network."""

    @property
    def traffic(self) -> Traffic:
        """The traffic so far."""

    @property
    def tree(self) -> Mapping[str, RepositoryFile]:
        """Every file at and below the place, as it states them; {} if it does not state all of them."""

    def again(self) -> RemoteSource:
        """The same place, also after it was closed."""

    def close(self) -> None:
        """Ends the reading."""

    def download(self, audited: Iterable[str]) -> Download | None:
        """The size of a download of the place, if these of its files are the weights; None if unknown."""


class OpenedSource(Struct, frozen=True):
    """A source, and what to report with it.

    only: the single file that was named. address: the resolved source, in its shortest form.
    commit: of a repository. revision: the name in the cache that refers to it. notes: findings on the place.
    """

    source: Source
    address: str
    only: str | None = None
    commit: str | None = None
    revision: str | None = None
    notes: tuple[Finding, ...] = ()
    remote: RemoteSource | None = None


def understood(
    source: str, revision: str | None, subfolder: str | None, repo_type: str | None, cached: bool
) -> Address | InvalidAddress:
    """The address for a text with its options. An existing path wins, unless a cached repository is requested."""
    exists = os.path.lexists(source) and not cached
    hosts: frozenset[str] = frozenset()
    if not exists and "://" in source and not source.startswith("hf://"):
        from inspector.loader.sources.hub_settings import hosts as endpoint_hosts

        hosts = endpoint_hosts()
    address = address_of(source, exists=exists, hosts=hosts)
    return address if isinstance(address, InvalidAddress) else with_options(address, revision, subfolder, repo_type)


def open_source(
    source: str,
    *,
    revision: str | None = None,
    subfolder: str | None = None,
    repo_type: str | None = None,
    cached: bool = False,
    progress: Progress | None = None,
    chosen: bool = False,
) -> OpenedSource | Finding | str:
    """The source that a text names, the finding that there is none, or a local path.

    cached: the local cache of the Hub client only. revision, subfolder and repo_type are those of a
    repository. progress: called while headers arrive. chosen: the user selected weights.
    """
    address = understood(source, revision, subfolder, repo_type, cached)
    if isinstance(address, InvalidAddress):
        return _misread(address)
    if address.kind == "path":
        if cached:
            return _misread(InvalidAddress(source, "is not a repository name: use org/name"))
        return os.path.join(source, subfolder) if subfolder else source
    if address.kind == "url":
        return _remote(address, subfolder, progress)
    return open_repository_at(address, cached, progress, chosen)


def open_repository_at(
    address: Address, cached: bool = False, progress: Progress | None = None, chosen: bool = False
) -> OpenedSource | Finding:
    """A repository of the Hub; from the local cache if only that may be read."""
    from inspector.loader.sources.hub_settings import cache_folder, connection_problem, offline, settings

    without = offline()
    if cached or without:
        from inspector.loader.sources.cached import open_cached

        found = open_cached(address, cache_folder(), offline=without and not cached)
        if isinstance(found, Finding):
            return found
        from inspector.findings.reading.cache import ReadFromCache

        notes = (
            ReadFromCache(
                repository=address.repository,
                revision=found.revision,
                commit=found.commit,
                offline=without and not cached,
                unfinished=found.unfinished,
            ),
        )
        return OpenedSource(found.source, address.text, found.only, found.commit, found.revision, notes)
    stated = settings()
    if isinstance(stated, InvalidAddress):
        return _misread(stated)
    problem = connection_problem()
    if problem is not None:
        return _misread(problem)
    from inspector.loader.sources.hub import open_repository

    source = open_repository(address, stated, progress, chosen=chosen)
    if isinstance(source, Finding):
        return source
    return OpenedSource(source, source.address.text, source.only, source.commit, None, tuple(source.notes), source)


def _remote(address: Address, subfolder: str | None, progress: Progress | None) -> OpenedSource | Finding | str:
    from inspector.loader.sources.remote_files import open_remote

    url = address.given.rstrip("/") + f"/{subfolder.strip('/')}" if subfolder else address.given
    found = open_remote(url, progress)
    if isinstance(found, Finding | str):
        return found
    return OpenedSource(found, shown(url), found.only, remote=found)


def _misread(problem: InvalidAddress) -> Finding:
    from inspector.findings.reading.hub import AddressNotUnderstood

    return AddressNotUnderstood(given=shown(problem.given), problem=problem.problem)
