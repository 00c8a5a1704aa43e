"""The repository is private, or does not exist.

What it means
    The server does not say which of the two: to somebody who has not logged in, it gives the same
    answer for both. A token without the right to read the repository leads here too.

Why it matters
    Nothing could be read, so nothing is said about the checkpoint.

Example
    error[R022] repository-private: org/secret is private, or does not exist
      because  huggingface.co answers 401: Repository not found
      token    none was sent
      help     run `hf auth login` or set HF_TOKEN; or check the spelling of the name

What to do
    Log in with `hf auth login` or set HF_TOKEN to a token that may read the repository; if it is not
    yours, check the spelling of its name.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['repository']} is private, or does not exist"


def _rows(place: Place, facts: Facts) -> Rows:
    token = "a token was sent, and may not read it" if facts.get("token") else "none was sent"
    return [("because", str(facts["detail"])), ("token", token)]


def _help(place: Place, facts: Facts) -> str:
    if facts.get("token"):
        return "set HF_TOKEN to a token that may read this repository"
    return "run `hf auth login` or set HF_TOKEN; or check the spelling of the name"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
