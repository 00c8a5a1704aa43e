"""The scales of a module are stored, its packed values are not.

What it means
    Other modules of the same family are packed in the same way and whole.

Why it matters
    The module cannot be loaded.

Example
    error[T612] packed-values-missing: model.layers.1.mlp.down_proj.qweight
      packing  gptq
      stored   qzeros, scales, g_idx
      help     fetch the file that holds it again

What to do
    Fetch the file again or quantise again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline, where
from inspector.rules.rule import Facts, Rows, Rule, listed


def _rows(place: Place, facts: Facts) -> Rows:
    return [*where(place, facts), ("stored", listed(facts["helpers"]))]


def _help(place: Place, facts: Facts) -> str:
    return "fetch the file that holds it again"


RULE = Rule(severity="error", headline=headline, rows=_rows, help=_help)
