"""A tensor of one side alone is taken for a tied copy.

What it means
    One side stores a tensor that may be a copy, a head of the embedding; the other does not, and
    neither a config nor the format says that it is one of its own.

Why it matters
    It counts once. If it was no copy, it was lost, or added.

Example
    note[V813] taken-as-tied: head, in the source alone, counts as the embedding
      (likely)
      copy  10,752 parameters; no config says whether it is one
      help  put the config beside the weights: tie_word_embeddings says which it is

What to do
    Compare with the config of the original: tie_word_embeddings says which it is.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['role']}, in the {facts['side']} alone, counts as the {facts['of']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("copy", f"{count(facts['parameters'], 'parameter')}; no config says whether it is one")]


def _help(place: Place, facts: Facts) -> str:
    return "put the config beside the weights: tie_word_embeddings says which it is"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
