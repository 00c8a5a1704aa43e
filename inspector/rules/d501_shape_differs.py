"""A tensor's shape is not the one that follows from the config.

What it means
    The config and the rest of the weights agree; this tensor does not.

Why it matters
    Loaders refuse it or leave it out and run with random numbers.

Example
    error[D501] shape-differs: model.layers.17.self_attn.k_proj.weight
      stored    [4096, 4096] BF16
      expected  [kv*dh, d] = [1024, 4096]
      because   kv = num_key_value_heads = 8; dh = d/h = 128 (head_dim absent); d =
                hidden_size = 4096
      others    31 tensors are as expected
      help      this tensor comes from another checkpoint: fetch its file again

What to do
    Fetch the file again; if the tensor was trained or merged in this shape, correct the config for
    all layers.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, shape


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [
        ("stored", f"{shape(facts['stored'])} {facts['dtype']}"),
        ("expected", f"[{', '.join(facts['dims'])}] = {shape(facts['expected'])}"),
        ("because", "; ".join(facts["because"])),
    ]
    if place.indices and not place.tensor:
        rows.insert(0, ("where", f"{place.indices}, {count(facts['tensors'], 'tensor')}"))
    if facts["others"]:
        rows.append(
            ("others", f"{count(facts['others'], 'tensor')} {'is' if facts['others'] == 1 else 'are'} as expected")
        )
    return [row for row in rows if row[1]]


def _help(place: Place, facts: Facts) -> str:
    if facts["others"]:
        return "this tensor comes from another checkpoint: fetch its file again"
    return "the tensor or the config is another model's: compare it with the original"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
