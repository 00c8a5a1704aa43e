"""Beside the file lies the trace of a download that did not end.

What it means
    Download programs keep a file of their own beside the target until they are done: `.aria2`,
    `.incomplete`, `.part`, `.crdownload`.

Why it matters
    Such a target often has its full size already, with zeros where data is still to come, and looks
    whole by its header.

Example
    error[R010] download-unfinished: model.safetensors
      trace  model.safetensors.aria2
      help   let the download finish, or remove the trace if it is an old one

What to do
    Let the download program finish. If the trace is an old one, remove it.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file)


def _rows(place: Place, facts: Facts) -> Rows:
    return [("trace", str(facts["trace"]))]


def _help(place: Place, facts: Facts) -> str:
    return "let the download finish, or remove the trace if it is an old one"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
