"""A tied matrix is stored a second time.

What it means
    The config ties the head to the embedding, and both are in the file. It is counted once.

Why it matters
    The copy costs its bytes; loaders ignore it, or read it and tie it again.

Example
    note[P702] copy-stored: lm_head.weight is a copy of the embedding
      copy  [128256, 2048], 262,668,288 elements, counted once

What to do
    Nothing. Headers cannot tell whether the copy's values are the same.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number, role_words, shape


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.tensor or place.family} is a copy of the {role_words(facts['with'])}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("copy", f"{shape(facts['shape'])}, {number(facts['elements'])} elements, counted once")]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
