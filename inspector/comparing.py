"""Two checkpoints role by role: how many parameters each has, and which symbol makes the difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.algebra.evaluation import whole
from inspector.algebra.expression import words
from inspector.auditing import Audit, audit
from inspector.evidence import Evidence
from inspector.notation.binding import scope_of
from inspector.notation.roles import GROUPS, group, label
from inspector.reconciler import ledger
from inspector.reconciler.reconciling import Reconciled
from inspector.rules.registry import Finding, worded

if TYPE_CHECKING:
    from inspector.downloads import Files
    from inspector.loader.traffic import Progress


@dataclass(frozen=True, slots=True)
class RoleDifference:
    """Parameters of one role on both sides, and the symbols that differ in its dims or extents."""

    role: str
    source: int
    target: int
    because: str

    @property
    def difference(self) -> int:
        """Target less source."""
        return self.target - self.source


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two audits side by side. relation: "conversion" or "different"; carried and dropped as the JSON says."""

    source: Audit
    target: Audit
    relation: str
    roles: tuple[RoleDifference, ...]
    carried: int | None
    dropped: int | None
    invented: int | None
    findings: tuple[Finding, ...]
    verdict: str
    files: Files | None = None

    def __str__(self) -> str:
        from inspector.report.compare_text import compare_text

        return compare_text(self)


def compare(
    source: str,
    target: str,
    *,
    expect: str | None = None,
    hashes: bool = False,
    places: Sequence[Mapping[str, Any]] = ({}, {}),
    progress: Progress | None = None,
) -> Comparison:
    """Compares the checkpoints at two places. expect "conversion" makes a different model an error.

    places: for each side the options of `audit` that say where it is (revision, subfolder, repo_type, cached).
    Where a side is a repository the files are compared too; hashes reads every byte of the large ones here.
    """
    from inspector.downloads import with_files

    one, other = (audit(place, **options) for place, options in zip((source, target), places, strict=True))
    return with_files(compare_audits(one, other, expect=expect), hashes=hashes, progress=progress)


def compare_audits(one: Audit, other: Audit, *, expect: str | None = None) -> Comparison:
    """Compares two audits."""
    roles = tuple(_roles(one, other))
    if one.verdict == "unreadable" or other.verdict == "unreadable":
        findings = [*one.findings, *other.findings]
        return Comparison(one, other, "different", roles, None, None, None, tuple(findings), "unreadable")
    differing = _widths(one.case, other.case)
    if differing is not None and not differing:
        return _conversion(one, other, roles)
    facts = {
        "source": one.counts.unique_parameters,
        "target": other.counts.unique_parameters,
        "symbols": [f"{name} {left:,} -> {right:,}" for name, (left, right) in (differing or {}).items()],
        "architectures": [side.architecture.name if side.architecture else None for side in (one, other)],
    }
    rule = "not-a-conversion" if expect == "conversion" else "models-differ"
    findings = worded([Evidence(rule, facts=facts)])
    verdict = "findings" if expect == "conversion" else "clean"
    return Comparison(one, other, "different", roles, None, None, None, tuple(findings), verdict)


def _conversion(one: Audit, other: Audit, roles: tuple[RoleDifference, ...]) -> Comparison:
    carried = sum(min(role.source, role.target) for role in roles)
    dropped = one.counts.unique_parameters - carried
    invented = other.counts.unique_parameters - carried
    evidence = []
    for role in roles:
        if role.difference:
            rule = "parameters-dropped" if role.difference < 0 else "parameters-invented"
            facts = {"role": role.role, "source": role.source, "target": role.target, "because": role.because}
            evidence.append(Evidence(rule, facts=facts))
    sides = [finding for side in (one, other) for finding in side.findings if finding.severity == "error"]
    findings = [*worded(evidence), *sides]
    verdict = "findings" if findings else "clean"
    return Comparison(one, other, "conversion", roles, carried, dropped, invented, tuple(findings), verdict)


FREE = frozenset({"V", "L"})
"""Symbols that a conversion may change: padded vocabularies, dropped layers."""


def _widths(one: Reconciled | None, other: Reconciled | None) -> dict[str, tuple[int, int]] | None:
    """The symbols of width that differ; None where the two are not of one architecture."""
    if one is None or other is None or one.reading.card is not other.reading.card:
        return None
    left, right = _values(one), _values(other)
    holes = {hole for case in (one, other) for slot in case.plan.unrolled.slots for hole in slot.holes}
    return {
        name: (left[name], right[name])
        for name in left
        if name in right and left[name] != right[name] and name not in FREE and name not in holes
    }


def _values(case: Reconciled) -> dict[str, int]:
    """Every symbol that the dims and extents of the model name, with its value where it has one."""
    values: dict[str, int] = {}
    for block in case.corrected.blocks:
        scope = scope_of(case.corrected.scope, block.slot)
        prefix = ".".join((*block.slot.scope, ""))
        names = [*block.slot.holes, *(path[0] for node in block.slot.dims for path in words(node) if len(path) == 1)]
        for name in names:
            value = whole(scope.word((name,)))
            if value is not None:
                values[f"{prefix}{name}"] = value
    return {**values, **case.products}


def _by_role(audited: Audit) -> Mapping[str, int]:
    totals: dict[str, int] = {}
    for line in audited.lines:
        if line.kind in (ledger.PARAMETER, ledger.UNCHECKED):
            name = "norms" if group(line.role) == "norms" else label(line.role)
            totals[name] = totals.get(name, 0) + line.parameters
    return totals


def _roles(one: Audit, other: Audit) -> Iterator[RoleDifference]:
    left, right = _by_role(one), _by_role(other)
    groups = {
        ("norms" if group(line.role) == "norms" else label(line.role)): group(line.role)
        for line in (*one.lines, *other.lines)
    }
    names = sorted(dict.fromkeys((*left, *right)), key=lambda name: GROUPS.index(groups[name]))
    reasons = _reasons(one.case, other.case)
    for name in names:
        source, target = left.get(name, 0), right.get(name, 0)
        because = "" if source == target else ", ".join(reasons.get(name, ()))
        yield RoleDifference(name, source, target, because)


def _reasons(one: Reconciled | None, other: Reconciled | None) -> dict[str, list[str]]:
    """For each role the symbols in its dims and extents that differ."""
    if one is None or other is None:
        return {}
    left, right = _values(one), _values(other)
    used = _used(one)
    for role, names in _used(other).items():
        used.setdefault(role, set()).update(names)
    return {
        role: [
            f"{name} {left[name]:,} → {right[name]:,}"
            for name in sorted(names)
            if name in left and name in right and left[name] != right[name]
        ]
        for role, names in used.items()
    }


def _used(case: Reconciled) -> dict[str, set[str]]:
    used: dict[str, set[str]] = {}
    for block in case.corrected.blocks:
        role = "norms" if group(block.slot.role) == "norms" else label(block.slot.role)
        prefix = ".".join((*block.slot.scope, ""))
        names = used.setdefault(role, set())
        names.update(f"{prefix}{hole}" for hole in block.slot.holes)
        for node in block.slot.dims:
            names.update(f"{prefix}{path[0]}" for path in words(node) if len(path) == 1)
    return used
