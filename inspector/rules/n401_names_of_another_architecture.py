"""The names belong to another architecture than the config claims.

What it means
    Most names are unknown to the architecture that the config names, and another architecture has
    them.

Why it matters
    A loader that follows the config finds none of its weights and runs with random numbers.

Example
    error[N401] names-of-another-architecture: the config claims gpt2, the names are
      llama's
      config  gpt2 (GPT2LMHeadModel)
      names   llama, 100.0% of the families known
      help    use the config.json that belongs to these weights

What to do
    Use the config that belongs to the weights, or the weights that belong to the config.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    names = f"{facts['names']}'s" if facts["names"] else "of no known architecture"
    return f"the config claims {facts['claimed']}, the names are {names}"


def _rows(place: Place, facts: Facts) -> Rows:
    claimed = f"{facts['claimed']} ({facts['class']})" if facts["class"] else str(facts["claimed"])
    if not facts["names"]:
        return [("config", claimed)]
    return [("config", claimed), ("names", f"{facts['names']}, {facts['coverage']:.1%} of the families known")]


def _help(place: Place, facts: Facts) -> str:
    return "use the config.json that belongs to these weights"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
