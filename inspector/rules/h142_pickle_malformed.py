"""A pickle cannot be read.

What it means
    The program that a pickle is takes what is not there, ends before its end, or passes a limit: three
    million opcodes, 32,000,000 bytes, two hundred thousand values at once.

Why it matters
    No loader gets at the tensors, or it uses memory without end on the way.

Example
    error[H142] pickle-malformed: pytorch_model.bin: the pickle stops before its end
      position  byte 65,536 of the pickle
      help      fetch this file again

What to do
    Fetch the file again; if it is the same there, do not use it.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: the pickle {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("position", f"byte {number(facts['position'])} of the pickle")]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
