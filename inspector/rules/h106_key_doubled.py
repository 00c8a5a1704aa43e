"""The header names a tensor twice.

What it means
    The same key stands more than once in the header, which the format forbids. The reference reader
    keeps the last entry without a word, others keep the first.

Why it matters
    Two readers see two models in one file, and a scanner may look at another tensor than the loader
    uses. The audit goes by the last entry.

Example
    error[H106] key-doubled: model.safetensors names 1 key twice
      keys  lm_head.weight
      help  ask the writer of the file which entry is meant

What to do
    Do not use the file before its writer has been asked; save it again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} names {count(facts['tensors'], 'key')} twice"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("keys", listed(facts["keys"]))]


def _help(place: Place, facts: Facts) -> str:
    return "ask the writer of the file which entry is meant"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
