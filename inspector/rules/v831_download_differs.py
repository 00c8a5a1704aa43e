"""Weights in the folder are not those of the repository.

What it means
    The file has another size, or the same size and another content by its digest.

Why it matters
    A cut, damaged or exchanged file: what it gives is not the published model.

Example
    error[V831] download-differs: model-00002-of-00004.safetensors
      stored  3,000,000 of 4,999,998 bytes
      commit  8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
      help    fetch it again from meta-llama/Meta-Llama-3-8B; if it was changed on
              purpose it is another model

What to do
    Fetch the file again; if it was changed on purpose, it is another model.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return place.file or f"{facts['files']:,} files"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        (_label(facts), listed([_case(case, facts) for case in facts["cases"]], 4)),
        ("commit", str(facts["commit"])),
    ]


def _label(facts: Facts) -> str:
    return "stored" if facts["files"] == 1 else "differ"


def _case(case: Facts, facts: Facts) -> str:
    name = "" if facts["files"] == 1 else f"{case['name']} "
    if case["stored"] == case["expected"]:
        return f"{name}another content, same size"
    return f"{name}{number(case['stored'])} of {number(case['expected'])} bytes"


def _help(place: Place, facts: Facts) -> str:
    return f"fetch it again from {facts['repository']}; if it was changed on purpose it is another model"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
