"""Entries of the header hold fields that the format does not have.

What it means
    Beside `dtype`, `shape` and `data_offsets` stands something else. Readers ignore it.

Why it matters
    Nothing is lost, but no reader will use what is said there.

Example
    warning[H114] field-unknown: model.safetensors: 1 tensor
      entry  lm_head.weight: scale
      help   readers ignore these fields; __metadata__ is the place for them

What to do
    Put such things into `__metadata__`.
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
    return "readers ignore these fields; __metadata__ is the place for them"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
