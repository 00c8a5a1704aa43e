"""The vocabulary was padded.

What it means
    Embedding, head or both have more rows in the target than in the source.

Why it matters
    Converters round vocabularies up for speed; the rows are harmless while no token has their ids,
    but they are parameters of no training.

Example
    warning[V808] rows-padded: 256 rows of embedding, head
      source    128,256 rows
      target    128,512 rows
      invented  2,097,152 parameters
      help      check that the target's config states this size and that no token
                uses the new ids

What to do
    Nothing, where the target's own config states the padded size.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    rows = abs(facts["target"] - facts["source"])
    return f"{count(rows, 'row')} of {listed(facts['roles'], 4)}"


def _stated(facts: Facts) -> str:
    """What the target's own config says, where it is something else."""
    stated = facts["stated"]
    return "" if stated in (None, facts["target"]) else f", its config says {number(stated)}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("source", f"{number(facts['source'])} rows"),
        ("target", f"{number(facts['target'])} rows{_stated(facts)}"),
        ("invented", count(facts["invented"], "parameter")),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "check that the target's config states this size and that no token uses the new ids"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
