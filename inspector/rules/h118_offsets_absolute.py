"""The offsets count from the start of the file.

What it means
    The first tensor begins at the length of the header plus eight, and the rest follows without hole:
    the writer counted from the start of the file and not, as the format says, from the end of the
    header.

Why it matters
    The reference reader refuses the file.

Example
    error[H118] offsets-absolute: model.safetensors: 21 tensors
      begin  2,120, where 0 is right
      help   subtract this number from all offsets

What to do
    Have the writer subtract the length of the header plus eight from all offsets.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("begin", f"{number(facts['begin'])}, where 0 is right")]


def _help(place: Place, facts: Facts) -> str:
    return "subtract this number from all offsets"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
