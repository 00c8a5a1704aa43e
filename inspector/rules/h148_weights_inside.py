"""The weights of a PyTorch file lie below a key beside other things.

What it means
    Training programs save more than the weights: the optimizer's state, averages, counters. The weights
    were found below one key and audited; the rest was only counted.

Why it matters
    A loader that expects a state dict at the top does not find one, and the file is larger than the model.

Example
    note[H148] weights-inside: last.ckpt: the weights are below 'state_dict'
      beside  optimizer_states: 290 tensors
      help    to publish the weights, save what lies below this key by itself

What to do
    Save what lies below that key by itself, best as safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: the weights are below {facts['inside']!r}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("beside", f"{one['key']}: {count(one['tensors'], 'tensor')}") for one in facts["beside"][:4]]


def _help(place: Place, facts: Facts) -> str:
    return "to publish the weights, save what lies below this key by itself"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
