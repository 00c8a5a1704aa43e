"""Packed modules have biases that the model does not have.

What it means
    AutoGPTQ and its relatives give every packed module a bias, of zeros where the model has none.

Why it matters
    They are no parameters of the model; the file is a little larger.

Example
    note[T621] bias-from-packing: 21 tensors
      families  model.layers.{layer}.mlp.down_proj.bias, model.layers.{layer}.mlp.gate_proj.bias and 5 more
      stored    11,136 elements, 22,272 bytes

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return count(facts["tensors"], "tensor")


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("families", listed(facts["families"], 2)),
        ("stored", f"{number(facts['elements'])} elements, {number(facts['bytes'])} bytes"),
    ]


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=lambda place, facts: "")
