"""A PyTorch file holds no tensors.

What it means
    The pickle was read to its end, and what it builds has no tensor in it: arguments of a training run, a
    tokenizer, a list of names.

Why it matters
    There is nothing to audit in this file.

Example
    error[H146] no-tensors: training_args.bin holds no tensors
      holds  an object of transformers.training_args.TrainingArguments
      help   point at the file that holds the weights

What to do
    Point at the file that holds the weights.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} holds no tensors"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("holds", str(facts["what"]))]


def _help(place: Place, facts: Facts) -> str:
    return "point at the file that holds the weights"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
