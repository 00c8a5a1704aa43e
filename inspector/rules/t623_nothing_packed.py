"""The config describes a quantisation, and nothing is packed.

What it means
    All weights are stored as floats. Some tools write the settings also where no module could be quantised
    (MLX, where no width divides by the group size) or after turning the weights back.

Why it matters
    Loaders that believe the config look for packed tensors.

Example
    note[T623] nothing-packed: quantization
      config  mlx, 4 bits, groups of 64

What to do
    Take the settings out of the config if the weights are meant to be floats.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return str(place.key)


def _rows(place: Place, facts: Facts) -> Rows:
    words = [str(facts["method"])]
    if facts["bits"]:
        words.append(f"{facts['bits']} bits")
    if facts["group_size"] and facts["group_size"] > 0:
        words.append(f"groups of {facts['group_size']}")
    return [("config", ", ".join(words))]


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=lambda place, facts: "")
