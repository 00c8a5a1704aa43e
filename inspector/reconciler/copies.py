"""Gives tensors that are stored in several files a separate ledger line for the additional copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from inspector.algebra.boxes import common, count
from inspector.loader.layout import Layout
from inspector.matcher.families import Families, families_of
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Ledger, Line


def with_copies(accounts: Ledger, tensors: Mapping[str, Layout], copies: Mapping[str, int]) -> Ledger:
    """The ledger with the additional copies. copies: name -> number of additional copies."""
    lines = list(accounts.lines)
    for times in sorted(set(copies.values())):
        again = families_of({name: tensors[name] for name, found in copies.items() if found == times})
        lines.extend(_lines(accounts, again, times))
    return ledger.add_up(lines, accounts.counts.expected_parameters)


def _lines(accounts: Ledger, again: Families, times: int) -> Iterator[Line]:
    for line in accounts.lines:
        family = again.get(line.family)
        if family is None:
            continue
        matched = (common(one, two) for one in family.boxes for two in line.boxes)
        boxes = tuple(box for box in matched if box is not None)
        tensors = count(boxes) * times
        if not tensors:
            continue
        counted = line.parameters > 0
        yield replace(
            line,
            kind=ledger.COPY if counted else line.kind,
            boxes=boxes,
            tensors=tensors,
            elements=line.elements // line.tensors * tensors,
            parameters=line.parameters // line.tensors * tensors,
            formula="",
        )
