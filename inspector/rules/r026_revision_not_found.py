"""The repository has no such branch, tag or commit.

What it means
    The repository is there and may be read; the revision that was asked for is not in it.

Why it matters
    Another revision is not audited in its place, since that would answer another question.

Example
    error[R026] revision-not-found: org/name has no revision v2
      because  huggingface.co answers 404: Invalid rev id: v2
      help     see https://huggingface.co/org/name/tree/main for its branches and tags

What to do
    Look at the branches and tags on the page of the repository, or leave the revision out for `main`.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['repository']} has no revision {facts['revision']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]))]


def _help(place: Place, facts: Facts) -> str:
    return f"see {facts['endpoint']}/{facts['repository']}/tree/main for its branches and tags"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
