"""One side stores buffers that the other leaves out.

What it means
    Rotary tables, masks and running statistics are no parameters; writers store them or work them
    out.

Why it matters
    It explains a difference of stored elements that is none of parameters.

Example
    note[V812] buffers-differ: left out rotary frequencies, 2,048 elements

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    words = [_words(facts["left"], "left out"), _words(facts["added"], "added")]
    return "; ".join(word for word in words if word)


def _words(buffers: dict[str, int], what: str) -> str:
    if not buffers:
        return ""
    return f"{what} {listed(list(buffers), 4)}, {count(sum(buffers.values()), 'element')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return []


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
