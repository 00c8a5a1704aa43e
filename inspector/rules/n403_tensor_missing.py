"""A required tensor is not stored.

What it means
    The architecture, under this config, has a tensor that no file of the checkpoint holds, while the
    rest of its layer is there.

Why it matters
    Loaders fill it with random numbers, most of them with no more than a line in a log.

Example
    error[N403] tensor-missing: model.layers.17.self_attn.k_proj.weight
      role      attention key
      expected  [1024, 4096]
      missing   1 tensor of 32, 4,194,304 parameters
      help      fetch or convert the checkpoint again; nothing here can stand for
                these tensors

What to do
    Fetch the file again, or repeat the conversion that dropped the tensor.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number, role_words, shape


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    kind = "parameters" if facts["counted"] else "parameters: a buffer"
    rows = [
        ("role", role_words(facts["role"])),
        ("expected", shape(facts["shape"])),
        (
            "missing",
            f"{count(facts['tensors'], 'tensor')} of {number(facts['expected_tensors'] * len(facts['families']))}, "
            f"{number(facts['parameters'] if facts['counted'] else 0)} {kind}",
        ),
    ]
    if place.indices and not place.tensor:
        rows.insert(0, ("where", place.indices))
    if len(facts["families"]) > 1:
        rows.append(("also", listed(facts["families"][1:])))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "fetch or convert the checkpoint again; nothing here can stand for these tensors"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
