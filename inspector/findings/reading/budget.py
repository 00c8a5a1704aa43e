"""The finding on an audit that exceeded its budget."""

from __future__ import annotations

from inspector.findings.finding import Finding, Rows

_RESOURCES = {
    "work": "it takes more steps than one audit may take",
    "memory": "it takes more memory than one audit may take",
    "requests": "it takes more requests than one audit may make",
}


class BudgetExceeded(Finding, frozen=True, kw_only=True):
    """The audit ended early: the input takes more work, memory or requests than one audit may take.

    What it means
        An audit has a budget of steps, bytes and requests, which follows from the size of the headers. Real
        checkpoints use a small part of it, however large they are: their names repeat from layer to layer. This
        input used all of it. What was read until then is in the counts; nothing after that was checked.

    Why it matters
        A few kilobytes can describe work for hours: expressions that backtrack, lists of a million stages, objects
        that contain each other. The limit is counted in steps, so that it is the same on every machine.

    Example
        error[R012] budget-exceeded: the sets of indices in the names
          because  it takes more steps than one audit may take
          kept     everything that was read until then is counted
          help     check which tool wrote these files; do not load them before you know

    What to do
        Check which tool wrote the files: no known tool writes such input. Audit the parts of a large collection
        one by one.
    """

    code = "R012"

    what: str
    resource: str

    remedy_text = "check which tool wrote these files; do not load them before you know"

    def headline(self) -> str:
        return f"{self.place.file}: {self.what}" if self.place.file else self.what

    def rows(self) -> Rows:
        return [("because", _RESOURCES[self.resource]), ("kept", "everything that was read until then is counted")]
