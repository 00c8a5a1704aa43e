"""Compares a folder with its repository, or two repositories, file by file.

Names and sizes come from the tree of a commit on the Hub. Small files are compared by git hash. Large files are
compared by SHA-256, and only on request, since this reads all bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.comparing.result import Comparison, Files
from inspector.findings.conversion.downloads import (
    DownloadConfigDiffers,
    DownloadDiffers,
    DownloadIncomplete,
    DownloadLeavesOut,
    DownloadWeightsExtra,
    FileSize,
    RepositoriesDiffer,
)
from inspector.findings.finding import NAMES_SHOWN, Finding, Place, merged, ordered
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.sources.download import quoted, second_copy
from inspector.loader.sources.local_files import content_digest, files_below, git_digest
from inspector.loader.sources.source import RepositoryFile

if TYPE_CHECKING:
    from inspector.loader.sources.traffic import Progress

SMALL: Final = 10_000_000
"""Largest file, in bytes, that is always compared by content; the Hub states larger ones by SHA-256."""
SMALL_TOGETHER: Final = 500_000_000
_WEIGHTS: Final = (
    ".safetensors",
    ".bin",
    ".pt",
    ".pth",
    ".torch",
    ".th",
    ".gguf",
    ".safetensors.index.json",
    ".bin.index.json",
)
_DOCUMENTS: Final = (
    ".md",
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".svg",
    ".webp",
    ".pdf",
    ".mp4",
    ".ipynb",
    ".gitattributes",
    ".gitignore",
)
_PAPERS: Final = ("readme", "license", "notice", "use_policy", "changelog", "citation")


def with_files(compared: Comparison, *, hashes: bool = False, progress: Progress | None = None) -> Comparison:
    """The comparison with differences of files, if at least one side is a repository."""
    between = files_between(compared.source.checkpoint, compared.target.checkpoint, hashes, progress)
    if between is None:
        return compared
    files, found = between
    reported = {*files.missing, *files.differing}
    kept = [one for one in compared.findings if one.place.file not in reported]  # the cause is reported with the file
    findings = ordered((*kept, *merged(found)))
    bad = any(one.severity != "note" for one in findings)
    verdict = "findings" if bad and compared.verdict == "clean" else compared.verdict
    return replace(compared, files=files, findings=tuple(findings), verdict=verdict)


def files_between(
    one: Checkpoint, other: Checkpoint, hashes: bool = False, progress: Progress | None = None
) -> tuple[Files, list[Finding]] | None:
    """Compares the files of a folder with those of a repository, in either order, or those of two repositories."""
    if one.tree and other.tree:
        return _repositories(one, other)
    repository, local = (one, other) if one.tree else (other, one)
    if not repository.tree or not local.folder:
        return None
    return _Download(repository, local, hashes, progress).compare()


class _Download:
    """Compares a local folder with a repository."""

    def __init__(self, repository: Checkpoint, local: Checkpoint, hashes: bool, progress: Progress | None) -> None:
        self.repository, self.local = repository, local
        self.tree = repository.tree
        self.there, self.complete = files_below(local.folder)
        self.hashes, self.progress = hashes, progress
        self.proven: list[str] = []
        self.refused: list[str] = []

    def compare(self) -> tuple[Files, list[Finding]]:
        wanted = _audited(self.local) if _audited(self.local) <= self.tree.keys() else _audited(self.repository)
        both = [path for path in self.tree if path in self.there]
        sizes = {path: self.tree[path].size for path in both if self.tree[path].size != self.there[path]}
        equal = [path for path in both if path not in sizes]
        contents = self._small(equal)
        large = [path for path in equal if self.tree[path].sha256 is not None]
        if self.hashes:
            contents |= self._large(large)
        unproven = [path for path in large if path not in self.proven and path not in contents]
        missing = [path for path in self.tree if path not in self.there] if self.complete else []
        extra = [path for path in self.there if path not in self.tree and path.endswith(_WEIGHTS)]
        needed = [path for path in missing if _is_needed(path, wanted)]
        findings = [
            *self._missing(needed),
            *self._differing(sizes, contents),
            *self._extra(extra),
            *self._left_out([path for path in missing if path not in needed]),
        ]
        files = Files(
            reference=self.repository.address,
            commit=self.repository.commit or "",
            other=self.local.source,
            of=len(self.tree),
            same=len(equal) - len(contents),
            proven=len(self.proven),
            unproven=len(unproven),
            unproven_bytes=sum(self.tree[path].size for path in unproven),
            differing=(*sizes, *sorted(contents)),
            missing=tuple(missing),
            extra=tuple(extra),
            local=True,
            hashed=self.hashes,
        )
        return files, findings

    def _path(self, path: str) -> str:
        return os.path.join(self.local.folder, *path.split("/"))

    def _small(self, paths: list[str]) -> set[str]:
        """Small files with different content."""
        left = SMALL_TOGETHER
        differing = set()
        for path in paths:
            stated = self.tree[path]
            if stated.sha256 is not None or stated.oid is None or stated.size > min(SMALL, left):
                continue
            left -= stated.size
            if self._matches(path, git_digest(self._path(path), stated.size), stated.oid) is False:
                differing.add(path)
        return differing

    def _large(self, paths: list[str]) -> set[str]:
        """Large files with different content. Reads every byte of them."""
        differing = set()
        done = total = 0

        def read(count: int) -> None:
            nonlocal total
            total += count
            if self.progress is not None:
                self.progress(done, len(paths), total)

        for done, path in enumerate(paths):  # noqa: B007 (what read tells)
            stated = self.tree[path]
            found = content_digest(self._path(path), stated.size, read)
            if self._matches(path, found, stated.sha256 or "") is False:
                differing.add(path)
        return differing

    def _matches(self, path: str, found: object, stated: str) -> bool | None:
        if not isinstance(found, str):
            self.refused.append(path)
            return None
        if found == stated:
            self.proven.append(path)
        return found == stated

    # --- findings ---

    def _missing(self, paths: list[str]) -> Iterator[Finding]:
        if paths:
            yield DownloadIncomplete(
                place=_place(paths),
                repository=self.repository.address,
                commit=self.repository.commit,
                files=len(paths),
                names=tuple(paths[:NAMES_SHOWN]),
                bytes=sum(self.tree[path].size for path in paths),
                command=self._command(paths),
            )

    def _command(self, paths: list[str]) -> str:
        """The command that fetches only missing files: the Hub's client skips existing ones."""
        address = self.repository.address
        name = "/".join(address.partition("@")[0].split("/")[:2])
        whole = len(paths) > 3 or "/" in address.removeprefix(name)
        words = ["hf", "download", name, *([] if whole else paths), "--revision", self.repository.commit or ""]
        if self.local.origin is None:  # for a snapshot of the cache, the client needs no path
            words += ["--local-dir", self.local.source]
        return " ".join(quoted(word) for word in words)

    def _differing(self, sizes: Mapping[str, int], contents: set[str]) -> Iterator[Finding]:
        for kind, chosen in ((DownloadDiffers, True), (DownloadConfigDiffers, False)):
            paths = [path for path in (*sizes, *sorted(contents)) if self._is_weight(path) == chosen]
            if paths:
                cases = [FileSize(path, self.there[path], self.tree[path].size) for path in paths[:NAMES_SHOWN]]
                yield kind(
                    place=_place(paths),
                    repository=self.repository.address,
                    commit=self.repository.commit,
                    files=len(paths),
                    names=tuple(paths[:NAMES_SHOWN]),
                    cases=tuple(cases),
                )

    def _is_weight(self, path: str) -> bool:
        return self.tree[path].sha256 is not None or path.endswith(_WEIGHTS)

    def _extra(self, paths: list[str]) -> Iterator[Finding]:
        if paths:
            yield DownloadWeightsExtra(
                place=_place(paths),
                repository=self.repository.address,
                commit=self.repository.commit,
                files=len(paths),
                names=tuple(paths[:NAMES_SHOWN]),
                bytes=sum(self.there[path] for path in paths),
            )

    def _left_out(self, paths: list[str]) -> Iterator[Finding]:
        if paths:
            yield DownloadLeavesOut(
                repository=self.repository.address,
                commit=self.repository.commit,
                files=len(paths),
                names=tuple(paths[:NAMES_SHOWN]),
                bytes=sum(self.tree[path].size for path in paths),
            )


