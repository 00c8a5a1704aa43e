"""The repository has no such folder or file.

What it means
    The repository was read at this commit, and nothing in it lies at the path that was asked for.

Why it matters
    Nothing could be read, so nothing is said about the checkpoint.

Example
    error[R032] inside-not-found: org/name has no unet
      commit  0e9e39f249a16976918f6564b8830bc894c89659
      help    check the spelling of the folder; capitals count

What to do
    Look at the files on the page of the repository.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['repository']} has no {facts['inside']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("commit", str(facts["commit"]))]


def _help(place: Place, facts: Facts) -> str:
    return "check the spelling of the folder; capitals count"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
