"""The text that names the source is none that could be read.

What it means
    It looks like a repository, a page of the Hub or another address, and has a mistake in it: a
    revision that git cannot have, a page that shows no files, an endpoint in HF_ENDPOINT without
    `https://`.

Why it matters
    Nothing was asked of anybody, since it is not clear what is meant.

Example
    error[R020] address-not-understood: huggingface.local is the endpoint by HF_ENDPOINT, and no web address such as https://huggingface.co
      help  write a path, org/name, org/name@revision or hf://org/name@revision/folder

What to do
    Write a path, `org/name`, `org/name@revision`, `hf://org/name@revision/folder`, or copy the address
    of the repository's page.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['given'] or 'an empty text'} {facts['problem']}"


def _help(place: Place, facts: Facts) -> str:
    return "write a path, org/name, org/name@revision or hf://org/name@revision/folder"


RULE = Rule(severity="error", headline=_headline, help=_help)
