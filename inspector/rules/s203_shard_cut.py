"""The data of a file is cut off.

What it means
    The header is whole, and the file ends before the last byte that the header promises: a download or
    a copy that broke off.

Why it matters
    The tensors behind the cut are lost, and no reader that only lists headers notices.

Example
    error[S203] shard-cut: model-00003-of-00004.safetensors
      declared  4,915,916,176 bytes
      stored    3,221,225,472 bytes
      lost      layers 24-31 in part: 47 tensors, 1,694,690,704 bytes
      help      fetch this file again

What to do
    Fetch this file again; the others need not be fetched.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file)


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("declared", f"{number(facts['declared'])} bytes"),
        ("stored", f"{number(facts['stored'])} bytes"),
        (
            "lost",
            (f"layers {facts['layers']} in part: " if facts.get("layers") else "")
            + f"{count(facts['tensors'], 'tensor')}, {number(facts['lost_bytes'])} bytes",
        ),
    ]


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
