"""Limits what a report lists and sums up the rest, so that no input makes a report larger than two megabytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from msgspec import Struct

from inspector.reconciler.ledger import Line, summary
from inspector.report.clean import shortened

LEDGER_BYTES: Final = 900_000
"""Most bytes of JSON for the listed families. A line of a real checkpoint takes about 300."""
FINDINGS_BYTES: Final = 600_000
LARGEST_FINDING: Final = 60_000
OTHER_BYTES: Final = 300_000
"""Most bytes of JSON for files, other sets of weights, skipped checks and the frames of components."""
LINE_BYTES: Final = 220
"""Bytes of a ledger line without its names, shape and indices."""
COMPONENT_BYTES: Final = 1_500

T = TypeVar("T")


OMITTED: Final = "omitted"
"""Kind of the last line of a ledger that was cut."""


class Room(Struct):
    """The bytes that a report may still take, including all its components, and how much was left out."""

    ledger: int = LEDGER_BYTES
    findings: int = FINDINGS_BYTES
    other: int = OTHER_BYTES

    def lines(self, lines: Sequence[Line], omitted: dict[str, int]) -> list[Line]:
        """The lines that fit, and a last line that sums up the others."""
        kept: list[Line] = []
        left: list[Line] = []
        for line in lines:
            size = _size(line)
            if line.families == 1 and size <= self.ledger:
                self.ledger -= size
                kept.append(line)
            else:
                left.append(line)
        if left:
            rest = summed(left)
            _leave_out(omitted, "families", rest.families)
            kept.append(rest)
        return kept

    def documents(self, findings: Iterable[T], document: Callable[[T], Any], omitted: dict[str, int]) -> list[Any]:
        """The documents of the findings that fit. A document that is too long is shortened."""
        kept = []
        for finding in findings:
            made = document(finding)
            size = len(json.dumps(made))
            if size > LARGEST_FINDING:
                made = shortened(made)
                size = len(json.dumps(made))
            if size > self.findings:
                _leave_out(omitted, "findings", 1)
                continue
            self.findings -= size
            kept.append(made)
        return kept

    def listed(self, what: str, items: Iterable[Any], omitted: dict[str, int]) -> list[Any]:
        """The items that fit. what: their name in `omitted`."""
        kept = []
        for item in items:
            made = shortened(item)
            size = len(json.dumps(made))
            if size > self.other:
                _leave_out(omitted, what, 1)
                continue
            self.other -= size
            kept.append(made)
        return kept

    def takes_component(self, omitted: dict[str, int]) -> bool:
        """True if one more component fits."""
        if self.other < COMPONENT_BYTES:
            _leave_out(omitted, "components", 1)
            return False
        self.other -= COMPONENT_BYTES
        return True


def _leave_out(omitted: dict[str, int], what: str, count: int) -> None:
    omitted[what] = omitted.get(what, 0) + count


def _size(line: Line) -> int:
    """The approximate number of bytes of a line in JSON; more than the exact number for names with escapes."""
    name = len(line.family) if line.family.isascii() else 6 * len(line.family)
    indices = sum(40 for box in line.boxes for _ in box) + 8 * len(line.boxes)
    return LINE_BYTES + min(name, 6_000) + indices + 16 * len(line.layout.shape)


def summed(lines: Sequence[Line]) -> Line:
    """One line with the sums of several lines."""
    named = {line.family for line in lines if line.family}
    return summary(
        len(named) + sum(line.families for line in lines if not line.family),
        sum(line.tensors for line in lines),
        sum(line.elements for line in lines),
        sum(line.parameters for line in lines),
        sum(line.bytes for line in lines),
        kind=OMITTED,
    )
