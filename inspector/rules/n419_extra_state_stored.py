"""Modules saved state of their own that is no weight.

What it means
    `_extra_state` is what a module's `get_extra_state` gives: Transformer Engine's fp8 scales, packed as bytes.

Why it matters
    It is no parameter; loaders without that module report it as unexpected.

Example
    note[N419] extra-state-stored: _extra_state of 32 modules
      stored   32 tensors, 12,032 elements
      such as  model.layers.0.self_attn.q_proj._extra_state
      help     leave it out when the model is published: it is not needed to load
               the weights

What to do
    Leave it out of what is published.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"_extra_state of {count(facts['tensors'], 'module')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("stored", f"{count(facts['tensors'], 'tensor')}, {number(facts['elements'])} elements"),
        ("such as", str(facts["names"][0])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "leave it out when the model is published: it is not needed to load the weights"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
