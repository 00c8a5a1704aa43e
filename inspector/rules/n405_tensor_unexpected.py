"""A stored tensor that the architecture does not have.

What it means
    The name, or the index in it, belongs to nothing that the architecture has under this config.

Why it matters
    Loaders ignore it: it costs space, and it may be the trace of a renamed part, a training state or
    another model.

Example
    warning[N405] tensor-unexpected: model.layers.3.self_attn.k_norm.weight
      stored  [128] BF16, 1 tensor, 128 elements, 256 bytes
      help    not counted as a parameter; remove it if nothing reads it

What to do
    Find out what wrote it. Where nothing reads it, remove it.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        (
            "stored",
            f"{shape(facts['shape'])} {facts['dtype']}, {count(facts['tensors'], 'tensor')}, "
            f"{count(facts['elements'], 'element')}, {number(facts['bytes'])} bytes",
        ),
    ]
    return [("where", place.indices), *rows] if place.indices and not place.tensor else rows


def _help(place: Place, facts: Facts) -> str:
    return "not counted as a parameter; remove it if nothing reads it"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
