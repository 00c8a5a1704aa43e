"""The same key stands twice in a config.

What it means
    An object of the config holds a key more than once. Python keeps the last value; other readers keep
    the first or refuse the file.

Why it matters
    Two readers may build two models from the same file. The audit goes by the last value.

Example
    warning[R007] config-key-doubled: config.json holds 1 key twice
      keys  hidden_size
      help  remove one of the two; the last one was used

What to do
    Remove one of the two.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} holds {count(facts['count'], 'key')} twice"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("keys", listed(facts["keys"]))]


def _help(place: Place, facts: Facts) -> str:
    return "remove one of the two; the last one was used"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
