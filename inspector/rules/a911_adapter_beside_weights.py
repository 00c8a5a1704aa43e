"""adapter_config.json lies beside the weights of a whole model.

What it means
    The weights are a model's, not an adapter's. Whether the adapter was merged into them headers cannot tell.

Why it matters
    transformers with PEFT installed sees adapter_config.json first, loads the base that it names instead of these
    weights, and then looks for the adapter.

Example
    note[A911] adapter-beside-weights: an adapter for meta-llama/Meta-Llama-3-8B
      weights  a whole model; headers cannot tell whether the adapter was merged
               into it
      help     move adapter_config.json away if the weights are merged: loaders with
               PEFT take the base it names instead

What to do
    If the weights are merged, move adapter_config.json away; if not, keep the adapter in a folder of its own.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"an adapter for {facts['base']}" if facts["base"] else "an adapter's config"


def _rows(place: Place, facts: Facts) -> Rows:
    rows = [("weights", "a whole model; headers cannot tell whether the adapter was merged into it")]
    if facts["adapter_file"]:
        rows.append(("adapter", f"{facts['adapter_file']} lies here too, and is not in these counts"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return "move adapter_config.json away if the weights are merged: loaders with PEFT take the base it names instead"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
