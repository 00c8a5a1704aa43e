"""Findings on keys of the config that no definition reads."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Rows
from inspector.findings.words import listed

HEADLINE_KEYS = 3
"""Most keys that a headline names."""


class KeyNotUnderstood(ContentFinding, frozen=True, kw_only=True):
    """Config keys that inspector does not recognize.

    What it means
        The architecture definition does not use these keys, its config class has no default for them, and they
        are not known to leave all shapes unchanged.

    Why it matters
        An unrecognized key may change the architecture; the audit does not cover that.

    Example
        note[C312] key-not-understood: my_router_depth

    What to do
        Nothing, if the keys belong to another program. If they belong to the model, the audit does not cover
        their effect.
    """

    code = "C312"
    severity = "note"

    keys: tuple[str, ...]
    count: int

    headline_text = "{keys:listed 3}"

    def rows(self) -> Rows:
        return [("keys", f"{self.count}: {listed(self.keys)}")] if self.count > HEADLINE_KEYS else []
