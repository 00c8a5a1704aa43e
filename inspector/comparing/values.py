"""Compares requested values of both sides of a conversion, tensor by tensor.

`inspector.comparing.checkpoints` determines the corresponding tensors from headers; this module reads them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256

import numpy as np
from msgspec.structs import replace

from inspector.auditing.reference import with_reference
from inspector.auditing.result import Audit, Skipped, verdict_with
from inspector.auditing.values import check_copies, open_store, skipped_values
from inspector.comparing.arrays import logical, matched, stored_at
from inspector.comparing.computed import Conversion, conversion_of, have_one_order
from inspector.comparing.judging import judged
from inspector.comparing.projector_values import compare_projector
from inspector.comparing.rearranged import PlacedTensor, Read, exchanged, rearrangement, with_expert_values
from inspector.comparing.result import Comparison
from inspector.comparing.tally import Carried, LogicalTensor
from inspector.dialects.language import JOINED
from inspector.findings.conversion.design import MlpBecameExperts
from inspector.findings.conversion.order import NotConverted, RowsMisordered, ValuesComputed
from inspector.findings.conversion.values import (
    RowsReordered,
    ValuesDiffer,
    ValuesOverflowed,
    ValuesRounded,
    ValuesUnchanged,
)
from inspector.findings.finding import NAMES_SHOWN, Finding, Place, merged, ordered
from inspector.findings.header.reference import ReferenceDisagrees
from inspector.loader.sources.traffic import Progress
from inspector.values.abnormal import Scanned, abnormal
from inspector.values.chunks import chunks
from inspector.values.names import place_of_names
from inspector.values.reading import Store
from inspector.values.relation import value_relation
from inspector.values.result import (
    COMPUTED,
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
from inspector.values.scan import Scanner, axes
from inspector.values.stored import Numbers, ReadStopped


def compared_with_values(
    compared: Comparison, wanted: Sequence[str] = (), progress: Progress | None = None
) -> Comparison:
    """The comparison with its values; skipped for different models. Raises NotNamed as `compare_values`."""
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
        skipped=skipped_values(compared.skipped, found),
        values=found,
    )


def compare_values(compared: Comparison, wanted: Sequence[str] = (), progress: Progress | None = None) -> Values:
    """Reads both sides of a conversion. wanted: names with `*` as a wildcard; none means all.

    Raises NotNamed if a side is remote and no tensor was selected.
    """
    found = Values(requested=tuple(wanted))
    stores = _Stores(compared.source, wanted), _Stores(compared.target, wanted)
    total = sum(one.tensors for one in compared.carriage)
    done = 0
    for carried in compared.carriage:
        for _, source, target in carried.each():
            done += 1
            if progress is not None:
                progress(done, total, found.elements)
            try:
                _one(carried, source, target, stores, found)
            except ReadStopped as problem:
                found.stop(problem, target.name)
    if compared.projector is not None:
        compare_projector(compared.source, compared.projector, stores[0].of(""), wanted, found)
    for audited in (compared.source, compared.target):
        for component in (audited.components or {"": audited}).values():
            check_copies(audited, component, found)
    before, after = _reader(stores[0]), _reader(stores[1])
    other = rearrangement(compared, found, before, after)
    found.findings.extend((*other.findings, *_differences(found, other.moved)))
    found.findings.extend((*abnormal(_unexplained(found)), *found.not_found()))
    experts = [one for one in compared.findings if isinstance(one, MlpBecameExperts) and not wanted]
    found.findings.extend(with_expert_values(one, compared, before, after) for one in experts)
    found.explained = (*other.explained, *experts)
    return found


def _unexplained(found: Values) -> list[Scanned]:
    """What was scanned, without the tensors whose only abnormal values are those that overflowed."""
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
    arrays: list[Numbers] = []
    whole = Numbers(np.zeros(0), "F32")
    for (tensor, piece, store), name in zip(views, names, strict=True):
        numbers = _numbers(tensor, piece.line.packed is not None, store)
        if isinstance(numbers, str):
            found.skip(numbers, name)
            return
        array, whole = logical(numbers.raw, tensor, piece), numbers
        if array is None:
            found.skip("the position of its part is unknown", name)
            return
        arrays.append(Numbers(array, numbers.dtype))
    both = matched(arrays[0].raw, arrays[1].raw, carried.fit)
    if both is None:
        found.skip("its shape cannot be transformed into the other's", names[1])
        return
    one, other = Numbers(both[0], arrays[0].dtype), Numbers(both[1], arrays[1].dtype)
    scanner = Scanner(other.dtype)
    conversion = conversion_of(carried, {"source": stores[0].audited, "target": stores[1].audited})
    what, reported = judged(carried.identity.role, one, other, scanner, conversion)
    if is_unconverted(what, carried, conversion, scanner):
        what = UNCONVERTED
    elif what == REORDERED and have_one_order(carried, stores[0].audited, stores[1].audited):
        what = MISORDERED
    relation, rows = value_relation(one, other, reported.differing) if what == DIFFERENT else ("", ())
    found.scanned.append(Scanned(names[1], scanner.result(), dims=axes(whole.raw)))
    at = stored_at(reported.place, target, carried.target, carried.fit, whole.raw.shape)
    reported = reported if at is None or reported.equal else replace(reported, place=at)
    found.tensors += 1
    found.elements += reported.elements
    found.verdicts.append(
        Verdict(
            carried.identity.role, names[0], names[1], what, reported, carried.steps, one.raw.ndim > 1,
            (_digest(one), _digest(other)) if what == DIFFERENT and one.dtype == other.dtype else (b"", b""),
            (one.dtype, other.dtype), relation, rows,
        )
    )  # fmt: skip


def _digest(numbers: Numbers) -> bytes:
    """The SHA-256 of the stored values, read in parts."""
    found = sha256()
    for _, (part,) in chunks(numbers.raw):
        found.update(np.ascontiguousarray(part).data)
    return found.digest()


def _numbers(tensor: LogicalTensor, packed: bool, store: Store | None) -> Numbers | str:
    if packed:
        return "it is quantized"
    return "its files cannot be reached" if store is None else store.numbers(tensor.name)


def is_unconverted(what: str, carried: Carried, conversion: Conversion | None, scanner: Scanner) -> bool:
    """Whether rows are not in the order that the target's loader needs, or values are not those that it needs."""
    if conversion is None or carried.identity.tensor != "weight" or scanner.result().constant is not None:
        return False
    if conversion.computes or conversion.expects_pairs:
        return what in (EQUAL, ROUNDED)
    return what == REORDERED and conversion.expects_pairs is False


