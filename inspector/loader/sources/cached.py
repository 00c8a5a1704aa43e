"""A repository in the local cache of the Hub client: its revisions, and the one that an address means."""

from __future__ import annotations

import os
from typing import Final

from msgspec import Struct

from inspector.findings.finding import Finding
from inspector.loader.sources.address import MAIN, Address
from inspector.loader.sources.folder import FolderSource, names_in, reference_in
from inspector.loader.sources.local_reading import names_device

_SHOWN: Final = 20


class Cached(Struct, frozen=True):
    """A snapshot in the cache. revision: the name that refers to it. only: the file that the address names."""

    source: FolderSource
    commit: str
    revision: str
    only: str | None = None
    unfinished: int = 0
    """Number of unfinished downloads in the cache folder of this repository."""


def open_cached(address: Address, cache: str, *, offline: bool = False) -> Cached | Finding:
    """The snapshot of a repository for an address: by reference, by commit, or by the beginning of a commit.

    No request is made. Without a revision it is the snapshot that `main` meant when last fetched, or the only snapshot.
    """
    root = os.path.join(cache, f"{address.repo_type}s--" + address.repository.replace("/", "--"))
    snapshots = names_in(os.path.join(root, "snapshots"))
    wanted = address.revision or MAIN
    commit = reference_in(root, wanted)
    if commit is None:
        begun = [one for one in snapshots if len(wanted) >= 5 and one.startswith(wanted)]
        if len(begun) == 1:
            commit = begun[0]
        elif address.revision is None and len(snapshots) == 1:
            commit = wanted = snapshots[0]
    if commit is None or commit not in snapshots:
        from inspector.findings.reading.cache import NotCached

        return NotCached(
            repository=address.repository,
            revision=address.revision,
            cache=cache,
            there=tuple(snapshots[:_SHOWN]),
            offline=offline,
            known=os.path.isdir(root),
            promised=commit,
        )
    folder = os.path.join(root, "snapshots", commit)
    only: str | None = None
    if address.inside:
        target = os.path.join(folder, address.inside)
        if names_device(target) or not os.path.exists(target):
            from inspector.findings.reading.cache import InsideNotFound

            return InsideNotFound(repository=address.repository, inside=address.inside, commit=commit, cache=cache)
        folder = target
        if not os.path.isdir(target):
            folder, only = os.path.split(target)
    below = os.path.relpath(folder, os.path.join(root, "snapshots", commit))
    title = address.repository if below == "." else f"{address.repository}/{below.replace(os.sep, '/')}"
    source = FolderSource(folder, title, (address.repository, commit))
    halves = [name for name in names_in(os.path.join(root, "blobs")) if name.endswith(".incomplete")]
    return Cached(source, commit, wanted, only, len(halves))
