"""The finding that the budget of an audit is spent."""

from __future__ import annotations

from inspector.budget import Exceeded, current, first_report
from inspector.findings.finding import Finding, Place


def request_findings() -> tuple[Finding, ...]:
    """The finding that no request is left, if a request was refused."""
    budget = current()
    if budget is None or budget.requests >= 0:
        return ()
    return exceeded_findings(Exceeded("the files and components to fetch", "requests"))


def exceeded_findings(exceeded: Exceeded, file: str | None = None, *, lost: bool = False) -> tuple[Finding, ...]:
    """The finding, once for each audit. file: the only file that was not read. lost: report it again, because an
    earlier finding was discarded with the reading.
    """
    first, is_new = first_report(exceeded)
    if not is_new and not lost:
        return ()
    from inspector.findings.reading.budget import BudgetExceeded

    return (BudgetExceeded(place=Place(file=file), what=first.what, resource=first.resource),)
