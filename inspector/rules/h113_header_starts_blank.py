"""The header begins with blanks.

What it means
    The format says that a header begins with `{`. The reference reader accepts leading blanks all the
    same, other readers do not.

Why it matters
    The file loads with some programs only.

Example
    warning[H113] header-starts-blank: model.safetensors
      before  8 blank bytes before the first brace
      help    save the file again if another reader refuses it

What to do
    Save the file again with a current version of safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file)


def _rows(place: Place, facts: Facts) -> Rows:
    return [("before", f"{number(facts['bytes'])} blank bytes before the first brace")]


def _help(place: Place, facts: Facts) -> str:
    return "save the file again if another reader refuses it"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
