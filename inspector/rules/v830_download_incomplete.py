"""Files of the repository are not in the folder.

What it means
    Weights, an index, a config or a tokenizer that the repository has at this commit is missing here.

Why it matters
    The model does not load, or loads in part.

Example
    error[V830] download-incomplete: model-00002-of-00004.safetensors
      missing  5.00 MB: model-00002-of-00004.safetensors
      commit   8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
      help     run `hf download meta-llama/Meta-Llama-3-8B
               model-00002-of-00004.safetensors --revision
               8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920 --local-dir Meta-Llama-3-8B`

What to do
    Run the command that the finding names: it fetches only what is missing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return place.file or f"{count(facts['files'], 'file')} of {facts['repository']}"


def _rows(place: Place, facts: Facts) -> Rows:
    from inspector.loader.sources.traffic import amount

    names = listed(facts["names"][:4] if facts["files"] > 4 else facts["names"], 4)
    more = f" and {facts['files'] - 4:,} more" if facts["files"] > 4 else ""
    return [("missing", f"{amount(facts['bytes'])}: {names}{more}"), ("commit", str(facts["commit"]))]


def _help(place: Place, facts: Facts) -> str:
    return f"run `{facts['command']}`"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
