"""Results of reading values: the outcome for each tensor, and abnormal values."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Final

from msgspec import Struct

from inspector.findings.conversion.zeros import TensorNotFound
from inspector.findings.finding import Finding, Place
from inspector.findings.reading.place import ReadFailed
from inspector.values.abnormal import Scanned
from inspector.values.difference import Difference
from inspector.values.stored import ReadStopped

EQUAL, ROUNDED, REORDERED, DIFFERENT = "equal", "rounded", "reordered", "different"
COMPUTED, UNCONVERTED, MISORDERED, OVERFLOWED = "computed", "unconverted", "misordered", "overflowed"
QUANTIZED = "quantized"
"""Outcomes for a tensor. reordered: rotary rows changed between pairs and halves, otherwise equal or rounded. computed:
the target's values follow from the source's as its converter computes them. unconverted: the same values, but rows are
not in the order that the target's loader expects. misordered: reordered, although the names prescribe one order.
overflowed: rounded, and a value beyond the dtype of one side became infinite. quantized: the values of one side are
those of the other, quantized, in the order that the target's loader expects.
"""


OFFERED: Final = 1_000
"""Most names of tensors that are searched for one similar to a requested name."""


class NotNamed(ValueError):
    """Raised if values of a remote checkpoint are requested without naming the tensors."""


class Verdict(Struct, frozen=True):
    """Outcome for one tensor. names: in the files of both sides.

    digests: of the values of both sides, if they differ. dtypes: of both sides. relation: the change of all values of
    the source, "" if none is proven. rows: exchanged rows. factor: by which all values are multiplied, if they are.
    holds: another tensor of the source whose values the target contains, rounded or quantized; "" if none is proven.
    """

    role: str
    source: str
    target: str
    what: str
    difference: Difference
    steps: tuple[str, ...] = ()
    matrix: bool = True
    digests: tuple[bytes, bytes] = (b"", b"")
    dtypes: tuple[str, str] = ("", "")
    relation: str = ""
    rows: tuple[int, ...] = ()
    holds: str = ""
    factor: float | None = None


class Values(Struct):
    """Result of reading values.

    unread: reason -> tensors not read. requested: names. matched: requested names that were found. offered: the first
    names of tensors. scanned: scans of the target's values in a comparison. explained: findings by headers that
    `findings` replace.
    """

    verdicts: list[Verdict] = []
    unread: dict[str, list[str]] = {}
    findings: list[Finding] = []
    tensors: int = 0
    elements: int = 0
    requested: tuple[str, ...] = ()
    matched: set[str] = set()
    offered: dict[str, None] = {}
    scanned: list[Scanned] = []
    explained: tuple[Finding, ...] = ()

    def count(self, what: str) -> int:
        """Number of tensors with this outcome."""
        return sum(verdict.what == what for verdict in self.verdicts)

    def is_requested(self, *names: str) -> bool:
        """True if a tensor with any of these names was requested."""
        found = [pattern for pattern in self.requested if any(fnmatchcase(name, pattern) for name in names)]
        self.matched.update(found)
        self.offered.update(dict.fromkeys(names) if self.requested and len(self.offered) < OFFERED else ())
        return not self.requested or bool(found)

    def not_found(self) -> Iterator[Finding]:
        """The findings on requested names that match no tensor."""
        for pattern in self.requested:
            if pattern not in self.matched:
                yield TensorNotFound(pattern=pattern, similar=tuple(get_close_matches(pattern, self.offered, 3)))

    def skip(self, why: str, name: str) -> None:
        """Records that a tensor was not read."""
        self.unread.setdefault(why, []).append(name)

    def unskip(self, names: set[str]) -> None:
        """Removes tensors that a finding names from the unread tensors."""
        left = {why: [name for name in skipped if name not in names] for why, skipped in self.unread.items()}
        self.unread = {why: skipped for why, skipped in left.items() if skipped}

    def stop(self, problem: ReadStopped, name: str) -> None:
        """Records that a tensor was not read, and reports its file."""
        self.skip(problem.because, name)
        self.findings.append(ReadFailed(place=Place(file=problem.file), reason="values", detail=problem.because))
