"""Tensors lie in two shards, with different shapes or dtypes.

What it means
    The file holds tensors that another file of the set holds too, with another shape or dtype.

Why it matters
    Which of the two a loader takes depends on the order of its reading. The audit goes by the one that
    the index names, else by the first.

Example
    error[S210] tensor-contradicted: model-00003-of-00004.safetensors
      differs  1 tensor: lm_head.weight
      help     remove the stale one of the two shards

What to do
    Find out which shard is the stale one and remove it.
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
            "differs",
            f"{count(facts['tensors'], 'tensor')}: {first(facts)}"
            if not facts.get("files")
            else count(facts["tensors"], "tensor"),
        )
    ] + ([("index", str(facts["index"]))] if facts.get("index") else [])


def _help(place: Place, facts: Facts) -> str:
    return "remove the stale one of the two shards"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
