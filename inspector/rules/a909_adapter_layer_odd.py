"""A few layers lack a module that all others of the adapter have.

What it means
    Without its base the layers of an adapter are compared with each other: some inner ones have no tensor of a
    module that the rest has.

Why it matters
    The adapter does nothing there, and loaders do not say so.

Example
    warning[A909] adapter-layer-odd: model.layers.7.self_attn.v_proj (likely)
      missing  layer 7
      others   31 of 32 layers have it
      help     audit it with --base; fetch or save the adapter again if the base has
               the module there

What to do
    Audit the adapter with its base; fetch or save it again if the base has the module there.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("missing", str(facts["layers"])),
        ("others", f"{number(facts['agreeing'])} of {number(facts['siblings'])} layers have it"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "audit it with --base; fetch or save the adapter again if the base has the module there"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
