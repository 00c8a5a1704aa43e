"""A field of an entry stands twice.

What it means
    An entry holds `dtype`, `shape` or `data_offsets` more than once.

Why it matters
    The reference reader refuses the file; others keep the first or the last, and see two different
    tensors.

Example
    error[H121] field-doubled: model.safetensors: 1 tensor
      entry  lm_head.weight: shape
      help   save the file again with a current version of safetensors

What to do
    Save the file again with a current version of safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import more
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("entry", f"{one['tensor']}: {listed(one['keys'])}") for one in facts["cases"][:4]] + more(facts)


def _help(place: Place, facts: Facts) -> str:
    return "save the file again with a current version of safetensors"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
