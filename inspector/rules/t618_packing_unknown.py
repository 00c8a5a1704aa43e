"""Weights are packed in a way that is not known here.

What it means
    Names and dtypes are those of packed values; what they stand for does not follow from any scheme known.
    They are counted as they are stored: the true number of parameters is not known.

Why it matters
    Every total of this checkpoint that includes them is one of storage, not of parameters.

Example
    note[T618] packing-unknown: qweight U8, scales BF16, weight_global_scale F32
      modules  21
      stored   2,580,480 elements, 3,225,684 bytes
      counted  as stored; the logical count is not known

What to do
    Nothing; compare with the model before quantisation.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return ", ".join(facts["signature"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("modules", number(facts["modules"])),
        ("stored", f"{number(facts['elements'])} elements, {number(facts['bytes'])} bytes"),
        ("counted", "as stored; the logical count is not known"),
    ]


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=lambda place, facts: "")
