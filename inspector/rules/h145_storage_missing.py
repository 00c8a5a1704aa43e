"""Numbers of a tensor are not in the archive, or not all of them.

What it means
    The state dict names storages that the archive does not hold, or that are shorter than the tensors need.

Why it matters
    The tensors are declared, and their numbers are gone.

Example
    error[H145] storage-missing: pytorch_model.bin: 1 tensor without all of the numbers
      storage  archive/data/3 is not there
      layers   3
      tensors  model.layers.3.mlp.up_proj.weight
      help     fetch this file again

What to do
    Fetch the file again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')} without all of the numbers"


def _rows(place: Place, facts: Facts) -> Rows:
    layers = [("layers", str(facts["layers"]))] if facts["layers"] else []
    return [("storage", listed(facts["members"], 2)), *layers, ("tensors", listed(facts["names"], 3))]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
