"""A shard stands in no index.

What it means
    The name of the file is that of a shard, and the index does not list it: left over from an earlier
    save with another number of shards, or forgotten when the index was written.

Why it matters
    Loaders that go by the index do not read it; those that take every file in the folder do.

Example
    warning[S204] shard-unlisted: model-00005-of-00005.safetensors
      holds  21 tensors, 21 of them in other shards too
      index  model.safetensors.index.json
      help   remove the file if its tensors are in the other shards, else write the index again

What to do
    If its tensors are repeated elsewhere, remove it; if they are not, write the index again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return str(place.file or f"{number(facts['files'])} further files")


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        [
            (
                "holds",
                f"{count(facts['tensors'], 'tensor')}, "
                f"{number(facts['repeated'] + facts['contradicted'])} of them in other shards too"
                + (f", {number(facts['contradicted'])} with another shape" if facts["contradicted"] else ""),
            )
        ]
        if facts.get("tensors") is not None
        else []
    ) + [("index", str(facts["index"]))]


def _help(place: Place, facts: Facts) -> str:
    return "remove the file if its tensors are in the other shards, else write the index again"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
