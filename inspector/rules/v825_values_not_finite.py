"""Parameters that are NaN or infinite.

What it means
    Numbers that are none: a training that diverged, an overflow of float16, or damaged bytes.

Why it matters
    One of them makes every output NaN.

Example
    error[V825] values-not-finite: 1 tensor, layer 1
      tensor    model.layers.1.self_attn.k_proj.weight
      NaN       1
      infinite  0
      help      fetch the file again; where the source has the same, take an earlier
                checkpoint

What to do
    Compare with the source; take an earlier checkpoint of the training.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    where = f", {facts['where']}" if facts["where"] else ""
    return f"{count(facts['tensors'], 'tensor')}{where}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("tensor", listed(facts["names"], 2)),
        ("NaN", number(facts["nan"])),
        ("infinite", number(facts["infinite"])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "fetch the file again; where the source has the same, take an earlier checkpoint"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
