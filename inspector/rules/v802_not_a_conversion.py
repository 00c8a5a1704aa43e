"""A conversion was expected and the two are different models.

What it means
    They are of different architectures, or of other widths.

Why it matters
    What was delivered is not the model that went in.

Example
    error[V802] not-a-conversion: 8,030,261,248 and 7,526,944,768 parameters
      symbols  kv 8 -> 32, ff 14,336 -> 11,008
      help     compare with the checkpoint that was converted

What to do
    Compare with the checkpoint that was converted, or repeat the conversion.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['source'])} and {number(facts['target'])} parameters"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("symbols", listed(facts["symbols"], 6))] if facts["symbols"] else []


def _help(place: Place, facts: Facts) -> str:
    return "compare with the checkpoint that was converted"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
