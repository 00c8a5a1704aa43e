"""The whole checkpoint is a part of something larger.

What it means
    Every name begins with the same prefix, as a module has inside a model.

Why it matters
    Nothing is wrong; the names are read without it.

Example
    note[N415] names-below-prefix: encoder.attention.
      tensors  2

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["prefix"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [("tensors", number(facts["tensors"]))]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
