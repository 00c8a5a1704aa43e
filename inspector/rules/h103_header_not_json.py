"""The header is no JSON that all readers take.

What it means
    The header is not UTF-8, not one complete JSON object, nested beyond 128 levels, padded with
    something else than blanks, or uses what Python alone accepts: NaN, lone surrogates.

Why it matters
    The reference reader refuses the file.

Example
    error[H103] header-not-json: header of model.safetensors is padded with NUL
      at    character 2,104 of 2,112
      help  save the file again with a current version of safetensors, or fetch it again

What to do
    Save the file again with a current version of safetensors, or fetch it again if it was damaged on
    the way.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"header of {place.file} {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        [("at", f"character {number(facts['position'])} of {number(facts['bytes'])}")]
        if facts["position"] is not None
        else []
    )


def _help(place: Place, facts: Facts) -> str:
    return "save the file again with a current version of safetensors, or fetch it again"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
