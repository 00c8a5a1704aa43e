"""Tensors lie in another shard than the index says.

What it means
    The index puts the tensors into this file; the headers show them in another one.

Why it matters
    Loaders that fetch single tensors by the index fail, those that read whole shards do not notice.

Example
    error[S207] tensor-in-another-shard: model-00003-of-00004.safetensors
      moved     2 tensors: model.norm.weight, lm_head.weight
      found in  model-00004-of-00004.safetensors
      index     model.safetensors.index.json
      help      write the index again from the headers

What to do
    Write the index again from the headers.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import first
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['files'])} further files" if facts.get("files") else str(place.file) or "(an empty name)"


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        [
            (
                "moved",
                f"{count(facts['tensors'], 'tensor')}: {first(facts)}"
                if not facts.get("files")
                else count(facts["tensors"], "tensor"),
            )
        ]
        + ([("found in", listed(facts["in"]))] if facts.get("in") else [])
        + ([("index", str(facts["index"]))] if facts.get("index") else [])
    )


def _help(place: Place, facts: Facts) -> str:
    return "write the index again from the headers"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
