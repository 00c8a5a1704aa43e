"""Whole layers, experts or parts came out of nowhere.

What it means
    Everything of these layers, experts or parts is in the target and nothing of it in the source.

Why it matters
    They hold random numbers, copies, or what belongs to another model.

Example
    error[V806] layers-invented: layer 32
      such as   model.layers.32.input_layernorm.weight
      roles     norm attention, norm mlp, attention query, attention key and 5 more
      invented  9 tensors, 218,112,000 parameters
      on both   layers 0-31
      help      find out what the converter filled them with

What to do
    Find out what the converter filled them with, or compare with the checkpoint that was converted.
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
        ("invented", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
        ("on both", str(facts["stays"])),
    ]
    return [row for row in rows if row[1]]


def _help(place: Place, facts: Facts) -> str:
    return "find out what the converter filled them with"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
