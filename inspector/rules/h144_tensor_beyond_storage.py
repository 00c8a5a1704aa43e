"""A tensor reaches beyond its storage.

What it means
    PyTorch stores numbers in storages and describes a tensor as a view: offset, shape, strides. The view
    ends behind the storage's last element.

Why it matters
    torch refuses to load it, or reads memory that is not the tensor's.

Example
    error[H144] tensor-beyond-storage: pytorch_model.bin: 1 tensor
      entry  fc.weight: F32 [10, 10] to element 100 of 64
      help   save the model again

What to do
    Do not use the file; save the model again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import more
from inspector.rules.rule import Facts, Rows, Rule, count, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    cases = facts["cases"][:4]
    return [("entry", _entry(one)) for one in cases] + more(facts)


def _entry(one: Facts) -> str:
    view = f"{one['tensor']}: {one['dtype']} {shape(one['shape'][:12])}"
    return f"{view} to element {number(one['reach'])} of {number(one['elements'])}"


def _help(place: Place, facts: Facts) -> str:
    return "save the model again"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
