"""A file or folder may not be read.

What it means
    The system refuses to open the file, or to list the folder, for the user who runs the tool.

Why it matters
    What is in it is not known, and nothing is said about it.

Example
    error[R002] not-permitted: model.safetensors
      because  Permission denied
      help     give yourself permission to read it

What to do
    Change the permissions, or run the tool as a user who may read the file.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file or "the source")


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]) or "permission denied")]


def _help(place: Place, facts: Facts) -> str:
    return "give yourself permission to read it"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
