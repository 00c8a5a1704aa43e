"""The config's numbers cannot be put together.

What it means
    An expression of the architecture has no whole value with the numbers of this config: a division
    leaves a remainder, a divisor is zero, a value is of the wrong type or beyond all bounds.

Why it matters
    No model can be built from this config; what depends on the expression is taken from the weights
    instead and compared with nothing.

Example
    error[C311] config-impossible: hidden_size
      expression  d/h
      because     4096 is not a multiple of 33
      keys        hidden_size, num_attention_heads
      help        correct these keys in config.json

What to do
    Correct the keys named; the checkpoint's other copies or its model card tell their values.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return place.key or str(facts["expression"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("expression", str(facts["expression"])),
        ("because", str(facts["detail"])),
        ("keys", listed(facts["keys"])),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "correct these keys in config.json" if len(facts["keys"]) > 1 else "correct this key in config.json"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
