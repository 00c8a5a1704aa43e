"""On request, compares samples of stored copies with the tensors to which the config ties them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.auditing.values import both_of, copies_store, tied_copies
from inspector.findings.conversion.zeros import CopyDiffersInSamples, CopyEqualInSamples
from inspector.findings.finding import Finding, Place, merged
from inspector.findings.reading.place import ReadFailed
from inspector.values.difference import difference
from inspector.values.stored import Numbers, ReadStopped

SAMPLE: Final = 4_096
"""Bytes of one sample: a page of memory and of most file systems."""


def with_samples(audited: Audit) -> Audit:
    """Adds one finding for each stored copy: equal or different in three samples."""
    found: list[Finding] = []
    for component in (audited.components or {"": audited}).values():
        found.extend(_sampled(audited, component))
    skipped = tuple(
        replace(one, because="only samples of tied copies were read") if found and one.check == "values" else one
        for one in audited.skipped
    )
    return audited.with_findings((*audited.findings, *merged(found)), skipped=skipped)


def _sampled(audited: Audit, component: Audit) -> Iterator[Finding]:
    store = copies_store(audited, component)
    if store is None:
        return
    for name, original in tied_copies(component):
        try:
            both = both_of(store, name, original)
            if not isinstance(both, str):
                yield _compared(store.spelled(name), store.spelled(original), *both)
        except ReadStopped as problem:
            yield ReadFailed(place=Place(file=problem.file), reason="values", detail=problem.because)


def _compared(name: str, original: str, one: Numbers, copy: Numbers) -> Finding:
    """Compares the same elements at the beginning, in the middle and at the end of both tensors, at most SAMPLE bytes
    each.
    """
    size = one.raw.size
    length = min(size, SAMPLE // max(one.raw.dtype.itemsize, copy.raw.dtype.itemsize))
    spans = _apart([(start, start + length) for start in (0, (size - length) // 2, size - length)])
    sides = [Numbers(numbers.raw.reshape(-1), numbers.dtype) for numbers in (one, copy)]
    differing = 0
    for start, stop in spans:
        parts = [Numbers(side.raw[start:stop], side.dtype) for side in sides]
        reported = difference(parts[0], parts[1])
        differing += 0 if reported.rounding else reported.differing
    if not differing:
        return CopyEqualInSamples(
            place=Place(tensor=name), tensor=name, original=original, samples=len(spans), bytes=SAMPLE
        )
    return CopyDiffersInSamples(
        place=Place(tensor=name),
        tensor=name,
        original=original,
        samples=len(spans),
        bytes=SAMPLE,
        differing=differing,
        elements=sum(stop - start for start, stop in spans),
    )


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans over the same elements, in ascending order and without overlap."""
    ends = accumulate((stop for _, stop in spans), max, initial=0)
    cut = [(max(start, end), stop) for (start, stop), end in zip(spans, ends, strict=False)]
    return [span for span in cut if span[0] < span[1]]
