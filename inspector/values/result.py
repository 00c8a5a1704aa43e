"""Results of reading values: the outcome for each tensor, and abnormal values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct, field

from inspector.algebra.boxes import boxes_of
from inspector.algebra.names import key_of
from inspector.findings.conversion.values import ValuesConstant, ValuesNotFinite
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.reading.place import ReadFailed
from inspector.reconciler.wording import indices_in_words
from inspector.values.difference import Difference, Numbers, oddities
from inspector.values.stored import ReadStopped

EQUAL, ROUNDED, REORDERED, DIFFERENT = "equal", "rounded", "reordered", "different"
"""Outcomes for a tensor. reordered: rotary rows changed between pairs and halves, otherwise equal or rounded."""


class NotNamed(ValueError):
    """Values of a remote checkpoint are requested without naming the tensors."""


class Verdict(Struct, frozen=True):
    """Outcome for one tensor. names: in the files of both sides."""

    role: str
    source: str
    target: str
    what: str
    difference: Difference
    steps: tuple[str, ...] = ()
    matrix: bool = True


class AbnormalValues:
    """Collects tensors with non-finite or constant values, to report each kind once."""

    __slots__ = ("constant", "infinite")

    def __init__(self) -> None:
        self.infinite: list[tuple[str, int, int]] = []
        self.constant: list[tuple[str, float]] = []

    def look(self, name: str, numbers: Numbers) -> None:
        """Records the abnormal values of a tensor or of a slice."""
        reported = oddities(numbers)
        if reported.nan or reported.infinite:
            self.infinite.append((name, reported.nan, reported.infinite))
        elif reported.constant is not None and numbers.raw.ndim > 1:
            self.constant.append((name, reported.constant))

    def findings(self) -> Iterator[Finding]:
        """One finding for all non-finite tensors and one for all constant tensors."""
        if self.infinite:
            names = [name for name, _, _ in self.infinite]
            yield ValuesNotFinite(
                place=Place(tensor=names[0] if len(names) == 1 else None),
                tensors=len(names),
                names=tuple(names[:NAMES_SHOWN]),
                where=place_of_names(names),
                nan=sum(nan for _, nan, _ in self.infinite),
                infinite=sum(infinite for _, _, infinite in self.infinite),
            )
        if self.constant:
            names = [name for name, _ in self.constant]
            values = sorted({value for _, value in self.constant})
            yield ValuesConstant(
                place=Place(tensor=names[0] if len(names) == 1 else None),
                tensors=len(names),
                names=tuple(names[:NAMES_SHOWN]),
                where=place_of_names(names),
                values=tuple(values[:5]),
            )


class Values(Struct):
    """Result of reading values. unread: reason -> tensors not read. requested: names; matched: names found."""

    verdicts: list[Verdict] = []
    unread: dict[str, list[str]] = {}
    findings: list[Finding] = []
    tensors: int = 0
    elements: int = 0
    requested: tuple[str, ...] = ()
    matched: set[str] = set()
    abnormal: AbnormalValues = field(default_factory=lambda: AbnormalValues())

    def count(self, what: str) -> int:
        """Number of tensors with this outcome."""
        return sum(verdict.what == what for verdict in self.verdicts)

    def is_requested(self, *names: str) -> bool:
        """Whether a tensor with any of these names was requested."""
        found = [pattern for pattern in self.requested if any(fnmatchcase(name, pattern) for name in names)]
        self.matched.update(found)
        return not self.requested or bool(found)

    def skip(self, why: str, name: str) -> None:
        """Records that a tensor was not read."""
        self.unread.setdefault(why, []).append(name)

    def stop(self, problem: ReadStopped, name: str) -> None:
        """Records that a tensor was not read, and reports its file."""
        self.skip(problem.because, name)
        self.findings.append(ReadFailed(place=Place(file=problem.file), reason="values", detail=problem.because))


def place_of_names(names: Sequence[str]) -> str:
    """The layers and experts of tensors of one family; '' for tensors of several families."""
    keys = [key_of(name) for name in names]
    if len({key for key, _ in keys}) != 1 or not keys[0][1]:
        return ""
    return indices_in_words(keys[0][0], boxes_of([index for _, index in keys]))
