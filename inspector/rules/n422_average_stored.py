"""An averaged copy of the weights is stored beside them.

What it means
    Training kept an exponential moving average of the weights (EMA), and it was saved with them.

Why it matters
    Half of the file is not loaded, or the wrong half is: the average is usually what is evaluated.

Example
    warning[N422] average-stored: ema.*
      stored   291 tensors, 8,030,261,248 elements
      such as  ema.model.embed_tokens.weight
      help     keep one of the two: publish the average under the plain names, or
               drop it

What to do
    Keep one of the two: to publish the average take its prefix off and drop the others.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['prefix']}*" if facts["prefix"] else str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("stored", f"{count(facts['tensors'], 'tensor')}, {number(facts['elements'])} elements"),
        ("such as", str(facts["names"][0])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "keep one of the two: publish the average under the plain names, or drop it"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
