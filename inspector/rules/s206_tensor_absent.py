"""The index promises tensors that no header holds.

What it means
    The shard is there and readable, and neither it nor any other shard has the tensors.

Why it matters
    Loaders fail, or fill the weights with random numbers.

Example
    error[S206] tensor-absent: model-00003-of-00004.safetensors
      absent  1 tensor: model.norm.weight
      index   model.safetensors.index.json
      help    the shard and the index come from two saves: fetch both again

What to do
    The shard and the index come from two saves: fetch both again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import first
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['files'])} further files" if facts.get("files") else str(place.file) or "(an empty name)"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        (
            "absent",
            f"{count(facts['tensors'], 'tensor')}: {first(facts)}"
            if not facts.get("files")
            else count(facts["tensors"], "tensor"),
        )
    ] + ([("index", str(facts["index"]))] if facts.get("index") else [])


def _help(place: Place, facts: Facts) -> str:
    return "the shard and the index come from two saves: fetch both again"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
