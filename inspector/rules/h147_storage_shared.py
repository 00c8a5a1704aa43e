"""Tensors of a PyTorch file share their storage.

What it means
    Two names for the same numbers are a tie (a head that is the embedding), stored once. Several views of
    one storage are slices of one matrix.

Why it matters
    The tensors count by their names more than the file holds; safetensors stores such a tie once or refuses it.

Example
    note[H147] storage-shared: pytorch_model.bin: 1 tie
      tied  model.embed_tokens.weight = lm_head.weight
      help  nothing needs doing where the model ties these weights

What to do
    Nothing, where the model ties these weights.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    tied = f"{count(facts['tied'], 'tie')}" if facts["tied"] else ""
    views = f"{number(facts['views'])} views of {count(facts['storages'], 'storage')}" if facts["storages"] else ""
    return f"{place.file}: {', '.join(text for text in (tied, views) if text)}"


def _rows(place: Place, facts: Facts) -> Rows:
    ties = [("tied", " = ".join(names)) for names in facts["ties"][:4]]
    return ties + ([("views", listed(facts["names"], 4))] if facts["names"] else [])


def _help(place: Place, facts: Facts) -> str:
    return "nothing needs doing where the model ties these weights"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
