"""An entry of the quantisation settings could not be read.

What it means
    Names of modules may be given as patterns; this one uses a form that is not matched here (lookbehind,
    back-references, very long ones).

Why it matters
    Which modules it means was not checked.

Example
    note[T624] packing-entry-unclear: quantization_config
      entries  re:.*(?<!mlp.)gate

What to do
    Nothing.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed


def _headline(place: Place, facts: Facts) -> str:
    return str(place.key)


def _rows(place: Place, facts: Facts) -> Rows:
    return [("entries", listed(facts["entries"], 3))]


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=lambda place, facts: "")
