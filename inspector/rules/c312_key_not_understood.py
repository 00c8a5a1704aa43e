"""Keys of the config that nothing here reads.

What it means
    The config has keys that the architecture's card does not read, that its class has no default for,
    and that are not known to move no shape.

Why it matters
    A key that the tool does not understand may change the architecture; the audit says nothing about
    it.

Example
    note[C312] key-not-understood: my_router_depth
      keys  1: my_router_depth

What to do
    Nothing, where the keys belong to another program. Where they belong to the model, the audit does
    not cover what they change.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number


def _headline(place: Place, facts: Facts) -> str:
    return listed(facts["keys"], 3)


def _rows(place: Place, facts: Facts) -> Rows:
    return [("keys", f"{number(facts['count'])}: {listed(facts['keys'])}")]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
