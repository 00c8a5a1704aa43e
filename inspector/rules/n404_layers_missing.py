"""A whole layer or expert is not stored.

What it means
    Every required tensor below a numbered part is absent, while its siblings are there.

Why it matters
    The model cannot run, or runs with random numbers in this place.

Example
    error[N404] layers-missing: layer 17
      below    model.layers.{layer}
      missing  9 tensors, 218,112,000 parameters
      present  layers 0-16, 18-31
      help     fetch or convert the checkpoint again: these tensors are in no file
               of it

What to do
    Fetch the files that hold it, or repeat the conversion that dropped it.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["what"])


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("below", str(place.family)),
        ("missing", f"{count(facts['tensors'], 'tensor')}, {number(facts['parameters'])} parameters"),
    ]
    return [*rows, ("present", str(facts["present"]))] if facts["present"] else rows


def _help(place: Place, facts: Facts) -> str:
    return "fetch or convert the checkpoint again: these tensors are in no file of it"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
