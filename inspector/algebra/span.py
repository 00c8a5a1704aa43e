"""Sets of indices as runs: exact, printable and compact.

`Span` holds sorted, disjoint half-open runs, so {0 … 10**9 - 1} is one pair of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.budget import spend

Run = tuple[int, int]


FEW_RUNS = 4
"""Up to this number of runs, joining, cutting or comparing counts as one step."""


class Span(Struct, frozen=True):
    """A set of integers as sorted, disjoint, non-touching runs [start, stop)."""

    runs: tuple[Run, ...] = ()

    @property
    def size(self) -> int:
        """Number of indices."""
        if len(self.runs) == 1:  # nearly always
            ((start, stop),) = self.runs
            return stop - start
        return sum(stop - start for start, stop in self.runs)

    def __bool__(self) -> bool:
        return bool(self.runs)

    def __contains__(self, index: int) -> bool:
        return any(start <= index < stop for start, stop in self.runs)

    def __iter__(self) -> Iterator[int]:
        for start, stop in self.runs:
            yield from range(start, stop)

    def __or__(self, other: Span) -> Span:
        return _merged(sorted(self.runs + other.runs))

    def __and__(self, other: Span) -> Span:
        if len(self.runs) == 1 and len(other.runs) == 1:  # the usual case, and the most frequent one
            if self.runs == other.runs:
                return self
            (start, stop), (low, high) = self.runs[0], other.runs[0]
            start, stop = max(start, low), min(stop, high)
            return Span(((start, stop),)) if start < stop else Span()
        others = other.runs
        if not self.runs or not others or self.runs[-1][1] <= others[0][0] or others[-1][1] <= self.runs[0][0]:
            return Span()
        if len(others) == 1 and others[0][0] <= self.runs[0][0] and self.runs[-1][1] <= others[0][1]:
            return self
        if len(self.runs) == 1 and self.runs[0][0] <= others[0][0] and others[-1][1] <= self.runs[0][1]:
            return other
        if len(self.runs) + len(others) > FEW_RUNS:
            spend((len(self.runs) + len(others)) // FEW_RUNS, "the sets of indices in the names")
        return Span(tuple(_overlaps(self.runs, others)))

    def __sub__(self, other: Span) -> Span:
        others = other.runs
        if not others or not self.runs or self.runs[-1][1] <= others[0][0] or others[-1][1] <= self.runs[0][0]:
            return self
        if len(self.runs) + len(others) > FEW_RUNS:
            spend((len(self.runs) + len(others)) // FEW_RUNS, "the sets of indices in the names")
        return Span(tuple(_apart(self.runs, others)))

    @property
    def first(self) -> int:
        """The smallest index; ValueError if the span is empty."""
        if not self.runs:
            raise ValueError("an empty span has no first index")
        return self.runs[0][0]

    @property
    def last(self) -> int:
        """The largest index; ValueError if the span is empty."""
        if not self.runs:
            raise ValueError("an empty span has no last index")
        return self.runs[-1][1] - 1

    def at(self, position: int) -> int | None:
        """The index at a position counted from 0; None beyond the end."""
        for start, stop in self.runs:
            if position < stop - start:
                return start + position
            position -= stop - start
        return None

    def slice(self, start: int | None, stop: int | None, step: int | None) -> Span:
        """By position, as Python slices a list. A step over more than 100,000 indices is refused."""
        low, high, stride = slice(start, stop, step).indices(self.size)
        if stride == 1:
            return self._positions(low, high)
        if self.size > MOST_LISTED:
            raise OverflowError(f"{self.size:,} indices are too many to take every {stride}th of")
        return Span.of(list(self)[low:high:stride])

    def _positions(self, low: int, high: int) -> Span:
        kept: list[Run] = []
        passed = 0
        for start, stop in self.runs:
            count = stop - start
            begin, end = max(low - passed, 0), min(high - passed, count)
            if begin < end:
                kept.append((start + begin, start + end))
            passed += count
        return Span(tuple(kept))

    def moved(self, by: int) -> Span:
        """The span with a number added to each index."""
        return Span(tuple((start + by, stop + by) for start, stop in self.runs)) if by else self

    def words(self, most: int = 12) -> str:
        """The indices in words: '0, 2, 4-28'; a long list ends in 'and 251 more'."""
        shown: list[str] = []
        left = self.size
        for start, stop in self.runs:
            if len(shown) >= most:
                return f"{', '.join(shown)} and {left:,} more"
            if stop - start <= 2:
                shown.extend(str(index) for index in range(start, stop))
            else:
                shown.append(f"{start}-{stop - 1}")
            left -= stop - start
        return ", ".join(shown)

    @staticmethod
    def of(indices: Iterable[int]) -> Span:
        """The span of these integers, in any order, with repeats."""
        runs: list[Run] = []
        start = stop = None
        for index in sorted(set(indices)):
            if stop is not None and index == stop:
                stop = index + 1
                continue
            if start is not None and stop is not None:
                runs.append((start, stop))
            start, stop = index, index + 1
        if start is not None and stop is not None:
            runs.append((start, stop))
        return Span(tuple(runs))

    @staticmethod
    def union(spans: Iterable[Span]) -> Span:
        """All indices of some spans, at the cost of one sort."""
        distinct = {span.runs for span in spans}
        if len(distinct) == 1:
            return Span(distinct.pop())
        return _merged(sorted({run for runs in distinct for run in runs}))

    @staticmethod
    def range(start: int, stop: int, step: int = 1) -> Span:
        """start, start + step, … below stop; OverflowError if a stepped range is too long to list."""
        if stop <= start:
            return Span()
        if step == 1:
            return Span(((start, stop),))
        if (stop - start) // step > MOST_LISTED:
            raise OverflowError(f"{(stop - start) // step:,} indices are too many to list")
        return Span.of(range(start, stop, step))


MOST_LISTED = 100_000
"""Most indices that are ever listed one by one: far above the depth of any model, and still cheap."""


def _overlaps(runs: tuple[Run, ...], others: Iterable[Run]) -> Iterator[Run]:
    """The runs of indices that are in both spans."""
    rest, end = iter(others), (runs[-1][1], runs[-1][1])
    low, high = next(rest, end)
    for start, stop in runs:
        while low < stop:
            if start < high:
                yield low if low > start else start, high if high < stop else stop
            if high > stop:
                break
            low, high = next(rest, end)


def _apart(runs: tuple[Run, ...], others: Iterable[Run]) -> Iterator[Run]:
    """The runs of indices that are in `runs` and not in `others`."""
    rest, end = iter(others), (runs[-1][1], runs[-1][1])
    low, high = next(rest, end)
    for start, stop in runs:
        while low < stop:
            if low > start:
                yield start, low
            if high > start:
                start = high
            if high > stop:
                break
            low, high = next(rest, end)
        if start < stop:
            yield start, stop


def _merged(runs: list[Run]) -> Span:
    if len(runs) > FEW_RUNS:
        spend(len(runs) // FEW_RUNS, "the sets of indices in the names")
    merged: list[Run] = []
    for start, stop in runs:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return Span(tuple(merged))
