"""The weights are stored in another dtype than the config states.

What it means
    The config's dtype (`dtype` or `torch_dtype`) is not that of most parameters.

Why it matters
    The download is larger or smaller than the config suggests; loaders convert on loading.

Example
    note[T602] dtype-differs: stored F32, config bfloat16
      bytes  32,121,044,992, which would be 16,060,522,496 in the config's dtype

What to do
    Nothing; ask the loader for the dtype you want.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"stored {facts['stored']}, config {facts['config']}"


def _rows(place: Place, facts: Facts) -> Rows:
    if facts["bytes"] == facts["would_be"]:
        return []
    return [("bytes", f"{number(facts['bytes'])}, which would be {number(facts['would_be'])} in the config's dtype")]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