def _place(paths: Sequence[str]) -> Place:
    """The name of the file if there is only one."""
    return Place(file=paths[0] if len(paths) == 1 else None)


def _audited(checkpoint: Checkpoint) -> frozenset[str]:
    """The files of the audited set, including unread ones."""
    names = {file.name for file in checkpoint.files} | checkpoint.lost.keys()
    if checkpoint.index is not None:
        names.update((*checkpoint.index.weight_map.values(), checkpoint.index.file))
    return frozenset(names)


def _is_needed(path: str, audited: frozenset[str]) -> bool:
    """True if loading needs a file: it is not a document, an image or a copy of the weights."""
    name = path.rpartition("/")[2].lower()
    if path in audited:
        return True
    if name.startswith(_PAPERS) or name.endswith(_DOCUMENTS):
        return False
    return second_copy(path, set(audited)) is None


def _repositories(one: Checkpoint, other: Checkpoint) -> tuple[Files, list[Finding]]:
    """Compares two commits by what the Hub states about their files. No file is read."""
    both = [path for path in one.tree if path in other.tree]
    differing = [path for path in both if _differs(one.tree[path], other.tree[path])]
    gone = [path for path in one.tree if path not in other.tree]
    new = [path for path in other.tree if path not in one.tree]
    proven = [path for path in both if path not in differing and _states(one.tree[path], other.tree[path])]
    findings: list[Finding] = []
    if differing or gone or new:
        findings.append(
            RepositoriesDiffer(
                differing=tuple(differing[:NAMES_SHOWN]),
                differing_count=len(differing),
                gone=tuple(gone[:NAMES_SHOWN]),
                gone_count=len(gone),
                new=tuple(new[:NAMES_SHOWN]),
                new_count=len(new),
            )
        )
    rest = [path for path in both if path not in differing and path not in proven]
    files = Files(
        reference=one.address,
        commit=one.commit or "",
        other=other.address,
        of=len(one.tree),
        same=len(both) - len(differing),
        proven=len(proven),
        unproven=len(rest),
        unproven_bytes=sum(one.tree[path].size for path in rest),
        differing=tuple(differing),
        missing=tuple(gone),
        extra=tuple(new),
        local=False,
        hashed=False,
    )
    return files, findings


def _states(one: RepositoryFile, other: RepositoryFile) -> bool:
    """True if the Hub states the content of both files by the same kind of hash."""
    return (one.sha256 is not None and other.sha256 is not None) or (
        one.sha256 is None and other.sha256 is None and one.oid is not None and other.oid is not None
    )


def _differs(one: RepositoryFile, other: RepositoryFile) -> bool:
    if one.size != other.size:
        return True
    return _states(one, other) and (one.sha256 or one.oid) != (other.sha256 or other.oid)
