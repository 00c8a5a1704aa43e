"""One side rounds the vocabulary up, the other has a row for each token.

What it means
    The framework of one side makes the rows of embedding and head a whole multiple, and a config says
    how many tokens there are: what the other side does not have are rows of no token.

Why it matters
    Nothing is lost. The rows are counted as dropped or invented, since only one side stores them.

Example
    note[V817] padding-differs: 256 rows of embedding, head
      source    32,000 rows
      target    32,256 rows, as Megatron-Core rounds them up
      invented  2,097,152 parameters

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.row_words import headline, rows
from inspector.rules.rule import Facts, Rows, Rule


def _rows(place: Place, facts: Facts) -> Rows:
    more = facts["target"] > facts["source"]
    padded = f", as {facts['writer']} rounds them up"
    return rows(facts, *(("", padded, "invented") if more else (padded, "", "dropped")))


RULE = Rule(severity="note", headline=headline, rows=_rows, help=lambda place, facts: "")
