"""A head, or another tensor that may be tied, lies on one side alone, and nothing says what it is.

What it means
    One side stores a tensor that may be a copy, a head of the embedding; the other does not. Neither
    has a config, and the class has a tensor of its own where its config is silent.

Why it matters
    If it is no copy, the conversion lost it, or added it. Until that is known it counts as a
    parameter of its own.

Example
    warning[V816] tie-unknown: head, in the source alone (likely)
      stored   lm_head.weight
      dropped  525,336,576 parameters, unless it is a copy of the embedding
      help     put the config beside the weights: tie_word_embeddings says which it
               is

What to do
    Compare with the config of the original: tie_word_embeddings says which it is.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{listed(facts['roles'], 4)}, in the {facts['side']} alone"


def _rows(place: Place, facts: Facts) -> Rows:
    word = "dropped" if facts["side"] == "source" else "invented"
    of = f"a copy of the {facts['tied']}" if facts["tied"] else "a copy"
    return [
        ("stored", listed(facts["names"], 2)),
        (word, f"{count(facts['parameters'], 'parameter')}, unless it is {of}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "put the config beside the weights: tie_word_embeddings says which it is"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
