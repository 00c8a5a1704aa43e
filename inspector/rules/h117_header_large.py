"""The header is larger than the Hub reads.

What it means
    The header has more than 25,000,000 bytes. Files load, up to 100,000,000 bytes; the Hub shows
    nothing of them.

Why it matters
    No size, no tensor list and no parameter count appear on the page of the model.

Example
    warning[H117] header-large: model.safetensors: 30,000,000 bytes of header
      limit  25,000,000 bytes on the Hub
      help   save in more shards

What to do
    Save in more shards.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {number(facts['bytes'])} bytes of header"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("limit", f"{number(facts['limit'])} bytes on the Hub")]


def _help(place: Place, facts: Facts) -> str:
    return "save in more shards"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
