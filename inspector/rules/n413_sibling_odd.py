"""One layer is not like its siblings.

What it means
    In an unknown architecture, one of many like-numbered parts lacks a tensor that the others have,
    or has it in another shape.

Why it matters
    It may be meant so; where it is not, a tensor was lost or came from elsewhere.

Example
    warning[N413] sibling-odd: h.{layer}.mix.weight, layer 17 (likely)
      here    absent
      others  [64, 64] in 31 of 32
      help    check whether this layer is meant to be different

What to do
    Check whether the difference is meant.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.family}, {place.indices}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("here", shape(facts["here"]) if facts["here"] is not None else "absent"),
        ("others", f"{shape(facts['usual'])} in {number(facts['agreeing'])} of {number(facts['siblings'])}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "check whether this layer is meant to be different"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
