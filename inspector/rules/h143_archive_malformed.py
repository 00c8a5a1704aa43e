"""A zip archive of weights cannot be read.

What it means
    PyTorch and NumPy write zip archives, whose directory stands at the end of the file. It is not there, or
    not what the archive says of it, or what belongs into such an archive is not in it.

Why it matters
    A download that was cut has lost exactly this part, and with it every tensor.

Example
    error[H143] archive-malformed: pytorch_model.bin: the archive has no end record: it is cut, or no zip at all
      stored  4,000,000,000 bytes
      help    fetch this file again

What to do
    Fetch the file again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {facts['problem']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("stored", f"{number(facts['stored'])} bytes")]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