def _reader(stores: _Stores) -> Read:
    """Reads logical tensors of one side."""

    def read(one: PlacedTensor) -> Numbers | None:
        store = stores.of(one.piece.identity.component)
        numbers = _numbers(one.tensor, one.piece.line.packed is not None, store)
        if isinstance(numbers, str):
            return None
        array = logical(numbers.raw, one.tensor, one.piece)
        return None if array is None else Numbers(array, numbers.dtype)

    return read


def _differences(found: Values, moved: frozenset[str]) -> Iterator[Finding]:
    """One finding per role with different values, or for all roles; one for all that were rounded or reordered.

    moved: tensors that another finding explains.
    """
    changed = [verdict for verdict in found.verdicts if verdict.what == DIFFERENT and verdict.target not in moved]
    swapped = exchanged(changed)
    same = [verdict.target for verdict in found.verdicts if verdict.what == EQUAL and verdict.matrix]
    if swapped:
        members = [verdict for verdict in changed if verdict.target in swapped]
        yield _differing("", members, found, tuple(swapped.values())[:NAMES_SHOWN])
    left = [verdict for verdict in changed if verdict.target not in swapped]
    for members in _by_relation(left).values():
        yield _differing(members[0].role if len({one.role for one in members}) == 1 else "", members, found)
    left = [verdict for verdict in left if not verdict.relation]
    throughout = len({verdict.role for verdict in left}) >= FEWEST_ROLES and len(left) > len(same)
    roles = {"": left} if throughout else _by_role(left)
    for role, members in roles.items():
        yield _differing(role, members, found)
    if same and len(changed) > len(same):
        yield ValuesUnchanged(
            tensors=len(same),
            of=sum(verdict.matrix for verdict in found.verdicts),
            names=tuple(same[:NAMES_SHOWN]),
            where=place_of_names(same),
        )
    for what, kind in ((UNCONVERTED, NotConverted), (MISORDERED, RowsMisordered)):
        names = [verdict.target for verdict in found.verdicts if verdict.what == what]
        if names:
            yield kind(
                tensors=len(names),
                of=len(found.verdicts),
                names=tuple(names[:NAMES_SHOWN]),
                where=place_of_names(names),
            )
    yield from _overflowed(found)
    yield from _harmless(found)


