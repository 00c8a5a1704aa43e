"""Pairs each renamed tensor with the expected one, for the remedy of a renaming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.algebra.boxes import Box
from inspector.algebra.names import key_of
from inspector.notation.kinds import COUNTER, MEAN
from inspector.reconciler.compress import Explanation, Portion
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.renaming import Change, as_stored, change_between
from inspector.reconciler.wording import names_in

MOST_NAMED: Final = 64
"""Most tensors that are renamed one by one; more are renamed by a pattern."""


def first_name(key: str, boxes: Sequence[Box]) -> str:
    """The first name of a family at some indices."""
    return next(iter(names_in(key, boxes, 1)), key)


def paired_names(case: Reconciled, cause: Explanation) -> tuple[tuple[str, str], ...]:
    """(stored name, expected name) of each renamed tensor, or the patterns of both; empty if they cannot be paired."""
    unexpected = case.placement.unexpected
    missing = [(case.placement.missing[part.position].block.key, part) for part in cause.missing]
    changes: list[tuple[str, str]] = []
    for part in cause.extra:
        key = unexpected[part.position].key
        alike = [one for one in missing if cause.change in _changes_between(one, key, part.boxes)]
        alike = alike or (missing if len({one[0] for one in missing}) == 1 else [])
        same = [one for one in alike if one[1].boxes == part.boxes] or alike
        if len(same) != 1 or same[0][1].tensors != part.tensors:
            return ()
        other, boxes = same[0][0], same[0][1].boxes
        if part.tensors <= MOST_NAMED:
            stored, expected = names_in(key, part.boxes, MOST_NAMED), names_in(other, boxes, MOST_NAMED)
            changes.extend(zip(stored, expected, strict=True))
        elif key.count("#") == other.count("#"):
            changes.append((key.replace("#", "*"), other.replace("#", "*")))
        else:
            return ()
    changes.extend(_counters(case, changes))
    return tuple(changes) if len({new for _, new in changes}) == len(changes) else ()


def _changes_between(expected: tuple[str, Portion], key: str, boxes: Sequence[Box]) -> tuple[Change | None, ...]:
    """The change from an expected to a stored key, and that from the first expected to the first stored name."""
    name, stored = first_name(expected[0], expected[1].boxes), first_name(key, boxes)
    return change_between(expected[0], key), change_between(as_stored(name, stored), stored)


def _counters(case: Reconciled, changes: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The renamed counters of batch norms, which no definition requires, next to their renamed running means."""
    found: list[tuple[str, str]] = []
    for stored, expected in changes:
        before, after = (name.rpartition(".") for name in (stored, expected))
        counter = f"{before[0]}.{COUNTER}"
        if before[2] == after[2] == MEAN and key_of(counter.replace("*", "0"))[0] in case.reading.families:
            found.append((counter, f"{after[0]}.{COUNTER}"))
    return found
