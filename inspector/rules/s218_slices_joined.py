"""The files hold slices of the same matrices.

What it means
    The model was saved for several GPUs: each file holds a slice of every matrix, and norms and the like
    whole. The slices were put together by their shapes.

Why it matters
    Nothing is wrong. The elements of all files are more than the model's: what lies whole in every file is
    counted once, and told as copies beyond that.

Example
    note[S218] slices-joined: 2 files
      joined  282 matrices
      copies  82 tensors, 414,784 elements
      help    nothing: converters put the slices together

What to do
    Nothing: a converter puts the slices together.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return count(facts["files"], "file")


def _rows(place: Place, facts: Facts) -> Rows:
    matrices = facts["tensors"]
    copies = f"{count(facts['copies'], 'tensor')}, {count(facts['elements'], 'element')}"
    return [("joined", f"{number(matrices)} {'matrix' if matrices == 1 else 'matrices'}"), ("copies", copies)]


def _help(place: Place, facts: Facts) -> str:
    return "nothing: converters put the slices together"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
