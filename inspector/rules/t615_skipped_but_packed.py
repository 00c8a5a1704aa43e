"""A module that the config lists as not quantised is packed.

What it means
    A list such as `ignore` or `modules_to_not_convert` names the module, and it is stored packed.

Why it matters
    Loaders build a plain module, do not find its weight and run it with random numbers.

Example
    warning[T615] skipped-but-packed: "model.layers.1.mlp.down_proj" in quantization_config
      stored   model.layers.1.mlp.down_proj.qweight
      packing  awq
      help     take the entry out of the list, or store the module as it was

What to do
    Take the entry out of the list, or store the module unquantised.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import listing
from inspector.rules.rule import Facts, Rows, Rule, value


def _headline(place: Place, facts: Facts) -> str:
    return f"{value(facts['entry'])} in {facts['source']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("stored", listing(facts)), ("packing", facts["scheme"])]


def _help(place: Place, facts: Facts) -> str:
    return "take the entry out of the list, or store the module as it was"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
