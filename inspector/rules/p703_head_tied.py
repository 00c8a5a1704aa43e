"""The head is not stored: it is the embedding.

What it means
    The config ties the two, so that one matrix serves as both and is counted once.

Why it matters
    Nothing is wrong; a formula that counts a head of its own is that much too high.

Example
    note[P703] head-tied: lm_head is not stored; config ties it to the embedding

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rule, role_words


def _headline(place: Place, facts: Facts) -> str:
    name = (place.tensor or place.family or "").removesuffix(".weight")
    ties = "it is taken for tied" if facts["solved"] else "config ties it"
    return f"{name} is not stored; {ties} to the {role_words(facts['with'])}"


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, help=_help)
