"""The repository has another name now.

What it means
    The Hub redirects from the old name, which a new repository may take over one day.

Why it matters
    What was read is the repository of the new name.

Example
    note[R025] repository-renamed: old/name is called org/name now
      help  write org/name

What to do
    Use the new name.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['repository']} is called {facts['new']} now"


def _help(place: Place, facts: Facts) -> str:
    return f"write {facts['new']}"


RULE = Rule(severity="note", headline=_headline, help=_help)
