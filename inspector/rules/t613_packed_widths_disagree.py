"""Two tensors of a packed module tell two different sizes.

What it means
    The width of the packed values and the number of groups (or the length of an index) are two formulas
    for the same number of inputs, and no bits and group size make them equal.

Why it matters
    One of the tensors belongs to another model or another run.

Example
    error[T613] packed-widths-disagree: model.layers.1.mlp.down_proj.weight
      packing  mlx
      one      weight is 144 words wide
      other    scales has 17 groups
      help     take all tensors of the module from one run of the quantiser

What to do
    Quantise the module again, or take all its tensors from one run.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline, where
from inspector.rules.rule import Facts, Rows, Rule


def _rows(place: Place, facts: Facts) -> Rows:
    one, other = facts["formulas"]
    return [*where(place, facts), ("one", str(one)), ("other", str(other))]


def _help(place: Place, facts: Facts) -> str:
    return "take all tensors of the module from one run of the quantiser"


RULE = Rule(severity="error", headline=headline, rows=_rows, help=_help)
