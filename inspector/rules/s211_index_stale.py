"""An index lies there without any of its shards.

What it means
    None of the files that the index names exists, while other weights do. They are audited instead.

Why it matters
    Loaders that prefer the index fail, though the weights are there.

Example
    warning[S211] index-stale: model.safetensors.index.json names 4 files, none is there
      audited  model.safetensors
      help     remove the index, or fetch its shards

What to do
    Remove the index, or fetch its shards.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} names {count(facts['files'], 'file')}, none is there"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("audited", str(facts["audited"]))]


def _help(place: Place, facts: Facts) -> str:
    return "remove the index, or fetch its shards"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
