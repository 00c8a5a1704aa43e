"""The conversion lost parameters of a role.

What it means
    The target has fewer parameters of this role than the source.

Why it matters
    The converted model is not the one that went in.

Example
    error[V803] parameters-dropped: attention query
      source   536,870,912
      target   520,093,696, 16,777,216 fewer
      because  L 32 → 31
      help     repeat the conversion; these parameters are in no file of the target

What to do
    Repeat the conversion with a converter that knows the part.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["role"])


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("source", number(facts["source"])),
        ("target", f"{number(facts['target'])}, {number(facts['source'] - facts['target'])} fewer"),
    ]
    return [*rows, ("because", str(facts["because"]))] if facts["because"] else rows


def _help(place: Place, facts: Facts) -> str:
    return "repeat the conversion; these parameters are in no file of the target"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
