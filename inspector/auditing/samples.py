"""On request, compares samples of stored copies with the tensors to which the config ties them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from inspector.auditing.copies import SAMPLE, both_of, copies_store, samples_of, tied_copies
from inspector.auditing.kept_copies import with_kept_copies
from inspector.auditing.result import Audit
from inspector.findings.conversion.zeros import CopyDiffersInSamples, CopyEqualInSamples
from inspector.findings.finding import Finding, Place, merged
from inspector.findings.reading.place import ReadFailed
from inspector.values.difference import difference
from inspector.values.stored import Numbers, ReadStopped


def with_samples(audited: Audit) -> Audit:
    """Adds one finding for each stored copy: equal or different in three samples."""
    found: list[Finding] = []
    for component in (audited.components or {"": audited}).values():
        found.extend(_sampled(audited, component))
    skipped = tuple(
        replace(one, because="only samples of tied copies were read") if found and one.check == "values" else one
        for one in audited.skipped
    )
    return with_kept_copies(audited.with_findings((*audited.findings, *merged(found)), skipped=skipped))


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
    """Compares samples of a copy with those of its original."""
    parts = list(samples_of(one, copy))
    reported = [difference(*both) for both in parts]
    differing = sum(0 if one.rounding else one.differing for one in reported)
    if not differing:
        return CopyEqualInSamples(
            place=Place(tensor=name), tensor=name, original=original, samples=len(parts), bytes=SAMPLE
        )
    return CopyDiffersInSamples(
        place=Place(tensor=name),
        tensor=name,
        original=original,
        samples=len(parts),
        bytes=SAMPLE,
        differing=differing,
        elements=sum(both[0].raw.size for both in parts),
    )
