"""State of a training run lies beside the weights.

What it means
    Optimizer, scheduler, random state, the trainer's own log: what is needed to go on training, and by nobody
    who uses the model. It is not audited.

Why it matters
    An optimizer's state has twice the size of the weights, and `training_args.bin` is a pickle.

Example
    note[R040] training-state: 2 files of a training run, 16,060,522,496 bytes
      files  optimizer.pt, scheduler.pt
      help   leave these files out when the model is published

What to do
    Leave these files out when the model is published.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{count(facts['files'], 'file')} of a training run, {number(facts['bytes'])} bytes"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("files", listed(facts["names"], 5))]


def _help(place: Place, facts: Facts) -> str:
    return "leave these files out when the model is published"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
