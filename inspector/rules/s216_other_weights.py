"""Beside the audited weights lie other sets.

What it means
    The folder holds more than one set of weights: variants, twins in another format, a consolidated
    file, the rest of an earlier save. One set is audited; the others are named with what they cost.

Why it matters
    A download fetches all of them, and another program may load another set than the one audited here.

Example
    note[S216] other-weights: audited is model.safetensors.index.json
      beside  consolidated.safetensors: safetensors, 1 file, 14,496,078,512 bytes
      total   14,496,078,512 bytes beside 14,496,447,870 audited
      help    choose with --weights NAME; what is not needed need not be fetched

What to do
    Choose with `--weights NAME`; remove, or do not fetch, what is not needed.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number


def _headline(place: Place, facts: Facts) -> str:
    return f"audited is {facts['audited']}"


def _rows(place: Place, facts: Facts) -> Rows:
    return (
        [
            (
                "beside",
                f"{one['name']}: {one['kind']}, {count(one['files'], 'file')}, {number(one['bytes'])} bytes",
            )
            for one in facts["sets"][:8]
        ]
        + ([("more", f"{number(facts['count'] - 8)} further sets")] if facts["count"] > 8 else [])
        + (
            [("careful", f"transformers loads {facts['loaded_first']} if it is there, not the index")]
            if facts.get("loaded_first")
            else []
        )
        + [("total", f"{number(facts['bytes'])} bytes beside {number(facts['audited_bytes'])} audited")]
    )


def _help(place: Place, facts: Facts) -> str:
    return "choose with --weights NAME; what is not needed need not be fetched"


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
