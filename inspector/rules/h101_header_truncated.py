"""The file ends inside its header.

What it means
    The first eight bytes announce the length of the header; the file is shorter than that, or shorter
    than eight bytes.

Why it matters
    No tensor of the file can be found.

Example
    error[H101] header-truncated: model.safetensors
      declared  9,560 bytes to the end of the header
      stored    4,096 bytes
      help      fetch this file again

What to do
    Fetch the file again; the download broke off at its very start.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file)


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        [("declared", f"{number(facts['declared'])} bytes to the end of the header")]
        if facts["declared"] is not None
        else []
    ) + [("stored", f"{number(facts['stored'])} bytes")]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
