"""The index names no file for a tensor.

What it means
    A value of the `weight_map` is something else than a text.

Why it matters
    Loaders fail on it. The tensors are treated as if the index did not list them.

Example
    error[S214] index-entry-malformed: model.safetensors.index.json: 1 tensor
      tensors  lm_head.weight
      help     write the index again from the headers

What to do
    Write the index again from the headers.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("tensors", listed(facts["names"]))]


def _help(place: Place, facts: Facts) -> str:
    return "write the index again from the headers"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
