"""The Hub does not accept the token.

What it means
    A token was sent, from HF_TOKEN or from the file that `hf auth login` writes, and the server says
    that it is none of its own: mistyped, expired, revoked, or made for another endpoint.

Why it matters
    Even public repositories cannot be read with a token that is refused. No other token is tried in its
    place.

Example
    error[R027] token-refused: the token is refused by https://huggingface.co
      because  huggingface.co answers 401: Invalid credentials in Authorization header
      help     set HF_TOKEN to a valid token or unset it; `hf auth login` stores a new one

What to do
    Set HF_TOKEN to a valid token, or remove it; `hf auth whoami` tells whose a token is.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"the token is refused by {facts['endpoint']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]))]


def _help(place: Place, facts: Facts) -> str:
    return "set HF_TOKEN to a valid token or unset it; `hf auth login` stores a new one"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
