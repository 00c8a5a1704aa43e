"""The Hub has no repository of this name.

What it means
    The server knows no such repository. With a token this is also its answer about a private one that
    the token's owner may not see.

Why it matters
    Nothing could be read, so nothing is said about the checkpoint.

Example
    error[R021] repository-not-found: org/nmae is not on https://huggingface.co
      because  huggingface.co answers 404: Repository not found; it could be private and not open to your token
      path     nor is there a file or folder of this name here
      help     check the spelling of organisation and name

What to do
    Check the spelling of organisation and name, and --repo-type for data sets and spaces. For a path of
    this machine, check that the folder exists.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['repository']} is not on {facts['endpoint']}"


def _rows(place: Place, facts: Facts) -> Rows:
    private = "; it could be private and not open to your token" if facts.get("token") else ""
    rows = [("because", f"{facts['detail']}{private}")]
    return [*rows, ("path", "nor is there a file or folder of this name here")] if facts["bare"] else rows


def _help(place: Place, facts: Facts) -> str:
    return "check the spelling of organisation and name"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
