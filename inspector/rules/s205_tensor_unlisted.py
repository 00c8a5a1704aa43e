"""A shard holds tensors that the index does not list.

What it means
    The header of the shard names tensors for which the index has no entry.

Why it matters
    Loaders that go by the index never read them and leave the weights at random values, or report them
    as missing.

Example
    error[S205] tensor-unlisted: model-00003-of-00004.safetensors
      unlisted  1 tensor: lm_head.weight
      index     model.safetensors.index.json
      help      write the index again from the headers

What to do
    Write the index again from the headers.
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
            "unlisted",
            f"{count(facts['tensors'], 'tensor')}: {first(facts)}"
            if not facts.get("files")
            else count(facts["tensors"], "tensor"),
        )
    ] + ([("index", str(facts["index"]))] if facts.get("index") else [])


def _help(place: Place, facts: Facts) -> str:
    return "write the index again from the headers"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
