"""The product of the dims does not fit into 64 bits.

What it means
    Elements, or elements times bits, reach 2^64. No such tensor can exist; products that wrap around to
    a small number are an old trick.

Why it matters
    Readers that do not check reserve the wrong amount of memory. The reference reader refuses the file.

Example
    error[H111] shape-overflows: model.safetensors: 1 tensor
      entry  w: F32 [4294967296, 4294967296]
      help   do not use the file

What to do
    Do not use the file.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import more
from inspector.rules.rule import Facts, Rows, Rule, count, shape


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("entry", f"{one['tensor']}: {one['dtype']} {shape(one['shape'][:12])}") for one in facts["cases"][:4]
    ] + more(facts)


def _help(place: Place, facts: Facts) -> str:
    return "do not use the file"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
