"""The repository was closed by the Hub.

What it means
    Those who run the Hub have shut the repository, mostly for its content. Nobody can read it, with or
    without a token.

Why it matters
    Nothing could be read, so nothing is said about the checkpoint.

Example
    error[R024] repository-disabled: org/closed was disabled by the Hub
      because  huggingface.co answers 403: Access to this resource is disabled.
      help     no token helps: look for another copy, or ask its owner

What to do
    Nothing that you can do changes it; look for another copy, or ask the owner.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['repository']} was disabled by the Hub"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]))]


def _help(place: Place, facts: Facts) -> str:
    return "no token helps: look for another copy, or ask its owner"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
