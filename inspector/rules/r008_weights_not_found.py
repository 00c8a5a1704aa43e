"""The set of weights asked for is not there.

What it means
    `--weights` names no file, no index, no set and no variant of this folder.

Why it matters
    Another set is not audited in its place, since that would answer another question.

Example
    error[R008] weights-not-found: no weights named fp8
      there  model.safetensors, model.fp16.safetensors
      help   take one of these names, or leave the option out

What to do
    Take one of the names listed.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"no weights named {facts['wanted']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("there", listed(facts["there"]) or "no weights at all")]


def _help(place: Place, facts: Facts) -> str:
    return "take one of these names, or leave the option out"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
