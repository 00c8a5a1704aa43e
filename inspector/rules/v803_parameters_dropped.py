"""The conversion lost tensors.

What it means
    The source has tensors of a role, in some layers or in all, and no file of the target holds
    them.

Why it matters
    The converted model is not the one that went in; loaders fill the place with random numbers.

Example
    error[V803] parameters-dropped: attention key of layer 17
      source   model.layers.17.self_attn.k_proj.weight
      target   no model.layers.17.self_attn.k_proj.weight
      dropped  1 tensor, 4,194,304 parameters
      help     repeat the conversion; these parameters are in no file of the target

What to do
    Repeat the conversion with a converter that knows the part.
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
        ("source", there),
        ("target", other),
        ("dropped", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
    ]
    return [*rows, ("because", f"the target has the {facts['tied']} in its place")] if facts["tied"] else rows


def _help(place: Place, facts: Facts) -> str:
    return "repeat the conversion; these parameters are in no file of the target"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
