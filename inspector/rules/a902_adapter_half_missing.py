"""Half of a pair of low-rank matrices is absent.

What it means
    A module of the adapter has its A and not its B, or the reverse.

Why it matters
    The product of the two is what the adapter adds; with one of them it is nothing, or random.

Example
    error[A902] adapter-half-missing: base_model.model.model.layers.#.self_attn.q_proj.lora_B.weight
      missing  1 of 32
      beside   base_model.model.model.layers.#.self_attn.q_proj.lora_A.weight
      help     fetch or save the adapter again

What to do
    Fetch the adapter again, or save it again from the trained model.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    return [("missing", f"{number(facts['tensors'])} of {number(facts['of'])}"), ("beside", str(facts["present"]))]


def _help(place: Place, facts: Facts) -> str:
    return "fetch or save the adapter again"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
