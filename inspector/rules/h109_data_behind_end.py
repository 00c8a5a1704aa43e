"""Behind the last tensor the file goes on.

What it means
    The file is longer than its header says: bytes follow that belong to no tensor.

Why it matters
    The reference reader refuses the file. What follows may be another file (a zip, a script) that a
    program finds there.

Example
    error[H109] data-behind-end: model.safetensors: 100 bytes too many
      declared  213,632 bytes of data
      stored    213,732 bytes of data
      help      fetch this file again

What to do
    Fetch the file again; two downloads into the same file leave such a rest.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {number(facts['bytes'])} bytes too many"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("declared", f"{number(facts['declared'])} bytes of data"),
        ("stored", f"{number(facts['stored'])} bytes of data"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
