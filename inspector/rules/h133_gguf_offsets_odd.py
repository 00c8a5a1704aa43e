"""The tensors of a GGUF file do not lie as llama.cpp needs them.

What it means
    Tensors lie in the order of their listing, each at the next multiple of the alignment. Here some
    overlap, leave holes, begin between the multiples or are listed in another order.

Why it matters
    llama.cpp refuses the file. What lies in a hole is nobody's, and what overlaps is read twice.

Example
    error[H133] gguf-offsets-odd: model.gguf: 2 tensors overlapping
      alignment  32 bytes
      tensors    blk.0.attn_k.weight, blk.0.attn_v.weight
      help       convert the model again with a current llama.cpp

What to do
    Convert the model again with a current llama.cpp.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: " + ", ".join(text for text in _problems(facts) if text)


def _problems(facts: Facts) -> tuple[str, ...]:
    return (
        f"{count(facts['overlapping'], 'tensor')} overlapping" if facts["overlapping"] else "",
        f"{count(facts['unaligned'], 'tensor')} off the alignment" if facts["unaligned"] else "",
        f"{number(facts['hole_bytes'])} bytes in {count(facts['holes'], 'hole')}" if facts["holes"] else "",
        "tensors out of order" if facts["disordered"] else "",
    )


def _rows(place: Place, facts: Facts) -> Rows:
    names = [("tensors", listed(facts["names"]))] if facts["names"] else []
    return [("alignment", f"{number(facts['alignment'])} bytes"), *names]


def _help(place: Place, facts: Facts) -> str:
    return "convert the model again with a current llama.cpp"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
