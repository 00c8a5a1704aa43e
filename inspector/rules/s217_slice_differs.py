"""A file's slices do not fit those of the other files.

What it means
    Each file of the set holds a slice of every matrix. In this one slices are absent, or have another
    shape or dtype than those of the others.

Why it matters
    The slices cannot be put together: the file belongs to another model, or to another number of slices.

Example
    error[S217] slice-differs: consolidated.01.pth
      slices  24 tensors: layers.0.attention.wq.weight, layers.0.attention.wk.weight and 22 more
      stored  BF16 [1024, 4096]
      others  BF16 [2048, 4096] in consolidated.00.pth
      help    fetch this file again

What to do
    Fetch the file again, or take all files from the same save.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again, first
from inspector.rules.rule import Facts, Rows, Rule, count, listed, shape


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file)


def _rows(place: Place, facts: Facts) -> Rows:
    stored, others = facts["stored"], facts["others"]
    return [
        ("slices", f"{count(facts['tensors'], 'tensor')}: {first(facts)}"),
        ("stored", "nothing" if stored is None else f"{stored[0]} {shape(stored[1])}"),
        ("others", f"{others[0]} {shape(others[1])} in {listed(facts['as_in'], 2)}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
