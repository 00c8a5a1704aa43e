"""The numbers of one side are the other's in a narrower dtype.

What it means
    Every number of these tensors is the source's rounded to the target's dtype, to nearest and ties
    to even, or cut to it; or the source's are the target's rounded, so that both come of finer ones.

Why it matters
    Nothing is damaged; the precision is that of the narrower dtype.

Example
    note[V821] values-rounded: 21 tensors
      how      rounded to the target's dtype
      largest  0.00781202

What to do
    Nothing. Where every bit matters, convert without changing the dtype.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed

WORDS = {
    "rounded": "rounded to the target's dtype",
    "cut": "cut to the target's dtype",
    "finer": "the source is the rounded one",
}


def _headline(place: Place, facts: Facts) -> str:
    return count(facts["tensors"], "tensor")


def _rows(place: Place, facts: Facts) -> Rows:
    return [("how", listed([WORDS[way] for way in facts["ways"]])), ("largest", f"{facts['largest']:g}")]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
