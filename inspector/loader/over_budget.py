"""The finding that the budget of an audit is spent."""

from __future__ import annotations

from inspector.budget import Exceeded, report_once
from inspector.findings.finding import Finding, Place


def exceeded_findings(exceeded: Exceeded, file: str | None = None) -> tuple[Finding, ...]:
    """The finding, once for each audit. file: where only that file was not read."""
    if not report_once():
        return ()
    from inspector.findings.reading.budget import BudgetExceeded

    return (BudgetExceeded(place=Place(file=file), what=exceeded.what, resource=exceeded.resource),)
