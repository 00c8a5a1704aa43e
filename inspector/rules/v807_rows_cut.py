"""The vocabulary lost rows.

What it means
    Embedding, head or both have fewer rows in the target than in the source.

Why it matters
    Tokens whose rows are gone cannot be read or written any more; ids beyond the end fail or read
    other memory.

Example
    error[V807] rows-cut: 256 rows of embedding, head
      source   128,256 rows
      target   128,000 rows
      dropped  2,097,152 parameters
      help     convert again with the tokenizer of the source, or prove that these
               rows were padding

What to do
    Convert again with the tokenizer that belongs to the source. Rows that only padded the source
    may go: then say so in the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.row_words import headline, rows, stated
from inspector.rules.rule import Facts, Rows, Rule


def _rows(place: Place, facts: Facts) -> Rows:
    return rows(facts, "", stated(facts), "dropped")


def _help(place: Place, facts: Facts) -> str:
    return "convert again with the tokenizer of the source, or prove that these rows were padding"


RULE = Rule(severity="error", headline=headline, rows=_rows, help=_help)
