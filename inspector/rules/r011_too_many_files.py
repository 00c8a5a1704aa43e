"""The set has more files than the tool opens.

What it means
    One set of weights consists of more files than any genuine checkpoint has. The first ones were
    audited.

Why it matters
    The limit keeps a hostile index from making the audit run for hours.

Example
    error[R011] too-many-files: 100,000 files in one set
      limit  20,000 files
      help   merge the shards into fewer files

What to do
    Merge the shards into fewer files.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['files'])} files in one set"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("limit", f"{number(facts['limit'])} files")]


def _help(place: Place, facts: Facts) -> str:
    return "merge the shards into fewer files"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
