"""Between the tensors lie bytes that belong to none.

What it means
    Sorted by their offsets the tensors must tile the data from its first byte on; here some bytes are
    covered by no tensor.

Why it matters
    The format forbids it, since anything can be hidden there; the reference reader refuses the file.

Example
    error[H107] offsets-hole: model.safetensors: 64 bytes in 1 hole
      before  lm_head.weight
      help    save the file again with a current version of safetensors

What to do
    Save the file again with a current version of safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {number(facts['bytes'])} bytes in {count(facts['holes'], 'hole')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("before", listed(facts["names"]))]


def _help(place: Place, facts: Facts) -> str:
    return "save the file again with a current version of safetensors"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
