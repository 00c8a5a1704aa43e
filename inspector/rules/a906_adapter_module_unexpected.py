"""The adapter stores tensors for a module that it has no use for.

What it means
    The base has no such module, or the adapter's config does not target it.

Why it matters
    Loaders leave these tensors out.

Example
    warning[A906] adapter-module-unexpected: model.layers.{layer}.self_attn.v_proj
      stored   layers 0-31, 64 tensors, 2,621,440 elements
      because  not a target there by adapter_config.json
      help     compare adapter_config.json and the base with those of the training
               run

What to do
    Compare adapter_config.json and the base with those of the training run.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    where = f"{place.indices}, " if place.indices and not place.tensor else ""
    why = "not a target there by adapter_config.json" if facts["known"] else "the base has no such module"
    stored = f"{where}{count(facts['tensors'], 'tensor')}, {count(facts['elements'], 'element')}"
    return [("stored", stored), ("because", why)]


def _help(place: Place, facts: Facts) -> str:
    return "compare adapter_config.json and the base with those of the training run"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
