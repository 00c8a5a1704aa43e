"""A whole part is stored that the architecture does not have.

What it means
    Several families share a prefix below which the architecture has nothing: a vision tower beside a
    text-only config, an optimizer's state, another model; or layers or experts beyond those it has.

Why it matters
    Loaders ignore it, and it is downloaded all the same.

Example
    warning[N406] part-unexpected: vpm.*
      stored  55 tensors in 3 families, 268,420,608 elements, 536,841,216 bytes
      first   vpm.encoder.layers.0.mlp.fc1.weight
      help    not counted as parameters; use the config that describes this part, or
              leave the part out

What to do
    Use the config that describes the part, or remove it.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("where", place.indices)] if place.indices else []
    return [
        *rows,
        (
            "stored",
            f"{count(facts['tensors'], 'tensor')} in {len(facts['families']):,} families, "
            f"{number(facts['elements'])} elements, {number(facts['bytes'])} bytes",
        ),
        ("first", str(facts["names"][0])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "not counted as parameters; use the config that describes this part, or leave the part out"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
