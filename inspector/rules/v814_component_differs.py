"""A part beyond the model is in one side alone, or in part.

What it means
    The source or the target stores recognised parameters beyond the model that the config's class
    builds: layers for the prediction of several tokens, a tower or a head.

Why it matters
    They are not in the ledger; what uses them (speculative decoding, images) works with one of the
    two only.

Example
    warning[V814] component-differs: mtp
      source  11,610,067,968 parameters
      target  0 parameters

What to do
    Nothing where the part is not used; otherwise convert with a tool that knows it.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return str(facts["component"])


def _rows(place: Place, facts: Facts) -> Rows:
    return [("source", count(facts["source"], "parameter")), ("target", count(facts["target"], "parameter"))]


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
