"""A module is not packed although its siblings are and the config does not leave it out.

What it means
    The same module of other layers or experts is packed; no list of the config names this one.

Why it matters
    Loaders expect packed tensors here and find none.

Example
    warning[T616] module-not-packed: model.layers.1.mlp.down_proj.weight
      stored  [384, 1152] BF16
      others  2 siblings are packed (gptq)
      help    quantise it like the others, or list it as not converted in the config

What to do
    Quantise the module like the others, or list it in the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline
from inspector.rules.rule import Facts, Rows, Rule, count, shape


def _rows(place: Place, facts: Facts) -> Rows:
    verb = "is" if facts["others"] == 1 else "are"
    rows = [
        ("stored", f"{shape(facts['shape'])} {facts['dtype']}"),
        ("others", f"{count(facts['others'], 'sibling')} {verb} packed ({facts['scheme']})"),
    ]
    if facts["modules"] > 1:
        rows.insert(0, ("where", facts["where"]))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "quantise it like the others, or list it as not converted in the config"


RULE = Rule(severity="warning", headline=headline, rows=_rows, help=_help)
