"""Small files in the folder are not those of the repository.

What it means
    A config, a tokenizer or code was changed here, or is of another commit.

Why it matters
    The model is loaded with other settings than the published one.

Example
    warning[V832] download-config-differs: config.json
      differ  config.json (content)
      commit  8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
      help    compare them with the repository's; fetch them again if nobody changed
              them

What to do
    Compare the files; fetch them again if nobody changed them.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return place.file or f"{facts['files']:,} files"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("differ", listed([_case(case) for case in facts["cases"]], 6)), ("commit", str(facts["commit"]))]


def _case(case: Facts) -> str:
    if case["stored"] == case["expected"]:
        return f"{case['name']} (content)"
    return f"{case['name']} ({number(case['stored'])} of {number(case['expected'])} bytes)"


def _help(place: Place, facts: Facts) -> str:
    return "compare them with the repository's; fetch them again if nobody changed them"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
