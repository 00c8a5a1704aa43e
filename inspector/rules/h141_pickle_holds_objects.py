"""A pickle holds objects besides tensors.

What it means
    To load the file, classes of other libraries have to be imported. What they are is named; they were not
    imported here, and the tensors beside them were read.

Why it matters
    `torch.load` with `weights_only=True`, its default since 2.6, refuses the file.

Example
    warning[H141] pickle-holds-objects: last.ckpt needs 2 classes imported
      classes  argparse.Namespace, pathlib.PosixPath
      help     save the state dict alone, best as safetensors

What to do
    Save the state dict alone, best as safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file} needs {count(facts['count'], 'class').replace('classs', 'classes')} imported"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("classes", listed(facts["names"], 4))]


def _help(place: Place, facts: Facts) -> str:
    return "save the state dict alone, best as safetensors"


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
