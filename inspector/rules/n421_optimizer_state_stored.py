"""An optimizer's state is stored among the weights.

What it means
    Moments such as `exp_avg` and `exp_avg_sq` stand beside the weights that they belong to.

Why it matters
    They are twice as large as the weights and nobody needs them to use the model.

Example
    warning[N421] optimizer-state-stored: moments of 32 tensors
      stored   32 tensors, 536,870,912 elements
      such as  model.layers.0.self_attn.q_proj.weight.exp_avg
      help     save the model's state_dict alone, without the optimizer's

What to do
    Save the model's state dict alone.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"moments of {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("stored", f"{count(facts['tensors'], 'tensor')}, {number(facts['elements'])} elements"),
        ("such as", str(facts["names"][0])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "save the model's state_dict alone, without the optimizer's"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
