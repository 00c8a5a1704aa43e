"""A required tensor is stored under another name.

What it means
    A tensor is missing and another, which the architecture does not have, lies in the same place with
    the same shape. Names that one change explains (a word for another, a prefix on some of them) are one
    finding.

Why it matters
    Loaders look the name up and do not find it.

Example
    error[N407] tensor-renamed: model.layers.{layer}.self_attn.q_proj.weight
      (likely)
      stored as  model.layers.{layer}.self_attn.query.weight
      shape      [4096, 4096], 32 tensors
      help       rename it to what the architecture calls it

What to do
    Rename the tensors.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, listed, number, shape


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["expected"]) if len(facts["families"]) == 1 else f"{len(facts['families']):,} families"


def _rows(place: Place, facts: Facts) -> Rows:
    families = facts["families"]
    if len(families) == 1:
        return [
            ("stored as", str(facts["stored"])),
            ("shape", f"{shape(facts['shape'])}, {count(facts['tensors'], 'tensor')}"),
        ]
    return [
        ("change", _change(facts)),
        ("tensors", number(facts["tensors"])),
        ("first", f"{facts['expected']}, stored as {facts['stored']}"),
        ("families", listed(families, 3)),
    ]


def _change(facts: Facts) -> str:
    where = "before the names" if facts["begins"] else "inside the names"
    if facts["from"] and facts["to"]:
        return f"{facts['to']} for {facts['from']}"
    return f"{facts['to']}. {where}" if facts["to"] else f"{facts['from']}. is left out {where}"


def _help(place: Place, facts: Facts) -> str:
    them = "it" if len(facts["families"]) == 1 else "them"
    return f"rename {them} to what the architecture calls {them}"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
