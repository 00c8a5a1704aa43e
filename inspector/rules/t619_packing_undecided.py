"""The headers leave open how many parameters some packed tensors stand for.

What it means
    Packed words may be padded at the end, and no card, no scale and no setting tells by how much.

Why it matters
    The count is one of several that fit.

Example
    note[T619] packing-undecided: 21 packed tensors
      counted  798,336
      between  730,800 and 817,152
      packing  pack-quantized

What to do
    Give a config, so that the architecture decides.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['tensors'])} packed tensor{'' if facts['tensors'] == 1 else 's'}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("counted", number(facts["counted"])),
        ("between", f"{number(facts['least'])} and {number(facts['most'])}"),
        ("packing", listed(facts["schemes"])),
    ]


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=lambda place, facts: "")
