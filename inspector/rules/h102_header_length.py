"""The header cannot have the length that the file announces.

What it means
    The first eight bytes, a little-endian integer, are zero, exceed the file, or exceed the limit of
    100,000,000 bytes that the reference reader sets too. Nothing is read or reserved by such a number.

Why it matters
    The file is no safetensors file, or its start is damaged.

Example
    error[H102] header-length: model.safetensors announces a header of 9,223,372,036,854,775,807 bytes
      stored  4,096 bytes in the whole file
      limit   100,000,000 bytes
      help    fetch this file again

What to do
    Fetch the file again, or save it again with a current version of safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} announces a header of {number(facts['announced'])} bytes"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("stored", f"{number(facts['stored'])} bytes in the whole file"),
        ("limit", f"{number(facts['limit'])} bytes"),
    ] + (
        [("big-endian", f"{number(facts['big_endian'])} bytes: the writer had the byte order wrong")]
        if facts.get("big_endian")
        else []
    )


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
