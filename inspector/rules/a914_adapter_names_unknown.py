"""Modules of the adapter have names that the card of the base does not have.

What it means
    The adapter names modules as the base was called in memory when it was trained. For these the card has no such
    names: the base may have them all the same, under others, or it is another base.

Why it matters
    What stands there is not checked against the base, and nothing that seems to be missing is told.

Example
    note[A914] adapter-names-unknown: 1 of 2 module families are not in the card of
      llama
      names  model.layers.{layer}.attention.query

What to do
    Nothing if the base is the adapter's own; otherwise name the base that it was trained on.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['modules'])} of {number(facts['of'])} module families are not in the card of {facts['base']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("names", listed(facts["names"], 3))]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
