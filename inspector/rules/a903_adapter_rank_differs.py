"""A low-rank matrix has another rank than the adapter's config says.

What it means
    `r`, or the key of rank_pattern that fits the module, is not what the matrices have.

Why it matters
    Loading fails on the shapes; where both halves agree the config is wrong, where they differ a file is.

Example
    error[A903] adapter-rank-differs: r
      config   64
      weights  16, shown by 128 tensors
      help     set "r": 16 in adapter_config.json, if these are the weights that
               were trained

What to do
    Where all modules share the rank, correct `r` in adapter_config.json; where one differs, fetch or save the
    adapter again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.key or place.tensor or place.family)


def _rows(place: Place, facts: Facts) -> Rows:
    if facts["key"]:
        return [
            ("config", number(facts["expected"])),
            ("weights", f"{number(facts['stored'])}, shown by {count(facts['tensors'], 'tensor')}"),
        ]
    rows = [("stored", f"rank {number(facts['stored'])}"), ("expected", f"rank {number(facts['expected'])}")]
    if place.indices and not place.tensor:
        rows.insert(0, ("where", f"{place.indices}, {count(facts['tensors'], 'tensor')}"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    if facts["key"]:
        return f'set "r": {facts["stored"]} in adapter_config.json, if these are the weights that were trained'
    return "fetch or save the adapter again, or name this rank in rank_pattern if it was trained so"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
