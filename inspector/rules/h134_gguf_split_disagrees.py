"""The parts of a split GGUF model do not agree with one another.

What it means
    Each part says which it is and how many there are, the first also how many tensors all of them hold.
    That is not what the names of the files or the parts themselves show.

Why it matters
    llama.cpp refuses to load the model, or loads one of which parts belong to another.

Example
    error[H134] gguf-split-disagrees: model-00002-of-00003.gguf: the name says part 2 of 3
      stated  split.no = 0, split.count = 3
      help    fetch this file again

What to do
    Fetch all parts again from one place and one revision.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("stated", listed(facts["stated"]))]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
