"""A matrix lies on its side.

What it means
    The stored shape is the expected one with its two dims exchanged: [in, out] instead of [out, in]
    or the reverse, as after a conversion between frameworks.

Why it matters
    Loaders refuse it; where the matrix is square nothing tells, so look at its square siblings too.

Example
    error[D502] stored-transposed: model.layers.{layer}.mlp.up_proj.weight
      stored    [4096, 14336]
      expected  [ff, d] = [14336, 4096]
      tensors   32
      help      transpose it: tensor.t().contiguous()

What to do
    Transpose the matrices; check the square ones of the same conversion by their values.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or place.family or f"{len(facts['families']):,} families"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("stored", shape(facts["stored"])),
        ("expected", f"[{', '.join(facts['dims'])}] = {shape(facts['expected'])}"),
        ("tensors", number(facts["tensors"])),
    ]
    if len(facts["families"]) > 1:
        rows.append(("families", listed(facts["families"], 3)))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "transpose it: tensor.t().contiguous()"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
