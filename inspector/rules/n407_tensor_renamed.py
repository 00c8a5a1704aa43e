"""A required tensor is stored under another name.

What it means
    A tensor is missing and another, which the architecture does not have, lies in the same place with
    the same shape.

Why it matters
    Loaders look the name up and do not find it.

Example
    error[N407] tensor-renamed: model.layers.{layer}.self_attn.q_proj.weight
      (likely)
      stored as  model.layers.{layer}.self_attn.query.weight
      shape      [4096, 4096], 32 tensors
      help       rename it to what the architecture calls it

What to do
    Rename the tensor.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, shape


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["expected"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("stored as", str(facts["stored"])),
        ("shape", f"{shape(facts['shape'])}, {count(facts['tensors'], 'tensor')}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "rename it to what the architecture calls it"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
