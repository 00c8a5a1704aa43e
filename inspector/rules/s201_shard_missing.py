"""A shard is not there.

What it means
    The index puts tensors into a file that does not exist, or the numbers in the names (`-of-00004`)
    show that a shard is absent.

Why it matters
    The tensors in it are lost to every loader; some fill them with random numbers and go on.

Example
    error[S201] shard-missing: model-00003-of-00004.safetensors
      lost    87 tensors: model.layers.16.input_layernorm.weight, model.layers.16.mlp.gate.weight and 85 more
      layers  16-24
      help    fetch this file again

What to do
    Fetch the file again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import fetch_again, first
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file or f"{number(facts['files'])} shards")


def _rows(place: Place, facts: Facts) -> Rows:
    rows: Rows = []
    names = facts["names"]
    if facts.get("tensors") is not None:
        lost = count(facts["tensors"], "tensor")
        # Where many files are absent the names are those of the files.
        rows.append(("lost", lost if facts.get("files") else f"{lost}: {first(facts)}"))
    if facts.get("layers"):
        rows.append(("layers", str(facts["layers"])))
    if facts.get("files"):
        rows.append(("files", listed(names)))
    if facts.get("link"):
        rows.append(("link", "the name is a link to a file that does not exist"))
    return rows


def _help(place: Place, facts: Facts) -> str:
    return fetch_again(place, facts)


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
