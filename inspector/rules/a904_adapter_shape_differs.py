"""A tensor of the adapter does not fit its module of the base.

What it means
    The widths of the base's module, from its config, and the adapter's matrices do not go together.

Why it matters
    Loading fails, or the tensor is left out.

Example
    error[A904] adapter-shape-differs:
      base_model.model.model.layers.7.self_attn.v_proj.lora_B.weight
      stored    [4096, 16]
      expected  [1024, 16]
      base      llama
      help      fetch the adapter again, or load it on the base that it was trained
                on

What to do
    Fetch the adapter again; if it was trained so, it belongs to another base.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, shape


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("stored", shape(facts["stored"])),
        ("expected", shape(["any" if dim is None else dim for dim in facts["expected"]])),
        ("base", str(facts["base"])),
    ]
    if place.indices and not place.tensor:
        rows.insert(0, ("where", f"{place.indices}, {count(facts['tensors'], 'tensor')}"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "fetch the adapter again, or load it on the base that it was trained on"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
