"""Whole layers, experts or parts did not arrive.

What it means
    Everything of these layers, experts or parts is in the source and nothing of it in the target.
    Where experts are stacked in one tensor the header tells how many are gone, not which.

Why it matters
    The converted model is a smaller one than the one that went in.

Example
    error[V805] layers-dropped: layer 31
      such as  model.layers.31.input_layernorm.weight
      roles    norm attention, norm mlp, attention query, attention key and 5 more
      dropped  9 tensors, 218,112,000 parameters
      on both  layers 0-30
      help     repeat the conversion; check that it read every file of the source

What to do
    Repeat the conversion; check that all shards of the source were there.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['what']}{', which ones a stack does not tell' if facts['stack'] else ''}"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("such as", listed(facts["names"], 1)),
        ("roles", listed(facts["roles"], 4)),
        ("dropped", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
        ("on both", str(facts["stays"])),
    ]
    return [row for row in rows if row[1]]


def _help(place: Place, facts: Facts) -> str:
    return "repeat the conversion; check that it read every file of the source"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
