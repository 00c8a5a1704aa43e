"""What is missing and what nobody expects: grouped until one cause is one finding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from inspector.algebra.boxes import Box, common, count, joined, less, within
from inspector.algebra.span import Span
from inspector.findings.finding import Finding, Place
from inspector.notation.binding import Block, Shape, scope_of
from inspector.reconciler import ledger
from inspector.reconciler.place import Stray
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.renaming import Change, Open, change_between, renamings
from inspector.reconciler.wording import family_name, indices_in_words, names_in, place_name, place_of


@dataclass(slots=True, eq=False)
class _Open:
    """A gap or stray while causes take parts of it away."""

    key: str
    boxes: tuple[Box, ...]
    block: Block | None = None
    stray: Stray | None = None

    @property
    def tensors(self) -> int:
        return count(self.boxes)

    @property
    def shape(self) -> Shape:
        if self.block is not None:
            return self.block.shape
        return () if self.stray is None else self.stray.layout.shape


def absent_and_unexpected(case: Reconciled, confidence: str) -> Iterator[Finding]:
    gaps = [_Open(gap.block.key, gap.boxes, block=gap.block) for gap in case.placement.gaps]
    unexplained = {line.family for line in case.ledger.lines if line.kind == ledger.UNEXPLAINED}
    strays = [_Open(stray.key, stray.boxes, stray=stray) for stray in case.placement.strays]
    yield from _renamed(gaps, strays)
    strays = [stray for stray in strays if stray.key in unexplained]
    yield from _head_missing(case, gaps)
    yield from _whole(case, gaps, confidence)
    yield from _missing(case, gaps, confidence)
    yield from _unexpected(case, strays)


def _head_missing(case: Reconciled, gaps: list[_Open]) -> Iterator[Finding]:
    """An untied head that is not there: its own finding, for loaders run it with random numbers."""
    for gap in list(gaps):
        block = gap.block
        if block is None or not block.slot.tied or not block.slot.tied.startswith("role:embed"):
            continue
        gaps.remove(gap)
        scope, ties = scope_of(case.corrected.scope, block.slot), block.slot.card.ties
        also = [one for one in gaps if one.block is not None and _untied_with(block, one.block)]
        gaps[:] = [one for one in gaps if one not in also]
        default = scope.by_default(ties)
        from inspector.findings.totals import HeadMissing

        yield HeadMissing(
            place=place_of(gap.key, gap.boxes),
            shape=block.shape,
            parameters=sum((one.block.elements or 0) * one.tensors for one in (gap, *also) if one.block),
            also=tuple(place_name(one.key, one.boxes) for one in also),
            ties=ties,
            tie=scope.reason(ties),
            default=default,
            confidence="likely" if default else "certain",
        )


def _untied_with(head: Block, other: Block) -> bool:
    """Whether one and the same predicate unties both: the bias of a head, which is tied to no embedding itself."""
    one, two = head.slot, other.slot
    return bool(two.tied) and one.card is two.card and one.scope == two.scope and one.ties == two.ties


def _renamed(gaps: list[_Open], strays: list[_Open]) -> Iterator[Finding]:
    """What is only called otherwise; families that one and the same change of their names explains are one finding."""
    pairs = [
        ([gaps[place] for place in missing], [strays[place] for place in others])
        for missing, others in renamings(_opens(gaps), _opens(strays))
    ]
    alike: dict[Change, list[tuple[list[_Open], list[_Open]]]] = {}
    for missing, others in pairs:
        change = change_between(place_name(*_whole_of(missing)), place_name(*_whole_of(others)))
        alike.setdefault(change, []).append((missing, others))
    told = {id(one) for missing, others in pairs for one in (*missing, *others)}
    gaps[:] = [gap for gap in gaps if id(gap) not in told]
    strays[:] = [stray for stray in strays if id(stray) not in told]
    for (old, new, begins), members in alike.items():
        missing, others = members[0]
        first = missing[0].block
        assert first is not None
        place = place_of(*_whole_of(missing))
        from inspector.findings.names.tensors import TensorRenamed

        yield TensorRenamed(
            place=place if len(members) == 1 else Place(),
            stored=place_name(*_whole_of(others)),
            expected=place_name(*_whole_of(missing)),
            tensors=sum(gap.tensors for each, _ in members for gap in each),
            shape=first.shape,
            role=first.slot.role,
            families=tuple(family_name(each[0].key) for each, _ in members),
            old=old,
            new=new,
            begins=begins,
            confidence="likely",
        )


def _whole_of(opens: Sequence[_Open]) -> tuple[str, tuple[Box, ...]]:
    """The key of some parts of one family, and all their places."""
    return opens[0].key, joined(box for one in opens for box in one.boxes)


def _opens(listed: Sequence[_Open]) -> list[Open]:
    return [(one.key, one.boxes, one.shape) for one in listed]


def _whole(case: Reconciled, gaps: list[_Open], confidence: str) -> Iterator[Finding]:
    """Whole layers or experts: every family below a numbered prefix misses the same indices."""
    begun = {gap.block.slot for gap in gaps if gap.block is not None}
    placed = {one.block.slot for one in case.placement.placed}
    copied = {block.tie for block in case.corrected.blocks if block.tie is not None and block.slot in placed}
    required = [
        block
        for block in case.corrected.blocks
        if block.required
        and block.tie is None
        and (block.slot in begun or not (block.slot.group or block.slot in copied))
    ]
    yield from _whole_parts(required, gaps, confidence)
    for prefix in sorted({prefix for gap in gaps for prefix in _prefixes(gap.key)}, key=len):
        axes = prefix.split(".").count("#")
        below = [block for block in required if block.key.startswith(f"{prefix}.")]
        if len(below) < 2:
            continue
        whole = _missing_everywhere(below, gaps, axes)
        if not whole:
            continue
        tensors = parameters = 0
        for gap in gaps:
            if not gap.key.startswith(f"{prefix}.") or gap.block is None:
                continue
            taken = [piece for box in whole for piece in within(gap.boxes, (*box, *gap.block.axes[axes:]))]
            tensors += count(taken)
            parameters += count(taken) * (gap.block.elements or 0)
            for piece in taken:
                gap.boxes = less(gap.boxes, piece)
        from inspector.findings.names.tensors import LayersMissing

        yield LayersMissing(
            place=Place(family=family_name(prefix), indices=indices_in_words(prefix, whole)),
            what=indices_in_words(prefix, whole),
            tensors=tensors,
            parameters=parameters,
            families=len(below),
            present=indices_in_words(prefix, _present(case, prefix, axes)),
            confidence=confidence,
        )
    gaps[:] = [gap for gap in gaps if gap.boxes]


LEAST_MODULES = 4
"""So many modules make a part of a model; fewer are told one by one."""


def _whole_parts(required: Sequence[Block], gaps: list[_Open], confidence: str) -> Iterator[Finding]:
    """Whole parts without a number, `encoder` or `mid_block`: nothing that is required below them is there."""
    missing = {id(gap.block): gap.tensors for gap in gaps}
    complete = {id(block) for block in required if missing.get(id(block)) == block.tensors}
    below: dict[str, list[Block]] = {}
    for block in required:
        segments = block.key.split(".")
        for length in range(1, len(segments) - 1):
            if segments[length - 1] == "#":
                break
            below.setdefault(".".join(segments[:length]), []).append(block)
    taken: tuple[str, ...] = ()
    for prefix in sorted(below, key=len):
        lost = below[prefix]
        modules = {block.key.rpartition(".")[0] for block in lost}
        if prefix.startswith(taken) or len(modules) < LEAST_MODULES or len(lost) == len(required):
            continue
        if not all(id(block) in complete for block in lost):
            continue
        taken = (*taken, f"{prefix}.")
        gone = {id(block) for block in lost}
        gaps[:] = [gap for gap in gaps if id(gap.block) not in gone]
        from inspector.findings.names.tensors import LayersMissing

        yield LayersMissing(
            place=Place(family=f"{prefix}.*"),
            what=f"all of {prefix}",
            tensors=sum(block.tensors for block in lost),
            parameters=sum(block.tensors * (block.elements or 0) for block in lost if block.slot.tensor.counted),
            families=len({block.key for block in lost}),
            present="",
            confidence=confidence,
        )


def _prefixes(key: str) -> Iterator[str]:
    segments = key.split(".")
    for position, segment in enumerate(segments[:-1]):
        if segment == "#":
            yield ".".join(segments[: position + 1])


def _missing_everywhere(below: Sequence[Block], gaps: Iterable[_Open], axes: int) -> tuple[Box, ...]:
    by_block = {id(gap.block): gap for gap in gaps if gap.block is not None}
    first = next((by_block[id(block)] for block in below if id(block) in by_block), None)
    if first is None or first.block is None:
        return ()
    missing = _full(first, axes)
    for block in below:
        gap = by_block.get(id(block))
        kept: list[Box] = []
        for box in missing:
            kept.extend(less((box,), block.axes[:axes]))
            for full in _full(gap, axes) if gap is not None else ():
                kept.extend(within(within((box,), block.axes[:axes]), full))
        missing = tuple(kept)
        if not missing:
            return ()
    return missing


def _full(gap: _Open, axes: int) -> tuple[Box, ...]:
    """The leading indices at which a gap takes everything below."""
    assert gap.block is not None
    inner = gap.block.axes[axes:]
    return tuple(
        box[:axes]
        for box in gap.boxes
        if all(axis.size == whole.size for axis, whole in zip(box[axes:], inner, strict=True))
    )


def _present(case: Reconciled, prefix: str, axes: int) -> tuple[Box, ...]:
    if axes != 1:
        return ()
    stored = Span()
    for one in case.placement.placed:
        if one.block.key.startswith(f"{prefix}."):
            for box in one.boxes:
                stored = stored | box[0]
    return ((stored,),) if stored else ()


def _missing(case: Reconciled, gaps: Sequence[_Open], confidence: str) -> Iterator[Finding]:
    """What is left, a module at a time: weight and bias of one layer are one finding, and so are all stages of one."""
    stored = {one.block.key for one in case.placement.placed}
    families: dict[tuple[str, str], list[_Open]] = {}
    for gap in gaps:
        assert gap.block is not None
        families.setdefault((gap.key, gap.block.slot.row if gap.key in stored else ""), []).append(gap)
    modules: dict[tuple[str, frozenset[Box]], list[list[_Open]]] = {}
    for parts in families.values():
        block = parts[0].block
        assert block is not None
        modules.setdefault((block.slot.row, frozenset(_whole_of(parts)[1])), []).append(parts)
    for members in modules.values():
        first = members[0][0].block
        assert first is not None
        all_parts = [gap for parts in members for gap in parts]
        from inspector.findings.names.tensors import TensorMissing

        yield TensorMissing(
            place=place_of(*_whole_of(members[0])),
            names=tuple(name for gap in all_parts for name in names_in(gap.key, gap.boxes, 5))[:20],
            families=tuple(family_name(parts[0].key) for parts in members),
            tensors=sum(gap.tensors for gap in all_parts),
            parameters=sum(gap.tensors * (gap.block.elements or 0) for gap in all_parts if gap.block),
            shape=first.shape,
            role=first.slot.role,
            expected_tensors=sum(gap.block.tensors for gap in members[0] if gap.block),
            counted=first.slot.tensor.counted,
            confidence=confidence,
        )


def _unexpected(case: Reconciled, strays: Sequence[_Open]) -> Iterator[Finding]:
    """What no row expects: whole layers or experts too many, a whole unknown part, else a module at a time."""
    known = {block.key for block in case.corrected.blocks}
    parts: dict[tuple[str, tuple[Box, ...]], list[_Open]] = {}
    for stray in strays:
        place = _too_many(case, stray) if stray.key in known else (_part_of(known, stray.key), ())
        parts.setdefault(place, []).append(stray)
    for (prefix, boxes), members in parts.items():
        if len(members) < (2 if boxes else 3) or not prefix:
            yield from map(_alone, members)
            continue
        stored = [one.stray for one in members if one.stray is not None]
        what = indices_in_words(prefix, boxes)
        from inspector.findings.names.tensors import PartUnexpected

        yield PartUnexpected(
            place=Place(family=f"{family_name(prefix)}.*", indices=what or None),
            tensors=sum(one.tensors for one in members),
            families=tuple(family_name(one.key) for one in members[:20]),
            elements=sum(one.layout.elements * one.tensors for one in stored),
            bytes=sum(one.layout.bytes * one.tensors for one in stored),
            shape=tuple(stored[0].layout.shape),
            names=tuple(name for one in members[:5] for name in names_in(one.key, one.boxes, 3))[:20],
            part=prefix,
        )


def _alone(one: _Open) -> Finding:
    assert one.stray is not None
    from inspector.findings.names.tensors import TensorUnexpected

    return TensorUnexpected(
        place=place_of(one.key, one.boxes),
        tensors=one.tensors,
        elements=one.stray.layout.elements * one.tensors,
        bytes=one.stray.layout.bytes * one.tensors,
        shape=one.stray.layout.shape,
        dtype=one.stray.layout.dtype,
        names=tuple(names_in(one.key, one.boxes)),
    )


def _too_many(case: Reconciled, stray: _Open) -> tuple[str, tuple[Box, ...]]:
    """(the numbered prefix, its indices) of which the card has fewer, else the module and its indices."""
    for position, prefix in enumerate(_prefixes(stray.key)):
        below = [block.axes for block in case.corrected.blocks if block.key.startswith(f"{prefix}.")]
        if all(
            not box[position] & axes[position]
            for box in stray.boxes
            for axes in below
            if common(box[:position], axes[:position]) is not None
        ):
            return prefix, joined(box[: position + 1] for box in stray.boxes)
    return stray.key.rpartition(".")[0], stray.boxes


def _part_of(known: Collection[str], key: str) -> str:
    """The shortest prefix of a key below which the card knows nothing; '' for a lone tensor."""
    segments = key.split(".")
    for length in range(1, len(segments)):
        prefix = ".".join(segments[:length])
        if not any(other.startswith(f"{prefix}.") for other in known):
            return prefix
    return ".".join(segments[:-1])
