"""The metadata does not say which framework saved the file.

What it means
    `__metadata__` has no `format` ("pt", "mlx", "flax", ...). The format does not ask for it; some
    loaders do.

Why it matters
    Older versions of transformers refuse a file without it.

Example
    note[H119] format-absent: 1 file of 1 without `format` in the metadata
      help  save with metadata={"format": "pt"} if a loader asks for it

What to do
    Save with `metadata={"format": "pt"}` where that matters.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{count(facts['files'], 'file')} of {number(facts['of'])} without `format` in the metadata"


def _help(place: Place, facts: Facts) -> str:
    return 'save with metadata={"format": "pt"} if a loader asks for it'


RULE = Rule(severity="note", headline=_headline, help=_help)
