"""The numbers of a role differ between the two checkpoints.

What it means
    Both sides hold the tensors, in shapes that become each other, and the numbers in them are not
    the same, nor the source's rounded to the target's dtype, nor in another order of rotary rows.

Why it matters
    A conversion changes no number but by rounding. Damage, another model of the same shape and
    further training all look like this.

Example
    error[V820] values-differ: attention key, 1 of 2 tensors, layer 1
      tensor   model.layers.1.self_attn.k_proj.weight
      differ   1 of 2,048 numbers
      largest  0.25 at [3, 5]: 1.72817 became 1.97817
      help     convert again from the source; of two models that were meant to
               differ this is the difference

What to do
    Repeat the conversion, or fetch the target again.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count, number, role_words, shape


def _headline(place: Place, facts: Facts) -> str:
    where = f", {facts['where']}" if facts["where"] else ""
    return f"{role_words(facts['role'])}, {number(facts['tensors'])} of {count(facts['of'], 'tensor')}{where}"


def _rows(place: Place, facts: Facts) -> Rows:
    before, after = facts["values"]
    beyond = "; the others are only rounded" if facts["beyond"] else ""
    return [
        ("tensor", str(facts["tensor"])),
        ("differ", f"{number(facts['differing'])} of {count(facts['elements'], 'number')}{beyond}"),
        ("largest", f"{facts['largest']:g} at {shape(facts['at'])}: {before:g} became {after:g}"),
    ]


def _help(place: Place, facts: Facts) -> str:
    return "convert again from the source; of two models that were meant to differ this is the difference"


RULE = Rule(severity="error", headline=_headline, rows=_rows, help=_help)
