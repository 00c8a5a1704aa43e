"""The adapter has another number of words than its base.

What it means
    Its tables are longer or shorter than the base's: words were added before it was trained.

Why it matters
    Loading fails until the base's embeddings are resized.

Example
    note[A913] adapter-vocabulary-differs: 128,264 words, the base has 128,256
      shown by  1 tensor
      help      resize the base's embeddings to this number before loading the
                adapter

What to do
    Call `resize_token_embeddings` on the base, with the adapter's tokenizer, before loading the adapter.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{listed([number(size) for size in facts['stored']])} words, the base has {number(facts['expected'])}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("shown by", count(facts["tensors"], "tensor"))]


def _help(place: Place, facts: Facts) -> str:
    return "resize the base's embeddings to this number before loading the adapter"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
