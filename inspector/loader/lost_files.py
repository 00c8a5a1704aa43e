"""Joins findings on files that are lost for one reason, such as git-lfs pointers, empty files, or files
full of zeros.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.findings.finding import NAMES_SHOWN, UNFINISHED, Finding, Place
from inspector.loader.layer_words import layers_of
from inspector.loader.sources.source import Listing, Refusal, Source

if TYPE_CHECKING:
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.findings.refetch import Refetch
    from inspector.findings.shards.files import ShardCut

DOWNLOAD_FOLDER: Final = (".cache", "huggingface", "download")
"""Where `hf download --local-dir` keeps what it has begun to download."""


def with_broken_links(findings: Sequence[Finding], listing: Listing) -> Sequence[Finding]:
    """The findings, with those on links to files that do not exist joined into one."""
    broken = sorted(name for name, kind in listing.others.items() if kind == "broken link")
    if len(broken) < 2:
        return findings
    from inspector.findings.reading.content import ConfigUnreadable
    from inspector.findings.reading.named import LinksBroken
    from inspector.findings.reading.place import NotFound
    from inspector.findings.shards.index import IndexUnreadable

    same = (ConfigUnreadable, IndexUnreadable, NotFound)
    kept = [one for one in findings if not (isinstance(one, same) and one.place.file in broken)]
    if len(findings) - len(kept) < 2:
        return findings
    return [LinksBroken(files=len(broken), names=tuple(broken[:NAMES_SHOWN])), *kept]


STAND_INS: Final = ("git-lfs-pointer", "xet-pointer", "link-text")
"""Contents that replace a file of any kind, both configs and weights."""


def with_stand_ins(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings; configs and indexes that are pointers like the weights get the finding on pointers."""
    if len(findings) < 2:
        return findings
    from inspector.findings.reading.content import ConfigUnreadable, NotACheckpoint
    from inspector.findings.shards.index import IndexUnreadable

    weights = {finding.what for finding in findings if isinstance(finding, NotACheckpoint)}.intersection(STAND_INS)
    return [
        NotACheckpoint(place=finding.place, what=finding.what, bytes=None)
        if isinstance(finding, ConfigUnreadable | IndexUnreadable) and finding.what in weights
        else finding
        for finding in findings
    ]


def together(findings: Sequence[Finding], lost: Mapping[str, Sequence[str]]) -> list[Finding]:
    """The findings, with those on several files of the same content joined. lost: file -> the tensors
    that it contains.
    """
    if len(findings) < 2:
        return list(findings)
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.findings.shards.files import ShardCut

    groups: dict[str, list[NotACheckpoint]] = {}
    cut: list[ShardCut] = []
    findings = _alike(findings)
    for finding in findings:
        if isinstance(finding, NotACheckpoint) and finding.place.file is not None:
            groups.setdefault(finding.what, []).append(finding)
        elif isinstance(finding, ShardCut):
            cut.append(finding)
    result: list[Finding] = []
    for finding in findings:
        listed = groups.get(finding.what, []) if isinstance(finding, NotACheckpoint) else []
        if len(cut) > 1 and isinstance(finding, ShardCut):
            if finding is cut[0]:
                result.append(_several_cut(cut))
        elif len(listed) < 2 or finding.place.file is None:
            result.append(finding)
        elif finding is listed[0]:
            files = sorted(one.place.file or "" for one in listed)
            layers = layers_of(name for file in files for name in lost.get(file, ())) or None
            result.append(several(listed, files, layers))
    return result


