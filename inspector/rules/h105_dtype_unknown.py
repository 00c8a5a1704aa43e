"""A dtype is none of the 22 that safetensors knows.

What it means
    The header spells a dtype that the format does not have. A near spelling is suggested where one is
    meant by all appearance.

Why it matters
    The reference reader refuses the whole file. The tensors named are left out of the audit, since
    their size is not known.

Example
    error[H105] dtype-unknown: model.safetensors: 2 tensors
      entry  model.layers.0.mlp.up_proj.weight: F8_E4M3FN, meant is F8_E4M3
      entry  model.layers.1.mlp.up_proj.weight: F8_E4M3FN, meant is F8_E4M3
      help   save the file again under a dtype of the format

What to do
    Save the file again under a dtype of the format; 4-bit integers are stored packed in U8 or I32.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.fetching import more
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return f"{place.file}: {count(facts['tensors'], 'tensor')}"


def _rows(place: Place, facts: Facts) -> Rows:
    return [
        ("entry", f"{one['tensor']}: {one['dtype']}" + (f", meant is {one['meant']}" if one["meant"] else ""))
        for one in facts["cases"][:4]
    ] + more(facts)


def _help(place: Place, facts: Facts) -> str:
    return "save the file again under a dtype of the format"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
