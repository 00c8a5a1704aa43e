"""A matrix of one number only.

What it means
    Every element of a weight matrix is the same, mostly zero: never initialised, never written, or a
    hole in a file that was preallocated.

Why it matters
    The layer does nothing.

Example
    warning[V826] values-constant: 1 tensor, layer 0
      tensor  model.layers.0.mlp.down_proj.weight
      value   0
      help    fetch the file again; an unfinished download leaves zeros

What to do
    Fetch the file again, or compare with the source. In an adapter, B matrices of zeros were never trained.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    where = f", {facts['where']}" if facts["where"] else ""
    return f"{count(facts['tensors'], 'tensor')}{where}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("tensor", listed(facts["names"], 2)), ("value", ", ".join(f"{value:g}" for value in facts["values"]))]


def _help(place: Place, facts: Facts) -> str:
    return "fetch the file again; an unfinished download leaves zeros"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
