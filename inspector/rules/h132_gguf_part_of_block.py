"""Rows of a quantised tensor do not fill whole blocks.

What it means
    A block type of llama.cpp holds 32 or 256 values in a block along the first dim of the file, which is
    the last in torch. The dim is no multiple of that.

Why it matters
    How many bytes the tensor has is then not defined, and llama.cpp refuses the file.

Example
    error[H132] gguf-part-of-block: model.gguf: 1 tensor
      entry  blk.0.ffn_up.weight: Q4_K [768, 200], blocks of 256
      help   convert the model again with a current llama.cpp

What to do
    Convert the model again; the converter leaves such tensors in a plain type.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import more
from inspector.rules.rule import Facts, Rows, Rule, count, shape


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    cases = facts["cases"][:4]
    entries = [f"{one['tensor']}: {one['dtype']} {shape(one['shape'][:12])}, blocks of {one['block']}" for one in cases]
    return [("entry", entry) for entry in entries] + more(facts)


def _help(place: Place, facts: Facts) -> str:
    return "convert the model again with a current llama.cpp"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
