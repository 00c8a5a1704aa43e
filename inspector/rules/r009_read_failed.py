"""Reading a file failed in the middle.

What it means
    The file was opened, and then the system or the network gave an error, or it became shorter while it
    was read.

Why it matters
    What is in the file is not known.

Example
    error[R009] read-failed: model.safetensors
      because  Input/output error
      help     try again; if it fails again, look at the disk or the connection

What to do
    Try again; if it fails again, the disk or the connection is at fault.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file)


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]) or str(facts["reason"]))]


def _help(place: Place, facts: Facts) -> str:
    return "try again; if it fails again, look at the disk or the connection"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
