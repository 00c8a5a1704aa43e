"""A total of the index agrees with nothing.

What it means
    The index states a total that is neither what the headers add up to nor anything that known habits
    make of it.

Why it matters
    Hubs and loaders show and believe this number; it may be left over from another version of the
    weights.

Example
    warning[P705] total-disagrees: index.total_size
      claimed  16,060,522,240
      true     16,060,522,496
      help     write the index again from the headers

What to do
    Write the index again from the headers.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["source"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [("claimed", number(facts["claimed"])), ("true", number(facts["true"]))]


def _help(place: Place, facts: Facts) -> str:
    return "write the index again from the headers"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
