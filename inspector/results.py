"""Results for scripts: they print like the reports of the command, and can become dicts, rows and pickles."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from inspector.algebra.boxes import Box, tuples
from inspector.algebra.names import name_of
from inspector.auditing.result import CLEAN
from inspector.auditing.result import Audit as AuditResult
from inspector.comparing.names import FileNames
from inspector.comparing.result import Comparison as ComparisonResult
from inspector.findings.finding import SEVERITIES, Finding
from inspector.findings.words import count
from inspector.formulas import Formula as FormulaResult
from inspector.reconciler import ledger
from inspector.report.compare_text import compare_text
from inspector.report.formula_text import formula_text
from inspector.report.json_v1 import audit_json, compare_json, formula_json, line_json
from inspector.report.text import audit_text


class FindingsError(Exception):
    """Raised by `raise_for_findings`. findings: those at or above the requested severity.

    open_checks: if a verdict was required, the checks that would have decided it.
    """

    def __init__(self, findings: tuple[Finding, ...], open_checks: tuple[str, ...] = ()) -> None:
        words = [f"{one.code} {one.name}: {one.title}" for one in findings]
        super().__init__("; ".join([*words, *(f"undecided: {check}" for check in open_checks)]))
        self.findings = findings
        self.open_checks = open_checks

    def __reduce__(self) -> tuple[type[FindingsError], tuple[tuple[Finding, ...], tuple[str, ...]]]:
        return type(self), (self.findings, self.open_checks)


class Printed:
    """Base of all results: a notebook shows their report."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class HasFindings(Printed):
    """Base of results with findings: iterating yields the findings. A result is true even without findings."""

    __slots__ = ()
    findings: tuple[Finding, ...]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        return True

    def raise_for_findings(self, severity: str = "error") -> Self:
        """The result itself; FindingsError if there are findings of this severity or worse.

        Raises
        ------
        FindingsError, and ValueError for an unknown severity.
        """
        if severity not in SEVERITIES:
            raise ValueError(f"severity is one of {', '.join(SEVERITIES)}, not {severity!r}")
        limit = SEVERITIES.index(severity)
        bad = tuple(one for one in self.findings if SEVERITIES.index(one.severity) <= limit)
        if bad:
            raise FindingsError(bad)
        return self


class Audit(AuditResult, HasFindings, frozen=True):
    """
    The result of an audit. It iterates over its findings.

    Attributes
    ----------
    verdict:
        "clean", "undecided" (nothing is wrong, but a check that counts could not be made), "findings" or
        "unreadable".
    counts:
        Whole numbers: stored elements, parameters, unique parameters, and what the config's formula expects.
    findings:
        What is wrong, worst first; each has a code, a severity, a place, facts and help.
    """

    kept: PickledCase | None = None

    def raise_for_findings(self, severity: str = "error", *, require: str | None = None) -> Self:
        """The result itself; FindingsError if there are findings of this severity or worse.

        require: "clean" raises for every other verdict too.

        Raises
        ------
        FindingsError, and ValueError for an unknown severity or verdict.
        """
        if require not in (None, CLEAN):
            raise ValueError(f"require is 'clean' or None, not {require!r}")
        super().raise_for_findings(severity)
        if require is not None and self.verdict != require:
            bad = tuple(one for one in self.findings if one.severity != "note")
            raise FindingsError(bad, tuple(f"{one.check} ({one.because})" for one in self.skipped if one.decisive))
        return self

    def __str__(self) -> str:
        return self.kept.report if self.kept is not None else audit_text(self)

    def __repr__(self) -> str:
        kind = self.architecture.name if self.architecture is not None else "unknown architecture"
        total = f"{self.counts.unique_parameters:,} parameters"
        return f"<Audit {self.title!r}: {self.verdict}, {kind}, {total}, {count(len(self.findings), 'finding')}>"

    def to_dict(self) -> dict[str, Any]:
        """The object of schema `inspector.audit/1`, as `inspector audit -f json` prints it."""
        return self.kept.document if self.kept is not None else {**audit_json(self)}

    def records(self) -> list[dict[str, Any]]:
        """One row for each family of tensors: role, dtype, shape, number of tensors, elements, bytes."""
        return [{**line_json(line)} for line in self.lines]

    @property
    def missing(self) -> list[str]:
        """Names of required tensors that are not stored or are in a file that could not be read.

        Names in a pipeline begin with the component: "unet/conv_in.weight".
        """
        return self.kept.missing if self.kept is not None else _everywhere(self, _missing)

    @property
    def unexpected(self) -> list[str]:
        """Names of stored tensors that the architecture does not have, with components as in `missing`."""
        return self.kept.unexpected if self.kept is not None else _everywhere(self, _unexpected)

    @property
    def mismatched(self) -> list[str]:
        """Names of tensors with another shape than expected, with components as in `missing`."""
        return self.kept.mismatched if self.kept is not None else _everywhere(self, _mismatched)

    @property
    def lost(self) -> list[str]:
        """Names of tensors that reach beyond the end of their file, with components as in `missing`."""
        return _everywhere(self, lambda audited: list(audited.checkpoint.cut))

    def __reduce__(self) -> tuple[Any, ...]:
        kept = PickledCase(self.to_dict(), str(self), self.missing, self.unexpected, self.mismatched)
        return _restored, (Audit, {**asdict(_plain(self)), "kept": kept})


