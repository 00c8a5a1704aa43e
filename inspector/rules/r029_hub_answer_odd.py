"""The answer is not that of a Hub.

What it means
    The server answers, and what it sends is a web page or something else in place of the description of
    a repository: the login page of a network, or an address in HF_ENDPOINT that is no Hub.

Why it matters
    A table made from such an answer would be nonsense.

Example
    error[R029] hub-answer-odd: https://huggingface.co sends a web page instead of the description of the repository
      help  see whether the network asks for a login, and check HF_ENDPOINT

What to do
    Open a page in a browser to see whether the network wants a login, and check HF_ENDPOINT.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rule

WORDS = {
    "html": "a web page",
    "refusal": "a message in plain text",
    "json": "other JSON",
    "json-error": "an error message",
    "text": "a text",
    "empty": "nothing",
}


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['endpoint']} sends {WORDS.get(facts['what'], 'something else')} instead of {facts['wanted']}"


def _help(place: Place, facts: Facts) -> str:
    return "see whether the network asks for a login, and check HF_ENDPOINT"


RULE = Rule(severity="error", headline=_headline, help=_help)
