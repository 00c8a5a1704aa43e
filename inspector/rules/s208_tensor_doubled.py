"""Tensors lie in two shards, with the same shape.

What it means
    The file repeats tensors that another file of the set holds with the same dtype and shape.

Why it matters
    The values may differ, which headers cannot show; loaders take the one that they read last. Bytes
    are wasted at least.

Example
    warning[S208] tensor-doubled: model-00003-of-00004.safetensors
      doubled  1 tensor: lm_head.weight
      help     keep one of the two

What to do
    Keep one of the two; the index says which is read.
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
            "doubled",
            f"{count(facts['tensors'], 'tensor')}: {first(facts)}"
            if not facts.get("files")
            else count(facts["tensors"], "tensor"),
        )
    ] + ([("index", str(facts["index"]))] if facts.get("index") else [])


def _help(place: Place, facts: Facts) -> str:
    return "keep one of the two"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
