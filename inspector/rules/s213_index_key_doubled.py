"""The same key stands twice in the index.

What it means
    An object of the index holds a key more than once; most readers keep the last value.

Why it matters
    Two readers may look for a tensor in two files.

Example
    warning[S213] index-key-doubled: model.safetensors.index.json holds 1 key twice
      keys  lm_head.weight
      help  write the index again from the headers

What to do
    Write the index again from the headers.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} holds {count(facts['count'], 'key')} twice"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("keys", listed(facts["keys"]))]


def _help(place: Place, facts: Facts) -> str:
    return "write the index again from the headers"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
