"""Tensors are stored that are no parameters.

What it means
    Rotary frequencies, masks, position numbers, running statistics: a model works them out or counts
    them up, and they are not trained.

Why it matters
    They are in the file and in its size, and not in the parameter count.

Example
    note[P704] buffers-stored: 2,048 elements in 32 tensors, not counted
      families  model.layers.{layer}.self_attn.rotary_emb.inv_freq

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number, role_words


def _headline(place: Place, facts: Facts) -> str:
    return f"{count(facts['elements'], 'element')} in {count(facts['tensors'], 'tensor')}, not counted"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("families", listed(facts["families"], 3))]
    if "disputed" in facts:
        role = role_words(facts["disputed"])
        rows.append(("or", f"{number(facts['with_disputed'])} parameters, where the {role} is counted as one"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
