"""The version of a GGUF file is none that is read here.

What it means
    Versions 2 and 3 are read, of either byte order. Version 1 was written for a few weeks of 2023.

Why it matters
    The fields of other versions lie elsewhere: nothing in the file can be told.

Example
    error[H131] gguf-version-unknown: model.gguf is GGUF version 1
      read  versions 2 and 3
      help  convert the model again with a current llama.cpp

What to do
    Convert the model again with a current llama.cpp.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} is GGUF version {number(facts['version'])}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("read", "versions 2 and 3")]


def _help(place: Place, facts: Facts) -> str:
    return "convert the model again with a current llama.cpp"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