FEWEST_ROLES = 4
"""From this number of roles on, values that differ in most matrices are one finding: another training, not damage."""


def _overflowed(found: Values) -> Iterator[Finding]:
    """One finding for each pair of dtypes of which one cannot represent values of the other."""
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in found.verdicts:
        if verdict.what == OVERFLOWED:
            finer = verdict.difference.rounding == "finer"
            wide, narrow = reversed(verdict.dtypes) if finer else verdict.dtypes
            groups.setdefault((wide, narrow, "source" if finer else "target"), []).append(verdict)
    for (wide, narrow, side), members in groups.items():
        names = [one.source if side == "source" else one.target for one in members]
        yield ValuesOverflowed(
            tensors=len(members),
            names=tuple(names[:NAMES_SHOWN]),
            where=place_of_names(names),
            infinite=sum(one.difference.overflowed for one in members),
            of=sum(one.difference.elements for one in members),
            largest=max(one.difference.limit for one in members),
            wide=wide,
            narrow=narrow,
            narrowed=side,
        )


def _differing(role: str, members: Sequence[Verdict], found: Values, holds: tuple[str, ...] = ()) -> Finding:
    """The finding on different values. role: of all members, "" for several. holds: whose values they are instead."""
    worst = max(members, key=lambda verdict: verdict.difference.largest)
    own = {verdict.role for verdict in members}
    reported = worst.difference
    return ValuesDiffer(
        place=Place(tensor=worst.target if len(members) == 1 else None),
        role=role or worst.role,
        tensors=len(members),
        of=sum(verdict.role in own for verdict in found.verdicts),
        names=tuple(verdict.target for verdict in members[:NAMES_SHOWN]),
        where=place_of_names([verdict.target for verdict in members]),
        tensor=worst.target,
        differing=reported.differing,
        elements=reported.elements,
        beyond=reported.beyond,
        largest=reported.largest,
        at=reported.place,
        values=(reported.source, reported.target),
        roles=() if role else tuple(dict.fromkeys(verdict.role for verdict in members)),
        holds=holds,
        relation=members[0].relation,
        rows_exchanged=members[0].rows,
    )


def _by_relation(changed: Sequence[Verdict]) -> dict[tuple[str, tuple[int, ...]], list[Verdict]]:
    """The tensors whose values all follow from those of the source, by what was done to them."""
    found: dict[tuple[str, tuple[int, ...]], list[Verdict]] = {}
    for verdict in changed:
        if verdict.relation:
            found.setdefault((verdict.relation, verdict.rows), []).append(verdict)
    return found


def _by_role(changed: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The tensors with different values by role; parts of the same fused matrices together."""
    roles: dict[str, list[Verdict]] = {}
    for verdict in changed:
        roles.setdefault(verdict.role, []).append(verdict)
    for whole, parts in JOINED.items():
        members = [roles[part] for part in parts if part in roles]
        if len(members) > 1 and len({frozenset(one.target for one in each) for each in members}) == 1:
            roles[whole] = [verdict for part in parts for verdict in roles.pop(part, ())]
    return roles


def _harmless(found: Values) -> Iterator[Finding]:
    """One finding for all that were rounded, one for all that were reordered, one for all that were computed."""
    for what, kind in ((ROUNDED, ValuesRounded), (REORDERED, RowsReordered), (COMPUTED, ValuesComputed)):
        members = [verdict for verdict in found.verdicts if verdict.what == what]
        if members:
            ways = dict.fromkeys(verdict.difference.rounding for verdict in members if verdict.difference.rounding)
            made = kind(
                tensors=len(members),
                names=tuple(verdict.target for verdict in members[:NAMES_SHOWN]),
                ways=tuple(ways),
                largest=max(verdict.difference.largest for verdict in members),
            )
            rounded = [verdict.difference for verdict in members if verdict.difference.last_bits]
            if rounded:
                bits, values = sum(one.last_bits for one in rounded), sum(one.elements for one in rounded)
                made = replace(made, last_bits=bits, of_values=values)
            yield made
