"""The metadata is no map from texts to texts.

What it means
    `__metadata__` must be an object whose values are texts (or null as a whole).

Why it matters
    The reference reader refuses the file.

Example
    error[H116] metadata-malformed: __metadata__ of model.safetensors holds a number, not a text
      keys  epoch
      help  write the values as texts and save the file again

What to do
    Write numbers, lists and objects as texts, and save the file again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"__metadata__ of {place.file} {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("keys", listed(facts["keys"]))] if facts["keys"] else []


def _help(place: Place, facts: Facts) -> str:
    return "write the values as texts and save the file again"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
