"""Whole layers, experts or parts came out of nowhere.

What it means
    Everything of these layers, experts or parts is in the target and nothing of it in the source.

Why it matters
    They hold random numbers, copies, or what belongs to another model.

Example
    -

What to do
    Find out what the converter filled them with, or compare with the checkpoint that was converted.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed

def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['what']}{', which ones a stack does not tell' if facts['stack'] else ''}"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("target", listed(facts["names"], 1)),
        ("roles", listed(facts["roles"], 4)),
        ("invented", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
        ("on both", str(facts["stays"])),
    ]
    return [row for row in rows if row[1]]


def _help(place: Place, facts: Facts) -> str:
    return "find out what the converter filled them with"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
