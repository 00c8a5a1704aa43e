"""A stored copy of a tied tensor holds other numbers than the tensor.

What it means
    The config ties two tensors, so that one set of numbers serves both; the file stores both, and
    they differ.

Why it matters
    Loaders keep one of them and drop the other: the model behaves one way or the other.

Example
    error[V824] copies-differ: lm_head.weight
      original  model.embed_tokens.weight
      differ    1 of 16,384 numbers
      largest   1 at [2, 0]: -0.840722 became 0.159278
      help      set tie_word_embeddings to false if the head was trained apart, else
                drop the copy

What to do
    Untie the two in the config if they were trained apart, or drop the copy.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["tensor"])


def _rows(place: Place, facts: Facts) -> Rows:
    before, after = facts["values"]
    return [
        ("original", str(facts["original"])),
        ("differ", f"{number(facts['differing'])} of {count(facts['elements'], 'number')}"),
        ("largest", f"{facts['largest']:g} at {shape(facts['at'])}: {before:g} became {after:g}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "set tie_word_embeddings to false if the head was trained apart, else drop the copy"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
