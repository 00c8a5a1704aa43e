"""More is stored than the model that the class builds.

What it means
    A part of the checkpoint is recognised and does not belong to the model of the config's class:
    layers for multi-token prediction, the head of another class, a tower.

Why it matters
    It is counted apart: the class's model has fewer parameters than the file.

Example
    note[N410] component-extra: mtp: 785 tensors, 11,610,067,968 parameters beyond
      the class's model
      first  model.layers.{layer}.input_layernorm.weight

What to do
    Nothing; loaders of this class leave it out.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    tensors = count(facts["tensors"], "tensor")
    return f"{facts['component']}: {tensors}, {number(facts['parameters'])} parameters beyond the class's model"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("first", str(facts["families"][0]))]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
