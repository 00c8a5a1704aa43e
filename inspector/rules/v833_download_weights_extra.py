"""The folder holds weights that the repository does not have.

What it means
    Files of weights lie here that are not in the repository at this commit.

Why it matters
    Loaders may take them instead of the published ones, or beside them.

Example
    warning[V833] download-weights-extra: model-00002-of-00003.safetensors
      extra   1 bytes: model-00002-of-00003.safetensors
      commit  8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
      help    remove them if they are of another download or another commit

What to do
    Remove them if they are of another download or another commit.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return place.file or count(facts["files"], "file")


def _rows(place: Place, facts: Facts) -> Rows:
    from inspector.loader.sources.traffic import amount

    return [("extra", f"{amount(facts['bytes'])}: {listed(facts['names'], 4)}"), ("commit", str(facts["commit"]))]


def _help(place: Place, facts: Facts) -> str:
    return "remove them if they are of another download or another commit"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
