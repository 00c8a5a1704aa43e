"""The finding that the budget of an audit is spent."""

from __future__ import annotations

from inspector.budget import Exceeded, current, report_once
from inspector.findings.finding import Finding, Place


def request_findings() -> tuple[Finding, ...]:
    """The finding that no request is left, where one was refused."""
    budget = current()
    if budget is None or budget.requests >= 0:
        return ()
    return exceeded_findings(Exceeded("the files and components to fetch", "requests"))


def exceeded_findings(exceeded: Exceeded, file: str | None = None) -> tuple[Finding, ...]:
    """The finding, once for each audit. file: where only that file was not read."""
    if not report_once():
        return ()
    from inspector.findings.reading.budget import BudgetExceeded

    return (BudgetExceeded(place=Place(file=file), what=exceeded.what, resource=exceeded.resource),)
