"""Checks requested values of one checkpoint: non-finite, constant, and copies that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from inspector.algebra.boxes import tuples
from inspector.algebra.names import key_of, name_of
from inspector.auditing.result import Audit, Skipped, verdict_with
from inspector.findings.conversion.values import CopiesDiffer
from inspector.findings.finding import Finding, Place, merged, ordered
from inspector.loader.sources.traffic import Progress
from inspector.reconciler import ledger
from inspector.values.difference import Difference, difference
from inspector.values.reading import Store, store_of
from inspector.values.result import NotNamed, Values
from inspector.values.stored import ReadStopped


def with_values(audited: Audit, wanted: Sequence[str] = (), progress: Progress | None = None) -> Audit:
    """The audit with the results of reading values. Raises NotNamed as `check_values`."""
    found = check_values(audited, wanted, progress)
    findings = tuple(ordered((*audited.findings, *merged(found.findings))))
    return replace(
        audited,
        findings=findings,
        verdict=verdict_with(audited.verdict, findings),
        skipped=skipped_values(audited.skipped, found),
        values=found,
    )


def check_values(audited: Audit, wanted: Sequence[str] = (), progress: Progress | None = None) -> Values:
    """Reads the values of one checkpoint: non-finite, constant, and copies that differ from their originals."""
    found = Values(requested=tuple(wanted))
    for component in (audited.components or {"": audited}).values():
        store = open_store(component, wanted)
        names = [name for name in component.checkpoint.tensors if found.is_requested(name)]
        if store is None:
            for name in names:
                found.skip("its files cannot be reached", name)
            continue
        counted = {line.family for line in component.lines if line.kind == ledger.PARAMETER and line.packed is None}
        for done, name in enumerate(names, 1):
            if progress is not None:
                progress(done, len(names), found.elements)
            bare = component.case.reading.bare(name) if component.case is not None else name
            if key_of(bare)[0] not in counted:
                found.skip("it is quantized, or not a parameter", name)
                continue
            try:
                _look(store, bare, name, found)
            except ReadStopped as problem:
                found.stop(problem, name)
        check_copies(component, found)
    found.findings.extend(found.abnormal.findings())
    return found


def _look(store: Store, bare: str, name: str, found: Values) -> None:
    numbers = store.numbers(bare)
    if isinstance(numbers, str):
        found.skip(numbers, name)
        return
    found.abnormal.look(name, numbers)
    found.tensors += 1
    found.elements += numbers.raw.size


def _store_of(audited: Audit) -> Store | None:
    return store_of(audited.checkpoint, None if audited.case is None else audited.case.reading)


def open_store(audited: Audit, wanted: Sequence[str]) -> Store | None:
    store = _store_of(audited)
    if store is not None and not store.is_near and not wanted:
        raise NotNamed(audited.checkpoint.source)
    return store


def check_copies(audited: Audit, found: Values) -> None:
    """Compares stored copies of tied tensors with the originals."""
    store = _store_of(audited)
    case = audited.case
    if store is None or case is None:
        return
    keys = {id(block.slot): block.key for block in case.corrected.blocks}
    for line in audited.lines:
        tie = line.block.tie if line.block is not None else None
        original = keys.get(id(tie)) if tie is not None else None
        if line.kind != ledger.COPY or original is None or line.packed is not None:
            continue
        for name in _names(line):
            other = name_of(original, key_of(name)[1])
            if not found.is_requested(name, other):
                continue
            try:
                _compare_copy(store, name, other, found)
            except ReadStopped as problem:
                found.stop(problem, name)


def _compare_copy(store: Store, name: str, original: str, found: Values) -> None:
    one, copy = store.numbers(original), store.numbers(name)
    if isinstance(one, str) or isinstance(copy, str):
        found.skip(copy if isinstance(copy, str) else str(one), name)
        return
    if one.raw.shape != copy.raw.shape:
        found.skip("its shape differs from the original's", name)
        return
    reported = difference(one, copy)
    if not reported.equal and not reported.rounding:
        found.findings.append(_copy_differs(name, original, reported))


def _names(line: ledger.Line) -> Iterator[str]:
    for box in line.boxes:
        yield from (name_of(line.family, index) for index in tuples(box))


def _copy_differs(name: str, original: str, reported: Difference) -> Finding:
    return CopiesDiffer(
        place=Place(tensor=name),
        tensor=name,
        original=original,
        differing=reported.differing,
        elements=reported.elements,
        beyond=reported.beyond,
        largest=reported.largest,
        at=reported.place,
        values=(reported.source, reported.target),
    )


def skipped_values(before: Sequence[Skipped], found: Values) -> tuple[Skipped, ...]:
    """The skipped checks for values that were not read; replaces the entry that no values were read."""
    whole = bool(found.verdicts) and not found.unread and not found.requested
    kept = [one for one in before if one.check != "values" and not (one.check == "order of rows" and whole)]
    unread = [Skipped(f"values of {_counted(names)}", why) for why, names in found.unread.items()]
    absent = [Skipped(f"values of {name}", "no such tensor") for name in found.requested if name not in found.matched]
    named = [Skipped("values of other tensors", "not selected")] if found.requested else []
    return (*unread, *absent, *named, *kept)


def _counted(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} tensors"
