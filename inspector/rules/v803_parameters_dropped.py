"""The conversion lost tensors.

What it means
    The source has tensors of a role, in some layers or in all, and no file of the target holds
    them.

Why it matters
    The converted model is not the one that went in; loaders fill the place with random numbers.

Example
    -

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
    return [
        ("source", there),
        ("target", other),
        ("dropped", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "repeat the conversion; these parameters are in no file of the target"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
