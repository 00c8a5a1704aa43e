"""The header names more tensors than the tool looks at.

What it means
    No known checkpoint comes near 2,000,000 tensors in one file.

Why it matters
    The limit bounds the memory that a file can make the audit use.

Example
    error[H120] too-many-tensors: model.safetensors: 2,500,000 tensors
      limit  2,000,000 tensors
      help   save in more shards

What to do
    Stack the experts of a layer into one tensor, or save in more shards.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {number(facts['tensors'])} tensors"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("limit", f"{number(facts['limit'])} tensors")]


def _help(place: Place, facts: Facts) -> str:
    return "save in more shards"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
