"""Under the name of a file lies something else.

What it means
    The name belongs to a directory, a named pipe, a socket or a device. Only regular files, and links
    to regular files, are opened.

Why it matters
    A named pipe makes other readers wait for ever; a device has no end.

Example
    error[R004] not-a-regular-file: model.safetensors is a directory
      help  put a regular file in its place

What to do
    Remove what is there and put the file in its place.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rule


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file or 'the source'} is a {facts['detail'] or 'special file'}"


def _help(place: Place, facts: Facts) -> str:
    return "put a regular file in its place"


RULE = Rule(severity="error", headline=_headline, help=_help)
