"""Some matrices are the source's to the last bit, while most are not.

What it means
    Most tensors of the two checkpoints differ; these do not.

Why it matters
    In a fine-tune these parts were frozen, or never trained: experts that no token reached, for one.

Example
    note[V823] values-unchanged: 1 of 21 tensors, layer 1
      such as  model.layers.1.self_attn.k_proj.weight

What to do
    Nothing where they were frozen on purpose; else look at the training.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    where = f", {facts['where']}" if facts["where"] else ""
    return f"{number(facts['tensors'])} of {count(facts['of'], 'tensor')}{where}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("such as", ", ".join(facts["names"][:2]))]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
