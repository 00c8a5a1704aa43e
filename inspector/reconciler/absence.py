"""What is missing and what nobody expects: grouped until one cause is one finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inspector.algebra.boxes import Box, count, less, within
from inspector.algebra.span import Span
from inspector.evidence import Evidence, Fact, Place
from inspector.notation.binding import Block, Shape, scope_of
from inspector.reconciler import ledger
from inspector.reconciler.placing import Stray
from inspector.reconciler.reconciling import Reconciled
from inspector.reconciler.renaming import Open, renamings
from inspector.reconciler.wording import family_name, indices_in_words, names_in, place_name, place_of


@dataclass(slots=True)
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


def absent_and_unexpected(case: Reconciled, confidence: str) -> Iterator[Evidence]:
    gaps = [_Open(gap.block.key, gap.boxes, block=gap.block) for gap in case.placement.gaps]
    unexplained = {line.family for line in case.ledger.lines if line.kind == ledger.UNEXPLAINED}
    strays = [_Open(stray.key, stray.boxes, stray=stray) for stray in case.placement.strays if stray.key in unexplained]
    yield from _renamed(gaps, strays)
    yield from _head_missing(case, gaps)
    yield from _whole(case, gaps, confidence)
    yield from _missing(gaps, confidence)
    yield from _unexpected(case, strays)


def _head_missing(case: Reconciled, gaps: list[_Open]) -> Iterator[Evidence]:
    """An untied head that is not there: its own finding, for loaders run it with random numbers."""
    for gap in list(gaps):
        block = gap.block
        if block is None or not block.slot.tied or not block.slot.tied.startswith("role:embed"):
            continue
        gaps.remove(gap)
        scope, ties = scope_of(case.corrected.scope, block.slot), block.slot.card.ties
        default = scope.by_default(ties)
        yield Evidence(
            "head-missing",
            place_of(gap.key, gap.boxes),
            {
                "shape": list(block.shape),
                "parameters": (block.elements or 0) * gap.tensors,
                "ties": ties,
                "tie": scope.reason(ties),
                "default": default,
            },
            "likely" if default else "certain",
        )


def _renamed(gaps: list[_Open], strays: list[_Open]) -> Iterator[Evidence]:
    if not gaps or not strays:
        return
    pairs = [(gaps[place], strays[other]) for place, other in renamings(_opens(gaps), _opens(strays))]
    for gap, stray in pairs:
        gaps.remove(gap)
        strays.remove(stray)
        assert gap.block is not None
        yield Evidence(
            "tensor-renamed",
            place_of(gap.key, gap.boxes),
            {
                "stored": place_name(stray.key, stray.boxes),
                "expected": place_name(gap.key, gap.boxes),
                "tensors": gap.tensors,
                "shape": list(gap.block.shape),
                "role": gap.block.slot.role,
            },
            "likely",
        )


def _opens(listed: Sequence[_Open]) -> list[Open]:
    return [(one.key, one.boxes, one.shape) for one in listed]


def _whole(case: Reconciled, gaps: list[_Open], confidence: str) -> Iterator[Evidence]:
    """Whole layers or experts: every family below a numbered prefix misses the same indices."""
    required = [block for block in case.corrected.blocks if block.required and block.tie is None]
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
        yield Evidence(
            "layers-missing",
            Place(family=family_name(prefix), indices=indices_in_words(prefix, whole)),
            {
                "what": indices_in_words(prefix, whole),
                "tensors": tensors,
                "parameters": parameters,
                "families": len(below),
                "present": indices_in_words(prefix, _present(case, prefix, axes)),
            },
            confidence,
        )
    gaps[:] = [gap for gap in gaps if gap.boxes]


LEAST_MODULES = 4
"""So many modules make a part of a model; fewer are told one by one."""


def _whole_parts(required: Sequence[Block], gaps: list[_Open], confidence: str) -> Iterator[Evidence]:
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
        yield Evidence(
            "layers-missing",
            Place(family=f"{prefix}.*"),
            {
                "what": f"all of {prefix}",
                "tensors": sum(block.tensors for block in lost),
                "parameters": sum(block.tensors * (block.elements or 0) for block in lost if block.slot.tensor.counted),
                "families": len({block.key for block in lost}),
                "present": "",
            },
            confidence,
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


def _missing(gaps: Sequence[_Open], confidence: str) -> Iterator[Evidence]:
    """What is left, a module at a time: weight and bias of one layer are one finding."""
    modules: dict[tuple[str, tuple[Box, ...]], list[_Open]] = {}
    for gap in gaps:
        assert gap.block is not None
        modules.setdefault((gap.block.slot.row, gap.boxes), []).append(gap)
    for members in modules.values():
        first = members[0]
        assert first.block is not None
        yield Evidence(
            "tensor-missing",
            place_of(first.key, first.boxes),
            {
                "names": [name for gap in members for name in names_in(gap.key, gap.boxes, 5)][:20],
                "families": [family_name(gap.key) for gap in members],
                "tensors": sum(gap.tensors for gap in members),
                "parameters": sum(gap.tensors * (gap.block.elements or 0) for gap in members if gap.block),
                "shape": list(first.block.shape),
                "role": first.block.slot.role,
                "expected_tensors": first.block.tensors,
                "counted": first.block.slot.tensor.counted,
            },
            confidence,
        )


def _unexpected(case: Reconciled, strays: Sequence[_Open]) -> Iterator[Evidence]:
    """What no row expects: a whole unknown part as one finding, else a module at a time."""
    parts: dict[str, list[_Open]] = {}
    for stray in strays:
        parts.setdefault(_part_of(case, stray.key), []).append(stray)
    for prefix, members in parts.items():
        stored = [one.stray for one in members if one.stray is not None]
        elements = sum(one.layout.elements * one.tensors for one in stored)
        size = sum(one.layout.bytes * one.tensors for one in stored)
        facts: dict[str, Fact] = {
            "tensors": sum(one.tensors for one in members),
            "families": [family_name(one.key) for one in members[:20]],
            "elements": elements,
            "bytes": size,
            "shape": list(stored[0].layout.shape),
            "names": [name for one in members[:5] for name in names_in(one.key, one.boxes, 3)][:20],
        }
        if len(members) > 2 and prefix:
            yield Evidence("part-unexpected", Place(family=f"{family_name(prefix)}.*"), {**facts, "part": prefix})
        else:
            for one in members:
                assert one.stray is not None
                yield Evidence(
                    "tensor-unexpected",
                    place_of(one.key, one.boxes),
                    {
                        "tensors": one.tensors,
                        "elements": one.stray.layout.elements * one.tensors,
                        "bytes": one.stray.layout.bytes * one.tensors,
                        "shape": list(one.stray.layout.shape),
                        "dtype": one.stray.layout.dtype,
                        "names": names_in(one.key, one.boxes),
                    },
                )


def _part_of(case: Reconciled, key: str) -> str:
    """The shortest prefix of a key below which the card knows nothing; '' for a lone tensor."""
    known = {block.key for block in case.corrected.blocks}
    segments = key.split(".")
    for length in range(1, len(segments)):
        prefix = ".".join(segments[:length])
        if not any(other.startswith(f"{prefix}.") for other in known):
            return prefix
    return ".".join(segments[:-1])
