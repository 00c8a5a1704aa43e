"""A total of the index is no integer.

What it means
    `total_size` (bytes) and `total_parameters` are counts; the index holds a float, a text or something
    else, even if its value is right.

Why it matters
    Readers with typed fields refuse the index or show nothing.

Example
    warning[S215] index-total-type: total_size is a float, not an integer
      value  13731385408.0
      index  model.safetensors.index.json
      help   write total_size as an integer

What to do
    Write the total as an integer.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['key']} is {facts['type']}, not {facts['wanted']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("value", str(facts["value"])), ("index", str(place.file))]


def _help(place: Place, facts: Facts) -> str:
    return f"write {facts['key']} as {facts['wanted']}"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
