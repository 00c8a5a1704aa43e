"""The header of a GGUF file cannot be read.

What it means
    The file begins like a GGUF file, and then states something that cannot be true: a type that there is
    not, a length beyond every limit, an alignment that is no power of two.

Why it matters
    llama.cpp refuses such a file; another reader could be made to use memory without end by it.

Example
    error[H130] gguf-malformed: model.gguf: a value of type 77
      position  byte 1,204
      help      fetch this file again

What to do
    Fetch the file again; if it is the same there, convert the model again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("position", f"byte {number(facts['position'])}")]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
