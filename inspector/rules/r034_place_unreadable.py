"""The bucket, archive or server cannot be read.

What it means
    The address is understood, and the place gives nothing: it does not exist, may not be read, or does
    not answer.

Why it matters
    Nothing could be read, so nothing is said about the checkpoint.

Example
    error[R034] place-unreadable: s3://bucket/model cannot be read
      because  Access Denied
      help     check the credentials of the place and the connection

What to do
    Check the address and the credentials of the place; they are those that fsspec finds by itself, in
    the environment or in the files of the provider's tools.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{facts['source']} cannot be read"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("because", str(facts["detail"]) or str(facts["reason"]))]


def _help(place: Place, facts: Facts) -> str:
    if facts["reason"] == "absent":
        return "check the spelling of the address"
    return "check the credentials of the place and the connection"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
