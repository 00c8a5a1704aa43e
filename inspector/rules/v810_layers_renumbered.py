"""Layers or experts have other numbers.

What it means
    Some layers or experts of the source are not in the target, and as many with the same tensors
    are there under other numbers.

Why it matters
    Loaders look for them under their own numbers: what they do not find is filled with random
    numbers.

Example
    error[V810] layers-renumbered: layer 17 is layer 40 in the target
      source  model.layers.17.input_layernorm.weight
      target  model.layers.40.input_layernorm.weight
      holds   9 tensors, 218,112,000 parameters
      help    give them the numbers of the source; nothing here proves that they
              hold the same values

What to do
    Repeat the conversion, or rename the tensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['source']} is {facts['target']} in the target"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("source", str(facts["names"][0])),
        ("target", str(facts["names"][1])),
        ("holds", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "give them the numbers of the source; nothing here proves that they hold the same values"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
