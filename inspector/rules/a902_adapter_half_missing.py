"""A module of an adapter has one of its tensors and not the other.

What it means
    A low-rank pair has its A and not its B, or the reverse; a module with DoRA lacks its magnitudes.

Why it matters
    The product of the two is what the adapter adds; with one of them it is nothing, or random.

Example
    error[A902] adapter-half-missing:
      base_model.model.model.layers.7.self_attn.v_proj.lora_B.weight
      missing   1 of 32
      beside    base_model.model.model.layers.{layer}.self_attn.v_proj.lora_A.weight
      expected  [1024, 16]
      help      fetch or save the adapter again

What to do
    Fetch the adapter again, or save it again from the trained model.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("missing", f"{number(facts['tensors'])} of {number(facts['of'])}"), ("beside", str(facts["present"]))]
    if place.indices and not place.tensor:
        rows.insert(0, ("where", f"{place.indices}, {count(facts['tensors'], 'tensor')}"))
    if facts["shape"]:
        rows.append(("expected", shape(facts["shape"])))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "fetch or save the adapter again"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
