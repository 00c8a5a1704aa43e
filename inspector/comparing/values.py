"""Compares requested values of both sides of a conversion, tensor by tensor.

`inspector.comparing.checkpoints` determines the corresponding tensors from headers; this module reads them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from msgspec.structs import replace

from inspector.auditing.files.reference import with_reference
from inspector.auditing.result import Audit, Skipped, verdict_with
from inspector.auditing.values import check_copies, open_store, skipped_values
from inspector.comparing.arrays import logical, matched, stored_at
from inspector.comparing.computed import Conversion, conversion_of, have_one_order
from inspector.comparing.judging import judged
from inspector.comparing.pieces import Piece
from inspector.comparing.projector_values import compare_projector
from inspector.comparing.quantized import quantized_verdict
from inspector.comparing.rearranged import PlacedTensor, Read, rearrangement, with_expert_values
from inspector.comparing.result import Comparison
from inspector.comparing.scaled import is_scaled, scaled_values
from inspector.comparing.swapped import Outcome, Unlike, hold_others
from inspector.comparing.swapped import Read as ReadSide
from inspector.comparing.tally import Carried, LogicalTensor
from inspector.comparing.value_findings import value_findings
from inspector.findings.conversion.design import MlpBecameExperts
from inspector.findings.finding import merged, ordered
from inspector.findings.header.reference import ReferenceDisagrees
from inspector.loader.sources.traffic import Progress
from inspector.values.abnormal import Scanned, abnormal
from inspector.values.chunks import chunks
from inspector.values.quantized import is_quantized
from inspector.values.reading import Store
from inspector.values.relation import Relation, value_relation
from inspector.values.result import (
    DIFFERENT,
    EQUAL,
    MISORDERED,
    OVERFLOWED,
    REORDERED,
    ROUNDED,
    UNCONVERTED,
    Values,
    Verdict,
)  # fmt: skip
from inspector.values.scaled import scaled_outcome
from inspector.values.scan import Scan, Scanner, axes
from inspector.values.stored import Elements, Numbers, ReadStopped


def compared_with_values(
    compared: Comparison, wanted: Sequence[str] = (), progress: Progress | None = None
) -> Comparison:
    """The comparison with its values; skipped for different models. Raises NotNamed like `compare_values`."""
    if compared.verdict == "unreadable":
        return compared
    if compared.relation != "conversion":
        why = Skipped("values", "the two are different models")
        return replace(compared, skipped=(*compared.skipped, why))
    found = compare_values(compared, wanted, progress)
    compared = replace(compared, findings=tuple(one for one in compared.findings if one not in found.explained))
    asked = [one for side in (compared.source, compared.target) for one in with_reference(side, every=True).findings]
    disagreeing = [one for one in asked if isinstance(one, ReferenceDisagrees)]
    findings = tuple(ordered((*compared.findings, *merged([*found.findings, *disagreeing]))))
    return replace(
        compared,
        findings=findings,
        verdict=verdict_with(compared.verdict, findings),
        skipped=(*skipped_values(compared.skipped, found), *(() if wanted else compared.uncounted.skipped())),
        values=found,
    )


def compare_values(compared: Comparison, wanted: Sequence[str] = (), progress: Progress | None = None) -> Values:
    """Reads both sides of a conversion. wanted: names with `*` as a wildcard; empty for all tensors.

    Raises NotNamed if a side is remote and no tensor was selected.
    """
    found = Values(requested=tuple(wanted))
    stores = _Stores(compared.source, wanted), _Stores(compared.target, wanted)
    carriage = (*compared.carriage, *compared.uncounted.comparable())
    total = sum(one.tensors for one in carriage)
    done = 0
    unlike: list[Unlike] = []
    verdicts = 0
    for carried in carriage:
        for _, source, target in carried.each():
            done += 1
            if progress is not None:
                progress(done, total, found.elements)
            try:
                _one(carried, source, target, stores, found)
            except ReadStopped as problem:
                found.stop(problem, target.name)
                continue
            if found.verdicts and found.verdicts[-1].what == DIFFERENT and len(found.verdicts) > verdicts:
                unlike.append(Unlike(len(found.verdicts) - 1, carried, source, target))
            verdicts = len(found.verdicts)
    hold_others(found, unlike, *_again(stores))
    if compared.projector is not None:
        compare_projector(compared.source, compared.projector, stores[0].of(""), wanted, found)
    for audited in (compared.source, compared.target):
        for component in (audited.components or {"": audited}).values():
            check_copies(audited, component, found)
    before, after = _reader(stores[0]), _reader(stores[1])
    other = rearrangement(compared, found, before, after)
    found.findings.extend((*other.findings, *value_findings(found, other.moved | _only_not_finite(found))))
    found.findings.extend((*abnormal(_unexplained(found)), *found.not_found()))
    experts = [one for one in compared.findings if isinstance(one, MlpBecameExperts) and not wanted]
    found.findings.extend(with_expert_values(one, compared, before, after) for one in experts)
    found.explained = (*other.explained, *experts)
    return found


def _only_not_finite(found: Values) -> frozenset[str]:
    """Tensors that differ from the source only by NaN or infinite values, which a separate finding reports."""
    lost = {one.name: one.scan.nan + one.scan.infinite for one in found.scanned}
    different = (one for one in found.verdicts if one.what == DIFFERENT and lost.get(one.target))
    return frozenset(one.target for one in different if one.difference.differing == lost[one.target])


def _unexplained(found: Values) -> list[Scanned]:
    """The scans, without tensors that have only overflowed abnormal values."""
    lost, infinite = Counter[str](), Counter[str]()
    for verdict in found.verdicts:
        if verdict.what == OVERFLOWED and verdict.difference.rounding != "finer":
            lost[verdict.target] += verdict.difference.overflowed
    for one in found.scanned:
        infinite[one.name] += one.scan.infinite
    return [one for one in found.scanned if one.scan.nan or not lost[one.name] or lost[one.name] < infinite[one.name]]


class _Stores:
    """The stores of one side by component."""

    __slots__ = ("audited", "stores")

    def __init__(self, audited: Audit, wanted: Sequence[str]) -> None:
        self.audited = audited
        parts = audited.components or {"": audited}
        self.stores = {name: open_store(audited, part, wanted) for name, part in parts.items()}

    def of(self, component: str) -> Store | None:
        first = component.split("/", 1)[0]
        return self.stores.get(first) or self.stores.get("")


def _one(
    carried: Carried,
    source: LogicalTensor,
    target: LogicalTensor,
    stores: tuple[_Stores, _Stores],
    found: Values,
) -> None:
    names: list[str] = []
    views = []
    for tensor, piece, side in zip((source, target), (carried.source, carried.target), stores, strict=True):
        store = side.of(piece.identity.component)
        names.append(tensor.name if store is None else store.spelled(tensor.name))
        views.append((tensor, piece, store))
    if not found.is_requested(*names):
        return
    if is_scaled(carried, source, target):
        compared, whole = _of_scaled(carried, (source, target), stores)
    else:
        stored: list[Numbers] = []
        for (tensor, piece, store), name in zip(views, names, strict=True):
            numbers = _numbers(tensor, piece, store)
            if isinstance(numbers, str):
                found.skip(numbers, name)
                return
            stored.append(numbers)
        conversion = conversion_of(carried, {"source": stores[0].audited, "target": stores[1].audited})
        judge = _of_quantized if any(is_quantized(one) for one in stored) else _of_plain
        compared, whole = judge(carried, (source, target), (stored[0], stored[1]), conversion), stored[1].raw
    if isinstance(compared, str) or whole is None:
        found.skip(str(compared), names[1])
        return
    verdict, scanned = compared
    what, reported = verdict.what, verdict.difference
    if what == REORDERED and have_one_order(carried, stores[0].audited, stores[1].audited):
        what = MISORDERED
    found.scanned.append(Scanned(names[1], scanned, dims=axes(whole)))
    at = stored_at(reported.place, target, carried.target, carried.fit, whole.shape)
    reported = reported if at is None or reported.equal else replace(reported, place=at)
    found.tensors += 1
    found.elements += reported.elements
    found.verdicts.append(replace(verdict, source=names[0], target=names[1], what=what, difference=reported))


def _of_scaled(carried: Carried, tensors: Tensors, stores: tuple[_Stores, _Stores]) -> tuple[Judged, Elements | None]:
    """(the verdict, the stored target) of 8-bit floats times their scales and a target that is not quantized."""
    before, after = (
        side.of(piece.identity.component) for side, piece in zip(stores, (carried.source, carried.target), strict=True)
    )
    if before is None or after is None:
        return UNREACHED, None
    codes, target = scaled_values(tensors[0], before, stores[0].audited), after.numbers(tensors[1].name)
    if isinstance(codes, str) or isinstance(target, str):
        return codes if isinstance(codes, str) else str(target), None
    outcome = scaled_outcome(*codes, target)
    if isinstance(outcome, str):
        return outcome, None
    what, reported, scanned = outcome
    verdict = Verdict(carried.identity.role, "", "", what, reported, carried.steps, True, dtypes=("F32", target.dtype))
    return (verdict, scanned), target.raw


Judged = tuple[Verdict, Scan] | str
"""A verdict without names, with the scan of the target's values; or why there is none."""
Tensors = tuple[LogicalTensor, LogicalTensor]
"""A tensor of the source and one of the target."""
UNREACHED = "its files cannot be reached"


