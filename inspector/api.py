"""The results as scripts get them: they print as the reports that the command prints."""

from __future__ import annotations

from typing import Any, TypeVar

from inspector.auditing.result import Audit as AuditResult
from inspector.auditing.start import audit as _audit
from inspector.comparing.checkpoints import compare as _compare
from inspector.comparing.result import Comparison as ComparisonResult
from inspector.formulas import Formula as FormulaResult
from inspector.formulas import formula as _formula
from inspector.report.compare_text import compare_text
from inspector.report.formula_text import formula_text
from inspector.report.text import audit_text


class Audit(AuditResult, frozen=True):
    """The result of an audit."""

    def __str__(self) -> str:
        return audit_text(self)


class Comparison(ComparisonResult, frozen=True, kw_only=True):
    """The result of a comparison of two checkpoints."""

    def __str__(self) -> str:
        return compare_text(self)


class Formula(FormulaResult, frozen=True):
    """The formula of an architecture, with numbers where a config gives them."""

    def __str__(self) -> str:
        return formula_text(self)


Result = TypeVar("Result", Audit, Comparison, Formula)


def _as(kind: type[Result], result: Any) -> Result:
    return kind(**{name: getattr(result, name) for name in result.__struct_fields__})


def audit(source: str, **options: Any) -> Audit:
    """Audits a checkpoint. Options and errors: `inspector.auditing.start.audit`."""
    return _as(Audit, _audit(source, **options))


def compare(source: str, target: str, **options: Any) -> Comparison:
    """Compares two checkpoints. Options and errors: `inspector.comparing.checkpoints.compare`."""
    return _as(Comparison, _compare(source, target, **options))


def formula(what: str, **options: Any) -> Formula:
    """The formula of a name, a config or a checkpoint. Options and errors: `inspector.formulas.formula`."""
    return _as(Formula, _formula(what, **options))
