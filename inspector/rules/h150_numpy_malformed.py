"""An array of NumPy cannot be read as a tensor.

What it means
    The header of the array is damaged, or its dtype is none of a tensor: texts, records, Python objects
    (which are a pickle, and were not opened).

Why it matters
    The array has no shape and dtype that could be compared with a model's.

Example
    error[H150] numpy-malformed: weights.npz: it holds Python objects, which are a pickle
      arrays  vocab
      help    save the array again with a plain dtype

What to do
    Save the array with a plain dtype.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("arrays", listed(facts["names"]))] if facts["names"] else []


def _help(place: Place, facts: Facts) -> str:
    return "save the array again with a plain dtype"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
