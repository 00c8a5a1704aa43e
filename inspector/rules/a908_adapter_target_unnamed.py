"""The adapter's config lists a target that no tensor is named after.

What it means
    target_modules has a name with which no module of the adapter ends.

Why it matters
    Either the base has no such module, which is harmless, or its tensors were lost. The base tells which.

Example
    note[A908] adapter-target-unnamed: down_proj
      listed  1 of 3 target_modules have no tensor
      help    audit it with --base: whether the base has such a module decides

What to do
    Audit the adapter with its base: `inspector audit ADAPTER --base BASE`.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return listed(facts["targets"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [("listed", f"{number(facts['count'])} of {number(facts['of'])} target_modules have no tensor")]


def _help(place: Place, facts: Facts) -> str:
    return "audit it with --base: whether the base has such a module decides"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