def _of_plain(
    carried: Carried, tensors: Tensors, stored: tuple[Numbers, Numbers], conversion: Conversion | None
) -> Judged:
    """Compares tensors that are not quantized."""
    arrays: list[Numbers] = []
    for tensor, piece, numbers in zip(tensors, (carried.source, carried.target), stored, strict=True):
        array = logical(numbers.raw, tensor, piece)
        if array is None:
            return "the position of its part is unknown"
        arrays.append(Numbers(array, numbers.dtype))
    both = matched(arrays[0].raw, arrays[1].raw, carried.fit)
    if both is None:
        return "its shape cannot be transformed into the other's"
    one, other = Numbers(both[0], arrays[0].dtype), Numbers(both[1], arrays[1].dtype)
    scanner = Scanner(other.dtype)
    what, reported = judged(carried.identity.role, one, other, scanner, conversion)
    if is_unconverted(what, carried, conversion, scanner):
        what = UNCONVERTED
    joined = any(tensor.part is not None for tensor in tensors)
    how = value_relation(one, other, reported.differing, joined=joined) if what == DIFFERENT else Relation()
    verdict = Verdict(
        carried.identity.role, "", "", what, reported, carried.steps, one.raw.ndim > 1,
        (_digest(one), _digest(other)) if what == DIFFERENT and one.dtype == other.dtype else (b"", b""),
        (one.dtype, other.dtype), how.name, how.rows, factor=how.factor,
    )  # fmt: skip
    return verdict, scanner.result()


