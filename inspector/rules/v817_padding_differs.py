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
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    rows = abs(facts["target"] - facts["source"])
    return f"{count(rows, 'row')} of {listed(facts['roles'], 4)}"


def _rows(place: Place, facts: Facts) -> Rows:
    more = facts["target"] > facts["source"]
    padded = f", as {facts['writer']} rounds them up"
    return [
        ("source", f"{number(facts['source'])} rows{'' if more else padded}"),
        ("target", f"{number(facts['target'])} rows{padded if more else ''}"),
        ("invented" if more else "dropped", count(facts["invented" if more else "dropped"], "parameter")),
    ]


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=lambda place, facts: "")
