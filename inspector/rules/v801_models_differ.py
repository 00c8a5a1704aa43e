"""The two checkpoints are two models.

What it means
    They are of different architectures, or of other widths, so that one is no conversion of the
    other.

Why it matters
    The table shows where they differ; nothing is proven of one by the other.

Example
    note[V801] models-differ: 8,030,261,248 and 7,526,944,768 parameters
      symbols  kv 8 -> 32, ff 14,336 -> 11,008

What to do
    Nothing; ask with --expect conversion where it should have been one.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['source'])} and {number(facts['target'])} parameters"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("symbols", listed(facts["symbols"], 6))] if facts["symbols"] else []


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
