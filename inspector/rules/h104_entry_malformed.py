"""Entries of the header are not of the form that the format asks for.

What it means
    Each entry holds a `dtype` (a text), a `shape` (a list of integers from 0 to 2^64 - 1) and
    `data_offsets` ([begin, end] in order). A field is missing or of another type; 1.0, -0 and true are
    no integers.

Why it matters
    The reference reader refuses the whole file. The tensors named are left out of the audit.

Example
    error[H104] entry-malformed: model.safetensors: 1 tensor
      entry  lm_head.weight: shape holds 4096.0
      help   save the file again with a current version of safetensors

What to do
    Save the file again with a current version of safetensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import more
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [("entry", f"{one['tensor']}: {one['problem']}") for one in facts["cases"][:4]] + more(facts)


def _help(place: Place, facts: Facts) -> str:
    return "save the file again with a current version of safetensors"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
