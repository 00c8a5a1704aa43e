"""Shards lie there without an index.

What it means
    The files are numbered as shards and no `.index.json` lists them. All of them are audited.

Why it matters
    Most loaders find shards by the index and say that there are no weights.

Example
    warning[S212] index-missing: 2 shards without an index
      shards  model-00001-of-00002.safetensors, model-00002-of-00002.safetensors
      help    fetch the index, or write one from the headers

What to do
    Fetch the index, or write one from the headers.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{count(facts['files'], 'shard')} without an index"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("shards", listed(facts["names"], 4))]


def _help(place: Place, facts: Facts) -> str:
    return "fetch the index, or write one from the headers"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
