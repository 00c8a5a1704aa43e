"""The names are spelled as another writer spells them.

What it means
    The names are not those that the newest transformers writes, but those of another release or
    program, which are known.

Why it matters
    Nothing is wrong; a loader must know this spelling.

Example
    note[N409] names-in-dialect: names in an older or other spelling
      such as  embeddings.word_embeddings.weight

What to do
    Nothing, or convert the checkpoint for loaders that do not know the spelling.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"names as {facts['writer']} writes them" if facts["writer"] else "names in an older or other spelling"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("such as", str(facts["example"]))]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
