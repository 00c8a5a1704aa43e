"""The index names a file outside of the checkpoint.

What it means
    A file name in the index is a path, a URL, a drive letter or holds characters that no plain file
    name has. Such a file is never looked up.

Why it matters
    A loader that joins it to its folder reads, or writes, elsewhere on the disk.

Example
    error[S209] shard-name-unsafe: model-00003-of-00004.safetensors
      promised  1 tensor: lm_head.weight
      index     model.safetensors.index.json
      help      do not use this index; file names in it must be plain names

What to do
    Do not use the index before its writer has been asked.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import first
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"{number(facts['files'])} further files" if facts.get("files") else str(place.file) or "(an empty name)"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        (
            "promised",
            f"{count(facts['tensors'], 'tensor')}: {first(facts)}"
            if not facts.get("files")
            else count(facts["tensors"], "tensor"),
        )
    ] + ([("index", str(facts["index"]))] if facts.get("index") else [])


def _help(place: Place, facts: Facts) -> str:
    return "do not use this index; file names in it must be plain names"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