def _alike(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, with those of one kind on unreadable files joined into the first of them."""
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.findings.shards.files import ShardCut

    others: dict[type[Finding], list[str]] = {}
    first: dict[type[Finding], Finding] = {}
    result: list[Finding] = []
    for finding in findings:
        kind, file = type(finding), finding.place.file
        if not finding.unreadable or isinstance(finding, NotACheckpoint | ShardCut) or file is None:
            result.append(finding)
        elif kind in first and file != first[kind].place.file:
            others.setdefault(kind, []).append(file)
        else:
            first.setdefault(kind, finding)
            result.append(finding)
    return [
        replace(one, same_fault_in=tuple(dict.fromkeys(others[type(one)])))
        if type(one) in others and one is first[type(one)]
        else one
        for one in result
    ]


def several(findings: Sequence[NotACheckpoint], names: Sequence[str], layers: str | None = None) -> Finding:
    """One finding for all files of some findings. names: these files, or the first of them."""
    sizes = [finding.bytes for finding in findings]
    return replace(
        findings[0],
        place=Place(),
        from_component=None,
        reference="",
        bytes=sum(size or 0 for size in sizes) if None not in sizes else None,
        files=sum(finding.files or 1 for finding in findings),
        names=tuple(names[:NAMES_SHOWN]),
        layers=layers,
    )


def _several_cut(findings: Sequence[ShardCut]) -> Finding:
    files = sorted(finding.place.file or "" for finding in findings)
    layers = [finding.layers for finding in findings if finding.layers]
    return replace(
        findings[0],
        place=Place(),
        declared=sum(finding.declared for finding in findings),
        stored=sum(finding.stored for finding in findings),
        lost_bytes=sum(finding.lost_bytes for finding in findings),
        tensors=sum(finding.tensors for finding in findings),
        names=tuple(name for finding in findings for name in finding.names)[:NAMES_SHOWN],
        layers=", ".join(dict.fromkeys(layers)),
        files=len(files),
        file_names=tuple(files[:NAMES_SHOWN]),
    )


def with_unfinished(findings: Sequence[Finding], source: Source, listing: Listing) -> Sequence[Finding]:
    """The findings on lost files with the partial files of their downloads, which are then no findings of their own."""
    partial = {
        name.removesuffix(ending): name for name in listing.files for ending in UNFINISHED if name.endswith(ending)
    }
    if not findings:
        return findings
    from inspector.findings.reading.place import DownloadUnfinished
    from inspector.findings.refetch import Refetch

    lost = {file for one in findings if isinstance(one, Refetch) for file in _lost(one)}
    partial = {**_in_progress(lost, source), **partial}
    result: list[Finding] = []
    explained: set[str] = set()
    for finding in findings:
        files = _lost(finding) if isinstance(finding, Refetch) else ()
        if files and partial.keys() >= set(files):
            result.append(replace(finding, unfinished=tuple(partial[file] for file in files)))
            explained.update(files)
        else:
            result.append(finding)
    return [one for one in result if not (isinstance(one, DownloadUnfinished) and one.place.file in explained)]


def _in_progress(lost: Collection[str], source: Source) -> dict[str, str]:
    """The partial files of `hf download --local-dir` by the files that they become, among lost ones.

    Source: `LocalDownloadFilePaths.incomplete_path` and `_short_hash` in `_local_folder.py` of huggingface_hub.
    """
    begun = [name for name in in_download_folder(source) if name.endswith(".incomplete")] if lost else []
    if not begun:
        return {}
    import base64
    import hashlib

    digests = {file: hashlib.sha1(f"{file}.metadata".encode(), usedforsecurity=False).digest() for file in lost}
    starts = {f"{base64.urlsafe_b64encode(digest).decode()}.": file for file, digest in digests.items()}
    folder = "/".join(DOWNLOAD_FOLDER)
    return {file: f"{folder}/{name}" for name in begun for start, file in starts.items() if name.startswith(start)}


def in_download_folder(source: Source) -> Sequence[str]:
    """The files in the folder for files that `hf download --local-dir` has begun to download."""
    place: Source = source
    for folder in DOWNLOAD_FOLDER:
        found = place.inside(folder)
        if isinstance(found, Refusal):
            return ()
        place = found
    return tuple(place.listing().files)


def _lost(finding: Refetch) -> tuple[str, ...]:
    """All files that a finding is about; () if it does not keep all names."""
    several, names = finding.lost_files()
    if several:
        return names if len(names) == several else ()
    return (finding.place.file, *finding.same_fault_in) if finding.place.file else ()


def with_origin(findings: Sequence[Finding], origin: tuple[str, str] | None, remote: bool) -> Sequence[Finding]:
    """The findings with the repository to download the lost files from. Files that were read there are damaged at the
    source.
    """
    if not findings or (not remote and origin is None):
        return findings
    from inspector.findings.refetch import Refetch

    def completed(finding: Finding) -> Finding:
        if not isinstance(finding, Refetch):
            return finding
        return finding.at_its_source() if remote or origin is None else finding.from_origin(*origin)

    return [completed(finding) for finding in findings]
