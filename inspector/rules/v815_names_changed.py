"""A tensor has a name in the target that nobody looks for.

What it means
    The source has a tensor that the target lacks, and the target has one of the same shape under a name
    much like it that the architecture does not know.

Why it matters
    Loaders fill the place of the one with random numbers and leave the other unread.

Example
    error[V815] names-changed: h.17.mixer.weight
      source  h.17.mix.weight
      holds   1 tensor, 4,096 parameters
      help    give it the name of the source; nothing here proves that it holds the
              same values

What to do
    Rename the tensor, or repeat the conversion.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["target"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("source", str(facts["source"])),
        ("holds", f"{count(facts['tensors'], 'tensor')}, {count(facts['parameters'], 'parameter')}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "give it the name of the source; nothing here proves that it holds the same values"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
