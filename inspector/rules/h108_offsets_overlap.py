"""Tensors share bytes.

What it means
    The offsets of a tensor begin before those of another one end, or an empty tensor lies inside
    another.

Why it matters
    The format forbids it; the reference reader refuses the file. Shared weights are to be stored once,
    under one name.

Example
    error[H108] offsets-overlap: model.safetensors: 1 tensor overlapping
      tensors  lm_head.weight
      help     save the file again with a current version of safetensors

What to do
    Save the file again; `save_model` of safetensors leaves out shared tensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')} overlapping"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("tensors", listed(facts["names"]))]


def _help(place: Place, facts: Facts) -> str:
    return "save the file again with a current version of safetensors"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
