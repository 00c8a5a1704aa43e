"""How an adapter's tensors differ from those that its config adds to its base, in numbers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.adapters.beside_base import Matched, absent_of
from inspector.adapters.expected import ExpectedAdapter
from inspector.adapters.names import tuner_name
from inspector.algebra.boxes import count
from inspector.reconciler.wording import names_in


class AdapterDifference(Struct, frozen=True):
    """Numbers of tensors that are unexpected and mismatched, and what is missing.

    absent: the first missing tensor of each family, and how many are. strange: keys of unexpected tensors. tuned:
    whether the config changes any module of the base.
    """

    unexpected: int
    mismatched: int
    absent: tuple[tuple[str, int], ...]
    strange: frozenset[str]
    first_mismatched: str
    tuned: bool


def difference_of(plan: ExpectedAdapter, matched: Sequence[Matched]) -> AdapterDifference:
    """The differences of all tensors of an adapter."""
    absent = list(absent_of(plan, matched))
    mismatched = [one for one in matched if one.misfits]
    return AdapterDifference(
        unexpected=sum(count(one.boxes) for one in matched if one.expected is None),
        mismatched=sum(count(one.boxes) for one in mismatched),
        absent=tuple((names_in(one.key, boxes, 1)[0], count(boxes)) for one, boxes in absent),
        strange=frozenset(one.key for one in matched if one.expected is None),
        first_mismatched=names_in(mismatched[0].key, mismatched[0].boxes, 1)[0] if mismatched else "",
        tuned=any(one.module and tuner_name(one.key) is not None for one in plan.expected),
    )
