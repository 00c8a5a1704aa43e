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
        ("dropped", count(facts["dropped"], "parameter")),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "convert again with the tokenizer of the source, or prove that these rows were padding"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
