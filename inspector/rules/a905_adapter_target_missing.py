"""A module that the adapter's config targets has no tensor in the adapter.

What it means
    The base has the module, the config chooses it, and nothing of it is stored.

Why it matters
    Loaders start it at zero: the adapter works, and does less than what was trained.

Example
    error[A905] adapter-target-missing: model.layers.7.self_attn.v_proj
      missing  2 tensors
      base     llama, which has it
      help     fetch or save the adapter again, or take the module out of
               adapter_config.json if it was not trained

What to do
    Fetch the adapter again, or save it again from the trained model; if the module was never trained, take it
    out of the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return place.tensor or str(place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    where = f"{place.indices}, " if place.indices and not place.tensor else ""
    rows = [("missing", f"{where}{count(facts['tensors'], 'tensor')}")]
    if facts["modules"]:
        rows.append(("of", listed(facts["modules"])))
    if facts["base"]:
        rows.append(("base", f"{facts['base']}, which has it"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "fetch or save the adapter again, or take the module out of adapter_config.json if it was not trained"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
