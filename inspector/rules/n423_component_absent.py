"""The config declares a part beside the model, and nothing of it is stored.

What it means
    A key of the config gives the number of layers for multi-token prediction, and the checkpoint has none
    of their tensors. Many writers leave them out and leave the key as it was.

Why it matters
    The model is whole without it. Whoever wants to decode with it needs the checkpoint that has it.

Example
    note[N423] component-absent: mtp is declared and not stored
      declared  num_nextn_predict_layers = 1
      absent    785 tensors, 11,610,067,968 parameters

What to do
    Nothing, or fetch the original checkpoint.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['component']} is declared and not stored"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("declared", f"{facts['key']} = {facts['value']}")]
    if facts["parameters"] is not None:
        rows.append(("absent", f"{count(facts['tensors'], 'tensor')}, {number(facts['parameters'])} parameters"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
