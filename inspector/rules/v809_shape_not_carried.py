"""A tensor of the source cannot have become the one of the target.

What it means
    Both sides have the tensor, unpacked and in one orientation, and its shape is another one. No
    transposition, concatenation, stacking or padding of a vocabulary explains that.

Why it matters
    What is not in both was cut off or made up.

Example
    error[V809] shape-not-carried: attention key of layer 17
      change      attention key [1024, 4096] → [4096, 4096]
      source      model.layers.17.self_attn.k_proj.weight
      target      model.layers.17.self_attn.k_proj.weight
      parameters  12,582,912 invented
      help        repeat the conversion; the converter took these widths for others

What to do
    Repeat the conversion; compare head counts and widths that the converter read from the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    where = f" of {facts['where']}" if facts["where"] else ""
    return f"{listed(facts['roles'], 4)}{where}"


def _rows(place: Place, facts: Facts) -> Rows:
    lost = [f"{number(facts[kind])} {kind}" for kind in ("dropped", "invented") if facts[kind]]
    return [
        *(("change", change) for change in facts["changes"][:6]),
        ("source", str(facts["names"][0])),
        ("target", str(facts["names"][1])),
        ("parameters", ", ".join(lost)),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "repeat the conversion; the converter took these widths for others"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
