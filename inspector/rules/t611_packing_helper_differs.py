"""A scale, zero point or another helper has another shape or dtype than its packed values need.

What it means
    Shape and bits of the values tell what the helper must look like; it does not.

Why it matters
    Loaders stop, or dequantise to nonsense.

Example
    error[T611] packing-helper-differs: model.layers.1.mlp.down_proj.scales
      packing   gptq
      stored    [8, 384] F16
      expected  [9, 384], one for each group and output
      help      this module comes from another run of the quantiser: take its file from the same run as the others

What to do
    Quantise the module again, or take values and helpers from the same run.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline, where
from inspector.rules.rule import Facts, Rows, Rule, shape


def _rows(place: Place, facts: Facts) -> Rows:
    expected = " or ".join(shape(one) for one in facts["expected"])
    if facts["dtypes"]:
        expected += f" {' or '.join(facts['dtypes'][:4])}"
    if facts["because"]:
        expected += f", {facts['because']}"
    return [*where(place, facts), ("stored", f"{shape(facts['stored'])} {facts['dtype']}"), ("expected", expected)]


def _help(place: Place, facts: Facts) -> str:
    return "this module comes from another run of the quantiser: take its file from the same run as the others"


RULE = Rule(severity="error", headline=headline, rows=_rows, help=_help)
