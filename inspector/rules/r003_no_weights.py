"""The folder holds no weights that can be read.

What it means
    No file ends in .safetensors and no index promises one, and there is no GGUF, PyTorch or NumPy file
    either. What other weights there are is listed: they are of a format that this audit does not open.

Why it matters
    There is nothing to audit.

Example
    error[R003] no-weights: no .safetensors file here
      instead  tf_model.h5: tensorflow, 1 file, 548,118,077 bytes
      help     point at the folder that holds the weights

What to do
    Point at the folder that holds the weights: in a pipeline each component has a folder of its own.
    Weights in other formats can be saved as safetensors first.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return "no .safetensors file here"


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        [
            (
                "instead",
                f"{one['name']}: {one['kind']}, {count(one['files'], 'file')}, {number(one['bytes'])} bytes",
            )
            for one in facts["sets"][:8]
        ]
        + ([("unfinished", listed(facts["unfinished"]))] if facts["unfinished"] else [])
        + ([] if facts["complete"] else [("listing", "too many files in this folder, not all were looked at")])
    )


def _help(place: Place, facts: Facts) -> str:
    return "finish the download" if facts["unfinished"] else "point at the folder that holds the weights"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
