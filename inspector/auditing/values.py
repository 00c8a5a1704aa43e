"""Values, where they were asked for: tensor by tensor what a conversion made of the numbers, and what is odd in them.

Which numbers belong to each other is what `inspector.comparing.checkpoints` found from headers; this reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice

from inspector.algebra.boxes import boxes_of, tuples
from inspector.algebra.names import key_of, name_of
from inspector.auditing.model import Audit, Skipped
from inspector.comparing.arrays import as_halves, head_widths, in_halves, logical, matched, stored_at
from inspector.comparing.checkpoints import Comparison
from inspector.comparing.tally import Carried, Tensor
from inspector.findings.conversion.values import (
    CopiesDiffer,
    RowsReordered,
    ValuesConstant,
    ValuesDiffer,
    ValuesNotFinite,
    ValuesRounded,
    ValuesUnchanged,
)
from inspector.findings.finding import Finding, Place, merged, ordered
from inspector.loader.sources.traffic import Progress
from inspector.reconciler import ledger
from inspector.reconciler.wording import indices_in_words
from inspector.values.difference import Difference, Numbers, difference, oddities
from inspector.values.reading import Store, store_of

EQUAL, ROUNDED, REORDERED, DIFFERENT = "equal", "rounded", "reordered", "different"
"""What may have become of a tensor's numbers; reordered: rotary rows in pairs and in halves, else equal or rounded."""
NAMES_SHOWN = 20
MOST_WIDTHS = 16
"""Widths of a head that are tried where more than one row looks like the beginning of the second half."""
ROTARY = ("attention.query", "attention.key")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one tensor. names: in the files of both sides."""

    role: str
    source: str
    target: str
    what: str
    difference: Difference
    steps: tuple[str, ...] = ()
    matrix: bool = True


class Odd:
    """What is not finite or constant, gathered until it can be told as one."""

    __slots__ = ("constant", "infinite")

    def __init__(self) -> None:
        self.infinite: list[tuple[str, int, int]] = []
        self.constant: list[tuple[str, float]] = []

    def look(self, name: str, numbers: Numbers) -> None:
        """Takes note of a tensor, or of a part of one."""
        told = oddities(numbers)
        if told.nan or told.infinite:
            self.infinite.append((name, told.nan, told.infinite))
        elif told.constant is not None and numbers.raw.ndim > 1:
            self.constant.append((name, told.constant))

    def evidence(self) -> Iterator[Finding]:
        """One piece for all that are not finite, one for all that are constant."""
        if self.infinite:
            names = [name for name, _, _ in self.infinite]
            yield ValuesNotFinite(
                place=Place(tensor=names[0] if len(names) == 1 else None),
                tensors=len(names),
                names=tuple(names[:NAMES_SHOWN]),
                where=_where(names),
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
                where=_where(names),
                values=tuple(values[:5]),
            )


@dataclass(slots=True)
class Values:
    """What was read. unread: why -> names of tensors whose numbers were not. wanted: names asked for; met: of those."""

    verdicts: list[Verdict] = field(default_factory=list)
    unread: dict[str, list[str]] = field(default_factory=dict)
    evidence: list[Finding] = field(default_factory=list)
    tensors: int = 0
    elements: int = 0
    wanted: tuple[str, ...] = ()
    met: set[str] = field(default_factory=set, repr=False)
    odd: Odd = field(default_factory=lambda: Odd(), repr=False)

    def count(self, what: str) -> int:
        """How many tensors came to this end."""
        return sum(verdict.what == what for verdict in self.verdicts)

    def wants(self, *names: str) -> bool:
        """Whether a tensor of any of these names is to be read."""
        found = [pattern for pattern in self.wanted if any(fnmatchcase(name, pattern) for name in names)]
        self.met.update(found)
        return not self.wanted or bool(found)

    def skip(self, why: str, name: str) -> None:
        """Notes that a tensor was not read."""
        self.unread.setdefault(why, []).append(name)


class NotNamed(ValueError):
    """Numbers of a place that is not this machine are read for named tensors only."""


def compare_values(compared: Comparison, wanted: Sequence[str] = (), progress: Progress | None = None) -> Values:
    """Reads both sides of a conversion. wanted: names, `*` for anything; none of them means all.

    Raises NotNamed where a side lies elsewhere and no tensor was named.
    """
    found = Values(wanted=tuple(wanted))
    shelves = _Shelves(compared.source, wanted), _Shelves(compared.target, wanted)
    total = sum(one.tensors for one in compared.carriage)
    done = 0
    for carried in compared.carriage:
        for _, source, target in carried.each():
            done += 1
            if progress is not None:
                progress(done, total, found.elements)
            _one(carried, source, target, shelves, found)
    for audited in (compared.source, compared.target):
        _copies(audited, found)
    found.evidence.extend((*_differences(found), *found.odd.evidence()))
    return found


def check_values(audited: Audit, wanted: Sequence[str] = (), progress: Progress | None = None) -> Values:
    """Reads one checkpoint: what is not finite, what is constant, copies that differ from what they are copies of."""
    found = Values(wanted=tuple(wanted))
    for component in (audited.components or {"": audited}).values():
        store = _store(component, wanted)
        names = [name for name in component.checkpoint.tensors if found.wants(name)]
        if store is None:
            for name in names:
                found.skip("its files cannot be reached", name)
            continue
        counted = {line.family for line in component.lines if line.kind == ledger.PARAMETER and line.packed is None}
        for done, name in enumerate(names, 1):
            if progress is not None:
                progress(done, len(names), found.elements)
            bare = component.case.reading.bare(name) if component.case is not None else name
            if key_of(bare)[0] in counted:
                numbers = store.numbers(bare)
                if isinstance(numbers, str):
                    found.skip(numbers, name)
                else:
                    found.odd.look(name, numbers)
                    found.tensors += 1
                    found.elements += numbers.raw.size
            else:
                found.skip("it is packed, or no parameter", name)
        _copies(component, found)
    found.evidence.extend(found.odd.evidence())
    return found


def _store(audited: Audit, wanted: Sequence[str]) -> Store | None:
    store = store_of(audited)
    if store is not None and not store.is_near and not wanted:
        raise NotNamed(audited.checkpoint.source)
    return store


class _Shelves:
    """The stores of one side, by component."""

    __slots__ = ("audited", "stores")

    def __init__(self, audited: Audit, wanted: Sequence[str]) -> None:
        self.audited = audited
        self.stores = {name: _store(part, wanted) for name, part in (audited.components or {"": audited}).items()}

    def of(self, component: str) -> Store | None:
        first = component.split("/", 1)[0]
        return self.stores.get(first) or self.stores.get("")


def _one(
    carried: Carried,
    source: Tensor,
    target: Tensor,
    shelves: tuple[_Shelves, _Shelves],
    found: Values,
) -> None:
    names: list[str] = []
    views = []
    for tensor, piece, shelf in zip((source, target), (carried.source, carried.target), shelves, strict=True):
        store = shelf.of(piece.identity.component)
        names.append(tensor.name if store is None else store.spelled(tensor.name))
        views.append((tensor, piece, store))
    if not found.wants(*names):
        return
    arrays: list[Numbers] = []
    shape: tuple[int, ...] = ()
    for (tensor, piece, store), name in zip(views, names, strict=True):
        numbers = _numbers(tensor, piece.line.packed is not None, store)
        if isinstance(numbers, str):
            found.skip(numbers, name)
            return
        array, shape = logical(numbers.raw, tensor, piece), numbers.raw.shape
        if array is None:
            found.skip("where its part lies is not known", name)
            return
        arrays.append(Numbers(array, numbers.dtype))
    both = matched(arrays[0].raw, arrays[1].raw, carried.fit)
    if both is None:
        found.skip("no view of the one has the other's shape", names[1])
        return
    one, other = Numbers(both[0], arrays[0].dtype), Numbers(both[1], arrays[1].dtype)
    found.odd.look(names[1], arrays[1])
    what, told = _judged(carried.identity.role, one, other)
    at = stored_at(told.place, target, carried.target, carried.fit, shape)
    told = told if at is None or told.equal else replace(told, place=at)
    found.tensors += 1
    found.elements += told.elements
    found.verdicts.append(
        Verdict(carried.identity.role, names[0], names[1], what, told, carried.steps, one.raw.ndim > 1)
    )


def _numbers(tensor: Tensor, packed: bool, store: Store | None) -> Numbers | str:
    if packed:
        return "it is packed"
    return "its files cannot be reached" if store is None else store.numbers(tensor.name)


def _judged(role: str, source: Numbers, target: Numbers) -> tuple[str, Difference]:
    told = difference(source, target)
    if told.equal:
        return EQUAL, told
    if told.rounding:
        return ROUNDED, told
    if role.startswith(ROTARY):
        for pairs, halves, swap in ((source, target, False), (target, source, True)):
            for width in islice(head_widths(halves, pairs), MOST_WIDTHS):
                one = Numbers(in_halves(pairs.raw, width), pairs.dtype)
                other = Numbers(as_halves(halves.raw, width), halves.dtype)
                again = difference(other, one) if swap else difference(one, other)
                if again.equal or again.rounding:
                    return REORDERED, again
                told = min(told, again, key=lambda one: one.differing)
    return DIFFERENT, told


def _copies(audited: Audit, found: Values) -> None:
    """Stored copies of tied tensors beside what they are copies of."""
    store = store_of(audited)
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
            if not found.wants(name, other):
                continue
            one, copy = store.numbers(other), store.numbers(name)
            if isinstance(one, str) or isinstance(copy, str):
                found.skip(copy if isinstance(copy, str) else str(one), name)
                continue
            if one.raw.shape != copy.raw.shape:
                found.skip("it has another shape than what it is a copy of", name)
                continue
            told = difference(one, copy)
            if not told.equal and not told.rounding:
                found.evidence.append(_copy_differs(name, other, told))


def _names(line: ledger.Line) -> Iterator[str]:
    for box in line.boxes:
        yield from (name_of(line.family, index) for index in tuples(box))


def _copy_differs(name: str, original: str, told: Difference) -> Finding:
    return CopiesDiffer(
        place=Place(tensor=name),
        tensor=name,
        original=original,
        differing=told.differing,
        elements=told.elements,
        beyond=told.beyond,
        largest=told.largest,
        at=told.place,
        values=(told.source, told.target),
    )


def _differences(found: Values) -> Iterator[Finding]:
    """One finding for each role whose numbers differ, one for all that were rounded or reordered."""
    roles: dict[str, list[Verdict]] = {}
    for verdict in found.verdicts:
        if verdict.what == DIFFERENT:
            roles.setdefault(verdict.role, []).append(verdict)
    for role, members in roles.items():
        worst = max(members, key=lambda verdict: verdict.difference.largest)
        of = sum(verdict.role == role for verdict in found.verdicts)
        told = worst.difference
        yield ValuesDiffer(
            place=Place(tensor=worst.target if len(members) == 1 else None),
            role=role,
            tensors=len(members),
            of=of,
            names=tuple(verdict.target for verdict in members[:NAMES_SHOWN]),
            where=_where([verdict.target for verdict in members]),
            tensor=worst.target,
            differing=told.differing,
            elements=told.elements,
            beyond=told.beyond,
            largest=told.largest,
            at=told.place,
            values=(told.source, told.target),
        )
    changed = sum(map(len, roles.values()))
    same = [verdict.target for verdict in found.verdicts if verdict.what == EQUAL and verdict.matrix]
    if same and changed > len(same):
        yield ValuesUnchanged(
            tensors=len(same), of=len(found.verdicts), names=tuple(same[:NAMES_SHOWN]), where=_where(same)
        )
    for what, kind in ((ROUNDED, ValuesRounded), (REORDERED, RowsReordered)):
        members = [verdict for verdict in found.verdicts if verdict.what == what]
        if members:
            ways = dict.fromkeys(verdict.difference.rounding for verdict in members if verdict.difference.rounding)
            yield kind(
                tensors=len(members),
                names=tuple(verdict.target for verdict in members[:NAMES_SHOWN]),
                ways=tuple(ways),
                largest=max(verdict.difference.largest for verdict in members),
            )


def _where(names: Sequence[str]) -> str:
    """The layers and experts of tensors of one family; '' where they are of several."""
    keys = [key_of(name) for name in names]
    if len({key for key, _ in keys}) != 1 or not keys[0][1]:
        return ""
    return indices_in_words(keys[0][0], boxes_of([index for _, index in keys]))


def with_values(audited: Audit, wanted: Sequence[str] = (), progress: Progress | None = None) -> Audit:
    """The audit with what its numbers say. Raises NotNamed as `check_values`."""
    found = check_values(audited, wanted, progress)
    findings = tuple(ordered((*audited.findings, *merged(found.evidence))))
    return replace(
        audited,
        findings=findings,
        verdict=_verdict(audited.verdict, findings),
        skipped=_skipped(audited.skipped, found),
        values=found,
    )


def compared_with_values(
    compared: Comparison, wanted: Sequence[str] = (), progress: Progress | None = None
) -> Comparison:
    """The comparison with what its numbers say; of two different models none are compared. Raises NotNamed."""
    if compared.verdict == "unreadable":
        return compared
    if compared.relation != "conversion":
        why = Skipped("values", "the two are different models: no tensor of the one becomes one of the other")
        return replace(compared, skipped=(*compared.skipped, why))
    found = compare_values(compared, wanted, progress)
    findings = tuple(ordered((*compared.findings, *merged(found.evidence))))
    return replace(
        compared,
        findings=findings,
        verdict=_verdict(compared.verdict, findings),
        skipped=_skipped(compared.skipped, found),
        values=found,
    )


def _verdict(before: str, findings: Sequence[Finding]) -> str:
    bad = before == "clean" and any(finding.severity != "note" for finding in findings)
    return "findings" if bad else before


def _skipped(before: Sequence[Skipped], found: Values) -> tuple[Skipped, ...]:
    """What was not read, in the place of the sentence that no number was."""
    whole = bool(found.verdicts) and not found.unread and not found.wanted
    kept = [one for one in before if one.check != "values" and not (one.check == "order of rows" and whole)]
    unread = [Skipped(f"values of {_counted(names)}", why) for why, names in found.unread.items()]
    absent = [Skipped(f"values of {name}", "no tensor has this name") for name in found.wanted if name not in found.met]
    named = [Skipped("values of other tensors", "they were not named")] if found.wanted else []
    return (*unread, *absent, *named, *kept)


def _counted(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} tensors"
