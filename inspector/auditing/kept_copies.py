"""Decides from values what a loader does that keeps one of two stored tensors: it alters them if they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from inspector.auditing.copies import both_of, copies_store, samples_of
from inspector.auditing.result import Audit
from inspector.findings.conversion.values import CopiesDiffer
from inspector.findings.conversion.zeros import CopyDiffersInSamples, CopyEqualInSamples
from inspector.loading.outcome import ALTERED, UNKNOWN, Load
from inspector.values.difference import difference
from inspector.values.reading import Store
from inspector.values.stored import ReadStopped

Pair = frozenset[str]


def with_kept_copies(audited: Audit, is_requested: Callable[[str, str], bool] = lambda *_: True) -> Audit:
    """The audit with the outcomes of loaders that depend on whether two tensors are equal.

    Of a pair without a finding only samples are read, so that nothing is proven by tensors that are equal in them.
    """
    if not any(_is_open(one) and is_requested(*one.copies) for one in audited.loads if one.copies is not None):
        return audited
    store, known = copies_store(audited, audited), _compared(audited)
    if store is None:
        return audited
    return replace(audited, loads=tuple(_decided(one, store, known) for one in audited.loads))


def _compared(audited: Audit) -> Mapping[Pair, bool]:
    """Two tensors that were compared -> whether they differ."""
    compared = (CopiesDiffer, CopyDiffersInSamples, CopyEqualInSamples)
    found = (one for one in audited.findings if isinstance(one, compared))
    return {frozenset((one.tensor, one.original)): not isinstance(one, CopyEqualInSamples) for one in found}


def _is_open(load: Load) -> bool:
    return load.outcome == UNKNOWN and load.copies is not None


def _decided(load: Load, store: Store, known: Mapping[Pair, bool]) -> Load:
    if load.outcome != UNKNOWN or load.copies is None:
        return load
    name, original = (store.spelled(one) for one in load.copies)
    differ = known.get(frozenset((name, original)))
    if not (_differ(store, *load.copies) if differ is None else differ):
        return load
    return replace(load, outcome=ALTERED, because=f"a tie overwrites {name} or {original}, and they differ")


def _differ(store: Store, name: str, original: str) -> bool:
    """True if samples of two tensors differ by more than rounding."""
    try:
        both = both_of(store, name, original)
        reported = [] if isinstance(both, str) else [difference(*part) for part in samples_of(*both)]
    except ReadStopped:
        return False
    return any(one.differing and not one.rounding for one in reported)
