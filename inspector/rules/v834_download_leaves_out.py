"""The folder leaves out files of the repository that loading does not need.

What it means
    Second copies of the weights in other formats, papers and pictures are not here.

Why it matters
    Nothing: a download may leave them out.

Example
    note[V834] download-leaves-out: 1 file not needed to load these weights
      left out  3 bytes: README.md

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{count(facts['files'], 'file')} not needed to load these weights"


def _rows(place: Place, facts: Facts) -> Rows:
    from inspector.loader.sources.traffic import amount

    return [("left out", f"{amount(facts['bytes'])}: {listed(facts['names'], 4)}")]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
