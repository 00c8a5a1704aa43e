"""The output head is neither stored nor tied.

What it means
    The config says that the head is a matrix of its own, and no file holds it.

Why it matters
    Loaders fill it with random numbers: the server is healthy and the output is garbage.

Example
    error[P701] head-missing: lm_head.weight
      expected  [128256, 4096], 525,336,576 parameters
      because   tie_word_embeddings = False
      help      fetch the head's file again, or set "tie_word_embeddings": true if
                the head is the embedding

What to do
    If the model was trained with a tied head, correct the config; else fetch or convert again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("expected", f"{shape(facts['shape'])}, {number(facts['parameters'])} parameters")]
    if facts["also"]:
        rows.append(("also", listed(facts["also"])))
    return [*rows, ("because", str(facts["tie"]))]


def _help(place: Place, facts: Facts) -> str:
    return 'fetch the head\'s file again, or set "tie_word_embeddings": true if the head is the embedding'


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