class PickledCase(Struct, frozen=True):
    """The part of a reconciliation that a pickled audit keeps: the definition itself contains functions."""

    document: dict[str, Any]
    report: str
    missing: list[str]
    unexpected: list[str]
    mismatched: list[str]


class Comparison(ComparisonResult, HasFindings, frozen=True, kw_only=True):
    """The result of a comparison of two checkpoints. It iterates over its findings."""

    kept: PickledCase | None = None

    def __str__(self) -> str:
        return self.kept.report if self.kept is not None else compare_text(self)

    def __repr__(self) -> str:
        names = f"{self.source.title!r} and {self.target.title!r}"
        return f"<Comparison of {names}: {self.relation}, {self.verdict}, {count(len(self.findings), 'finding')}>"

    def to_dict(self) -> dict[str, Any]:
        """The object of schema `inspector.compare/1`, as `inspector compare -f json` prints it."""
        return self.kept.document if self.kept is not None else {**compare_json(self)}

    def records(self) -> list[dict[str, Any]]:
        """One row for each role: parameters of both sides, and what was carried, dropped and added."""
        return [{**asdict(row), "difference": row.difference} for row in self.roles]

    def __reduce__(self) -> tuple[Any, ...]:
        kept = PickledCase(self.to_dict(), str(self), [], [], [])
        sides = {"source": _plain(self.source), "target": _plain(self.target)}
        return _restored, (Comparison, {**asdict(self), **sides, "carriage": (), "kept": kept})


class Formula(FormulaResult, Printed, frozen=True):
    """The formula of an architecture, with numbers if a config gives them."""

    def __str__(self) -> str:
        return formula_text(self)

    def __repr__(self) -> str:
        total = f"{self.total:,} parameters" if self.total is not None else "no numbers"
        return f"<Formula of {self.name}: {total}>"

    def to_dict(self) -> dict[str, Any]:
        """The object of schema `inspector.formula/1`, as `inspector formula -f json` prints it."""
        return {**formula_json(self)}

    def records(self) -> list[dict[str, Any]]:
        """One row for each tensor of the definition: role, dims, shape, number of tensors, parameters."""
        return [asdict(row) for row in self.rows]


def _everywhere(audited: AuditResult, names: Callable[[AuditResult], list[str]]) -> list[str]:
    """Names of an audit and of each component of a pipeline."""
    parts = audited.components.items()
    return [*names(audited), *(f"{part}/{name}" for part, inner in parts for name in names(inner))]


def _missing(audited: AuditResult) -> list[str]:
    lost = [name for names in audited.checkpoint.lost.values() for name in names]
    gaps = () if audited.case is None else audited.case.placement.missing
    return [*lost, *_names(audited, ((gap.block.key, gap.boxes) for gap in gaps))]


def _unexpected(audited: AuditResult) -> list[str]:
    if audited.components:
        return []  # the lines of a pipeline are those of its components
    return _names(audited, ((one.family, one.boxes) for one in audited.lines if one.kind == ledger.UNEXPLAINED))


def _mismatched(audited: AuditResult) -> list[str]:
    found = () if audited.case is None else audited.case.placement.mismatched
    return _names(audited, ((one.block.key, one.boxes) for one in found))


def _names(audited: AuditResult, families: Iterable[tuple[str, tuple[Box, ...]]]) -> list[str]:
    names = FileNames(audited)
    return [names.spelled(name_of(key, index)) for key, boxes in families for box in boxes for index in tuples(box)]


def _plain(audited: AuditResult) -> AuditResult:
    """An audit without parts that contain functions: the definition, and the access to the files."""
    return replace(
        audited,
        checkpoint=replace(audited.checkpoint, reach=None),
        ledger=replace(audited.ledger, lines=tuple(replace(line, block=None) for line in audited.lines)),
        case=None,
        unpacked=None,
        components={name: _plain(part) for name, part in audited.components.items()},
        base=None if audited.base is None else _plain(audited.base),
    )


def _restored(kind: type[Audit] | type[Comparison], values: dict[str, Any]) -> Audit | Comparison:
    return kind(**values)
