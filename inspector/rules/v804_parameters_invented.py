"""The conversion added tensors.

What it means
    The target has tensors of a role, in some layers or in all, that the source does not have.

Why it matters
    They come from nowhere: random numbers, a copy under another name, or another model.

Example
    error[V804] parameters-invented: head
      source    no lm_head.weight
      target    lm_head.weight
      invented  1 tensor, 262,668,288 parameters
      because   the source has the embedding in its place
      help      find out what the converter filled them with

What to do
    Find out what the converter filled them with. A head that is a copy of the embedding belongs
    tied in the target's config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    where = f" of {facts['where']}" if facts["where"] else ""
    return f"{listed(facts['roles'], 4)}{where}"


def _rows(place: Place, facts: Facts) -> Rows:
    there = listed(facts["names"], 2)
    other = f"no {listed(facts['expected'], 2)}" if facts["expected"] else "nothing of this role"
    rows = [
        ("source", other),
        ("target", there),
        ("invented", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
    ]
    return [*rows, ("because", f"the source has the {facts['tied']} in its place")] if facts["tied"] else rows


def _help(place: Place, facts: Facts) -> str:
    return "find out what the converter filled them with"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
