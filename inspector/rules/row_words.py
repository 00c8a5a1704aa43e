"""Words that the findings on rows of a vocabulary share."""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, count, listed, number


def headline(place: Place, facts: Facts) -> str:
    """How many rows, and of which matrices."""
    rows = abs(facts["target"] - facts["source"])
    return f"{count(rows, 'row')} of {listed(facts['roles'], 4)}"


def rows(facts: Facts, source: str, target: str, change: str) -> Rows:
    """The rows of both sides with a remark on each, and the parameters that were dropped or invented."""
    return [
        ("source", f"{number(facts['source'])} rows{source}"),
        ("target", f"{number(facts['target'])} rows{target}"),
        (change, count(facts[change], "parameter")),
    ]


def stated(facts: Facts) -> str:
    """What the target's own config says, where it is something else."""
    size = facts["stated"]
    return "" if size in (None, facts["target"]) else f", its config says {number(size)}"
