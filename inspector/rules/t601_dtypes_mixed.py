"""Several dtypes among the parameters.

What it means
    Not all parameters are stored in one dtype.

Why it matters
    Some models are meant so (norms in F32); else it may be the trace of a merge or a half-done
    conversion.

Example
    note[T601] dtypes-mixed: BF16 and F32
      BF16  226 tensors, 8,029,995,008 elements
      F32   65 tensors, 266,240 elements: model.norm.weight and others

What to do
    Nothing, where it is meant.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, count


def _headline(place: Place, facts: Facts) -> str:
    return " and ".join(entry["dtype"] for entry in facts["dtypes"][:4])


def _rows(place: Place, facts: Facts) -> Rows:
    usual, *others = facts["dtypes"][:6]
    rarer = [(entry["dtype"], f"{_amount(entry)}{_where(entry)}") for entry in others]
    return [(usual["dtype"], _amount(usual)), *rarer]


def _amount(entry: Facts) -> str:
    return f"{count(entry['tensors'], 'tensor')}, {count(entry['elements'], 'element')}"


def _where(entry: Facts) -> str:
    where = entry["where"]
    return f": {where[0]}" + (" and others" if len(where) > 1 else "") if where else ""


def _help(place: Place, facts: Facts) -> str:
    return ""


RULE = Rule(severity="note", headline=_headline, rows=_rows, help=_help)