def _of_quantized(
    carried: Carried, tensors: Tensors, stored: tuple[Numbers, Numbers], conversion: Conversion | None
) -> Judged:
    """Compares tensors of which one or both are in blocks."""
    found = quantized_verdict(carried, tensors, stored, conversion)
    if isinstance(found, str):
        return found
    verdict = Verdict(
        carried.identity.role, "", "", found.what, found.difference, carried.steps, stored[1].raw.ndim > 1,
        dtypes=(stored[0].dtype, stored[1].dtype), relation=found.relation, rows=found.rows,
    )  # fmt: skip
    return verdict, found.scan


def _digest(numbers: Numbers) -> bytes:
    """The SHA-256 of the stored values, read in parts."""
    found = sha256()
    for _, (part,) in chunks(numbers.raw):
        found.update(np.ascontiguousarray(part).data)
    return found.digest()


def _numbers(tensor: LogicalTensor, piece: Piece, store: Store | None) -> Numbers | str:
    packed = piece.line.packed
    if packed is not None and not packed.scheme.startswith("gguf "):
        return "it is quantized"
    return UNREACHED if store is None else store.numbers(tensor.name)


def is_unconverted(what: str, carried: Carried, conversion: Conversion | None, scanner: Scanner) -> bool:
    """True if rows are not in the order, or values not in the form, that the target's loader expects."""
    if conversion is None or carried.identity.tensor != "weight" or scanner.result().constant is not None:
        return False
    if conversion.computes or conversion.expects_pairs:
        return what in (EQUAL, ROUNDED)
    return what == REORDERED and conversion.expects_pairs is False


def _again(stores: tuple[_Stores, _Stores]) -> tuple[ReadSide, Outcome]:
    """Functions that read tensors, and that compare a tensor of the source with any tensor of the target."""

    def read(carried: Carried, side: int, tensor: LogicalTensor) -> Numbers | None:
        piece = (carried.source, carried.target)[side]
        numbers = _numbers(tensor, piece, stores[side].of(piece.identity.component))
        array = None if isinstance(numbers, str) else logical(numbers.raw, tensor, piece)
        return None if isinstance(numbers, str) or array is None else Numbers(array, numbers.dtype)

    def outcome(carried: Carried, source: LogicalTensor, target: LogicalTensor) -> str:
        pairs = ((source, carried.source, stores[0]), (target, carried.target, stores[1]))
        stored = [_numbers(tensor, piece, side.of(piece.identity.component)) for tensor, piece, side in pairs]
        both = [one for one in stored if not isinstance(one, str)]
        if len(both) < len(pairs):
            return ""
        conversion = conversion_of(carried, {"source": stores[0].audited, "target": stores[1].audited})
        judge = _of_quantized if any(is_quantized(one) for one in both) else _of_plain
        found = judge(carried, (source, target), (both[0], both[1]), conversion)
        return "" if isinstance(found, str) else found[0].what

    return read, outcome


def _reader(stores: _Stores) -> Read:
    """A function that reads logical tensors of one side."""

    def read(one: PlacedTensor) -> Numbers | None:
        store = stores.of(one.piece.identity.component)
        numbers = _numbers(one.tensor, one.piece, store)
        if isinstance(numbers, str) or is_quantized(numbers):
            return None
        array = logical(numbers.raw, one.tensor, one.piece)
        return None if array is None else Numbers(array, numbers.dtype)

    return read
