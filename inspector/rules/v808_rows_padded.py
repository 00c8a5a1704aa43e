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
from inspector.rules.row_words import headline, rows, stated
from inspector.rules.rule import Facts, Rows, Rule


def _rows(place: Place, facts: Facts) -> Rows:
    return rows(facts, "", stated(facts), "invented")


def _help(place: Place, facts: Facts) -> str:
    return "check that the target's config states this size and that no token uses the new ids"


RULE = Rule(severity="warning", headline=headline, rows=_rows, help=_help)
