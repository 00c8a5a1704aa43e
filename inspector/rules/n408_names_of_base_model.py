"""The names are the base model's, the class is one with a head.

What it means
    The names have not the prefix that the class puts before the body. The libraries add and remove it
    on loading.

Why it matters
    Nothing is wrong; tools that compare names letter by letter may not know it.

Example
    note[N408] names-of-base-model: the class is LlamaForCausalLM, the names are
      llamaModel's
      prefix  "model." is not there

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"the class is {facts['class']}, the names are {facts['names']}'s"


def _rows(place: Place, facts: Facts) -> Rows:
    if facts["prefix"]:
        return [("prefix", f'"{facts["prefix"]}" is not there')]
    return [("prefix", f'"{facts["stored_prefix"]}" stands before the body')]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
