"""No card reads this architecture.

What it means
    Neither the config's model type nor the names belong to an architecture that the tool has a card
    for.

Why it matters
    Names and shapes were not compared with a formula; layers were compared with each other.

Example
    note[N412] architecture-unknown: my_own_net

What to do
    Compare the count with one from another source: --claim.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["model_type"] or "no config, and no architecture has these names")


def _rows(place: Place, facts: Facts) -> Rows:
    return [("nearest", f"{facts['nearest']} has {facts['coverage']:.0%} of the families")] if facts["nearest"] else []


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
