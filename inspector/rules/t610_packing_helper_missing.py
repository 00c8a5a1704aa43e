"""A packed module has lost its scales, zero points or another helper.

What it means
    The packed values are stored; a tensor without which they cannot be read is not.

Why it matters
    Loaders stop, or run the module with random scales.

Example
    error[T610] packing-helper-missing: model.layers.1.mlp.down_proj.scales
      packing   gptq
      expected  [9, 384]
      help      quantise again, or take the file that holds it from the original upload

What to do
    Fetch the file again or quantise again; a packed tensor without its scales cannot be repaired.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline, where
from inspector.rules.rule import Facts, Rows, Rule, shape


def _rows(place: Place, facts: Facts) -> Rows:
    expected = facts["expected"][0] if facts["expected"] else []
    return [*where(place, facts), ("expected", shape(expected) if expected else "")]


def _help(place: Place, facts: Facts) -> str:
    return "quantise again, or take the file that holds it from the original upload"


RULE = Rule(severity="error", headline=headline, rows=lambda p, f: [r for r in _rows(p, f) if r[1]], help=_help)
