"""Query and key rows are in the other order of rotary embeddings.

What it means
    Within each head the one side has rows in pairs, as Meta's code wants them, and the other in two
    halves, as transformers does; apart from that the numbers are the same.

Why it matters
    It is what a converter between the two must do. Headers cannot show it.

Example
    note[V822] rows-reordered: 4 tensors
      such as  model.layers.0.self_attn.q_proj.weight

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return count(facts["tensors"], "tensor")


def _rows(place: Place, facts: Facts) -> Rows:
    return [("such as", listed(facts["names"], 1).split(" and ")[0])]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
