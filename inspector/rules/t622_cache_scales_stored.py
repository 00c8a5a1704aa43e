"""Scales for a quantised cache of keys and values are stored.

What it means
    They belong to the runtime's cache, not to the weights.

Why it matters
    They are no parameters; without a matching setting in the config loaders ignore them.

Example
    note[T622] cache-scales-stored: model.layers.{layer}.self_attn.k_scale
      stored  k_scale, v_scale; 3 modules
      config  states no quantised cache

What to do
    Nothing, or state the cache's quantisation in the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.packed_words import headline
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("stored", f"{listed(facts['helpers'])}; {count(facts['modules'], 'module')}")]
    if not facts["stated"]:
        rows.append(("config", "states no quantised cache"))
    return rows


RULE = Rule(severity="note", headline=headline, rows=_rows, help=lambda place, facts: "")
