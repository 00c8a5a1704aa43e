"""A key of the metadata stands twice.

What it means
    `__metadata__` holds the same key more than once; readers keep the last text.

Why it matters
    What the file says of itself depends on the reader.

Example
    warning[H115] metadata-key-doubled: model.safetensors: 1 key
      keys  format
      help  save the file again with one of the two

What to do
    Save the file again with one of the two.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['count'], 'key')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("keys", listed(facts["keys"]))]


def _help(place: Place, facts: Facts) -> str:
    return "save the file again with one of the two"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
