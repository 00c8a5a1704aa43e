"""The weights are an adapter, not a model.

What it means
    adapter_config.json describes it, and the names are an adapter's. Its parameters are counted by
    themselves.

Why it matters
    It does nothing without its base model, whose parameters are not in this count.

Example
    note[A901] adapter: lora of rank 16
      base  meta-llama/Meta-Llama-3-8B

What to do
    Nothing; audit the base as well.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    rank = f" of rank {facts['rank']}" if isinstance(facts["rank"], int) and facts["rank"] > 0 else ""
    return f"{facts['type']}{rank}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("base", str(facts["base"]))] if facts["base"] else []


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
