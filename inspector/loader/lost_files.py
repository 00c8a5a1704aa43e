"""Files of one set that are lost for one reason are one finding: all are git-lfs pointers, empty, or full of zeros."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.layer_words import layers_of

if TYPE_CHECKING:
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.findings.shards.files import ShardCut


def together(findings: Sequence[Finding], lost: Mapping[str, Sequence[str]]) -> list[Finding]:
    """The findings, those of several files with the same content as one. lost: file -> the tensors lost with it."""
    if len(findings) < 2:
        return list(findings)
    from inspector.findings.reading.content import NotACheckpoint
    from inspector.findings.shards.files import ShardCut

    groups: dict[str, list[NotACheckpoint]] = {}
    cut: list[ShardCut] = []
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
            result.append(_several(listed, lost))
    return result


def _several(findings: Sequence[NotACheckpoint], lost: Mapping[str, Sequence[str]]) -> Finding:
    files = sorted(finding.place.file or "" for finding in findings)
    sizes = [finding.bytes for finding in findings]
    return replace(
        findings[0],
        place=Place(),
        bytes=sum(size or 0 for size in sizes) if None not in sizes else None,
        files=len(files),
        names=tuple(files[:NAMES_SHOWN]),
        layers=layers_of(name for file in files for name in lost.get(file, ())) or None,
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


def with_origin(findings: list[Finding], origin: tuple[str, str] | None, remote: bool) -> list[Finding]:
    """Adds where to download the lost files again; of files read there, that they are damaged at their source."""
    if not findings or (not remote and origin is None):
        return findings
    from inspector.findings.refetch import Refetch

    def completed(finding: Finding) -> Finding:
        if not isinstance(finding, Refetch):
            return finding
        return finding.at_its_source() if remote or origin is None else finding.from_origin(*origin)

    return [completed(finding) for finding in findings]
