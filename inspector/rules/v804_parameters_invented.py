"""The conversion added parameters of a role.

What it means
    The target has more parameters of this role than the source.

Why it matters
    They come from nowhere: random numbers, padding, or another model.

Example
    error[V804] parameters-invented: embedding
      source   525,336,576
      target   526,385,152, 1,048,576 more
      because  V 128,256 → 128,512
      help     find out what the converter filled them with

What to do
    Find out what the converter filled them with; padding of a vocabulary should be zeros.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["role"])


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("source", number(facts["source"])),
        ("target", f"{number(facts['target'])}, {number(facts['target'] - facts['source'])} more"),
    ]
    return [*rows, ("because", str(facts["because"]))] if facts["because"] else rows


def _help(place: Place, facts: Facts) -> str:
    return "find out what the converter filled them with"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
