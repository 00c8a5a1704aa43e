"""The architecture follows from the names alone.

What it means
    There is no config that names it. The names decide, and the symbols are solved from the shapes.

Why it matters
    What the names do not show (a tied head, which of two twins) is not known.

Example
    note[N414] architecture-from-names: llama (likely)
      twins  qwen2, helium, cwm, ernie4_5 and 17 more have the same names

What to do
    Give the config: --config FILE.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["architecture"])


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        [("twins", f"{listed(facts['twins'], 4)} {'has' if len(facts['twins']) == 1 else 'have'} the same names")]
        if facts["twins"]
        else []
    )


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
