"""The repository is open only to those who accepted its terms.

What it means
    Its owner asks for a name and for agreement before the files may be read. Its description is public,
    so that it was found.

Why it matters
    The files could not be read, so nothing is said about the checkpoint.

Example
    error[R023] repository-gated: org/gated is gated: its terms have to be accepted first
      because  huggingface.co answers 401: Access to model org/gated is restricted.
      help     accept the terms at https://huggingface.co/org/gated, then run `hf auth login` or set HF_TOKEN

What to do
    Open the page of the repository, log in, accept its terms, and wait for the owner's approval where
    that is asked for; then use a token of the same account.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['repository']} is gated: its terms have to be accepted first"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]))]


def _help(place: Place, facts: Facts) -> str:
    after = "" if facts.get("token") else ", then run `hf auth login` or set HF_TOKEN"
    return f"accept the terms at {facts['endpoint']}/{facts['repository']}{after}"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
