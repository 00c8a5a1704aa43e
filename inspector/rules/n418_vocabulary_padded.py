"""The vocabulary has more rows than the config says.

What it means
    The writer rounds the vocabulary up to a multiple, so that it can be cut into equal parts. The rows at
    the end belong to no token.

Why it matters
    Nothing is wrong; a converter cuts the rows off. They are parameters of this checkpoint and are counted.

Example
    note[N418] vocabulary-padded: 32,256 rows for 32,000 tokens
      padding  256 rows, 2,097,152 parameters

What to do
    Nothing. Converted to transformers, the checkpoint has that many parameters less.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['rows'])} rows for {number(facts['vocabulary'])} tokens"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("padding", f"{number(facts['padding'])} rows, {number(facts['parameters'])} parameters")]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
