"""A tensor has another number of bytes than its shape and dtype need.

What it means
    The product of the dims and the bits of the dtype give the bytes of a tensor; its offsets span
    another number.

Why it matters
    One of the three is a lie, and readers that trust the shape read foreign bytes. The reference reader
    refuses the file.

Example
    error[H110] size-differs: model.safetensors: 1 tensor
      entry  lm_head.weight: BF16 [256, 64] = 32,768 bytes, offsets span 32,704
      help   save the file again with a current version of safetensors

What to do
    Save the file again with a current version of safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import more
from inspector.rules.rule import Facts, Rows, Rule, count, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        (
            "entry",
            f"{one['tensor']}: {one['dtype']} {shape(one['shape'][:12])} "
            f"= {number(one['expected'])} bytes, offsets span {number(one['stored'])}",
        )
        for one in facts["cases"][:4]
    ] + more(facts)


def _help(place: Place, facts: Facts) -> str:
    return "save the file again with a current version of safetensors"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
