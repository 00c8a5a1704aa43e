"""Merges findings on files of several pipeline components that were lost for the same reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.findings.reading.content import ConfigUnreadable, NotACheckpoint
from inspector.findings.reading.no_weights import NoWeights
from inspector.loader.lost_files import STAND_INS, several, with_stand_ins


def lost_together(findings: Sequence[Finding]) -> list[Finding]:
    """Merges findings on several components: Git LFS pointers, configs with the same problem, folders without weights.

    A forgotten `git lfs pull` leaves pointers in every component; a merge leaves its conflicts in every config.
    """
    groups: dict[tuple[type[Finding], str], list[Finding]] = {}
    findings = with_stand_ins(findings)
    for one in findings:
        if (key := _reason(one)) is not None:
            groups.setdefault(key, []).append(one)
    result: list[Finding] = []
    for one in findings:
        key = _reason(one)
        members = [] if key is None else groups[key]
        if len(members) < 2:
            result.append(one)
        elif one is members[0]:
            result.append(_as_one(members))
    return result


def _reason(finding: Finding) -> tuple[type[Finding], str] | None:
    """A key that findings with the same cause share; None for a finding with its own cause."""
    if isinstance(finding, NotACheckpoint) and finding.what in STAND_INS:
        return NotACheckpoint, finding.what
    if isinstance(finding, ConfigUnreadable) and not finding.detail and finding.place.file:
        return ConfigUnreadable, finding.problem
    if isinstance(finding, NoWeights) and finding.from_component is not None:
        return NoWeights, f"{finding.of_component().headline()}; {finding.help}"
    return None


def _as_one(members: Sequence[Finding]) -> Finding:
    first = members[0]
    if isinstance(first, NotACheckpoint):
        pointers = [one for one in members if isinstance(one, NotACheckpoint)]
        return several(pointers, [name for one in pointers for name in _paths(one)])
    others = tuple(str(one.place.file) for one in members[1:])
    if isinstance(first, NoWeights):
        return replace(first, same_fault_in=others)
    return replace(first, from_component=None, same_fault_in=others)


def _paths(finding: NotACheckpoint) -> Iterator[str]:
    """The paths of a finding's files, relative to the pipeline."""
    if not finding.files:
        yield str(finding.place.file)
        return
    folder = f"{finding.from_component.name}/" if finding.from_component else ""
    yield from (folder + name for name in finding.names)
