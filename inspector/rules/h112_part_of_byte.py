"""A tensor of 4 or 6 bits does not fill its last byte.

What it means
    F4, F6_E2M3 and F6_E3M2 take 4 and 6 bits an element; elements times bits must be whole bytes.

Why it matters
    The reference reader refuses the file.

Example
    error[H112] part-of-byte: model.safetensors: 1 tensor
      entry  w: F4 [3]
      help   pad the last dim so that the bits fill whole bytes

What to do
    Pad the last dim to an even number, or to a multiple of four for the 6-bit types.
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
    return "pad the last dim so that the bits fill whole bytes"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
