"""A file holds an optimizer's state, not weights.

What it means
    The dict in the file has the keys `state` and `param_groups`: it is what `optimizer.state_dict()` gives.
    Its tensors are moments and counters, numbered and not named.

Why it matters
    They have the shapes of the weights and are not the weights.

Example
    error[R043] optimizer-not-weights: optimizer.pt holds the state of an optimizer
      tensors  582
      help     point at the file that holds the weights

What to do
    Point at the file that holds the weights.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} holds the state of an optimizer"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("tensors", number(facts["tensors"]))]


def _help(place: Place, facts: Facts) -> str:
    return "point at the file that holds the weights"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
