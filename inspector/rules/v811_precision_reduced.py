"""Values are stored in fewer bits than before.

What it means
    The parameters are all there, in a dtype or packing with fewer bits.

Why it matters
    The values are rounded: the target cannot be turned back into the source.

Example
    note[V811] precision-reduced: 8,030,261,248 of 8,030,261,248 parameters
      F32 → BF16  8,030,261,248 parameters

What to do
    Nothing, where that was meant.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['parameters'])} of {number(facts['carried'])} parameters"


def _rows(place: Place, facts: Facts) -> Rows:
    return [(change, count(parameters, "parameter")) for change, parameters in list(facts["changes"].items())[:6]]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
