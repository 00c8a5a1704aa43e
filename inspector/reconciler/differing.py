"""Findings on missing, unexpected and mismatched tensors, one for each cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from inspector.algebra.boxes import Box, joined
from inspector.algebra.expression import show, words
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.notation.holes import bases
from inspector.notation.slots import scope_of
from inspector.notation.spelling import template
from inspector.reconciler.grouped import joined_findings
from inspector.reconciler.place import Placed
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, indices_in_words, names_in, place_name, place_of

if TYPE_CHECKING:
    from inspector.findings.shapes import Rearranged

Kind = TypeVar("Kind", bound="Rearranged")
POSITIONS: Final = "embed.position"
"""Role of the tables of positions, of an encoder and of a decoder for example."""


def differences(case: Reconciled, confidence: str) -> list[Finding]:
    """One finding for each cause of missing, unexpected or mismatched tensors."""
    if not case.placement.differences:
        return []
    from inspector.reconciler.missing import absent_and_unexpected

    found = [*_shapes(case, confidence), *absent_and_unexpected(case, confidence)]
    if case.placement.missing:
        from inspector.reconciler.listed_layers import with_listed_layers

        found = with_listed_layers(case, found)
        from inspector.reconciler.without_module import with_own_kind

        found = with_own_kind(case, found)
    if case.absent:
        from inspector.reconciler.renamed_usual import with_usual_parts

        found = with_usual_parts(case, found)
    return joined_findings(case, found)


def _shapes(case: Reconciled, confidence: str) -> Iterator[Finding]:
    mismatched = case.placement.mismatched
    if not mismatched:
        return
    from inspector.findings.shapes import BufferShapeDiffers, ShapeDiffers, StoredReshaped, StoredTransposed

    for turned, square in _turned(case, [one for one in mismatched if one.transposed]):
        found = _rearranged(StoredTransposed, case, turned, confidence)
        names = tuple(dict.fromkeys(family_name(one.block.key) for one in square))[:NAMES_SHOWN]
        exchanged = tuple(place_name(one.block.key, one.boxes) for one in turned) if _are_mirrored(turned) else ()
        yield replace(
            found, square=names, square_tensors=sum(one.tensors for one in square), exchanged=exchanged,
            place=place_of(turned[0].block.key, turned[0].boxes) if exchanged else found.place,
        )  # fmt: skip
    reshaped = [one for one in mismatched if one.reshaped]
    if reshaped:
        yield _rearranged(StoredReshaped, case, reshaped, confidence)
    for one in mismatched:
        if one.transposed or one.reshaped:
            continue
        block = one.block
        dims, because = _dims(case, one)
        kind = BufferShapeDiffers if one.computed else ShapeDiffers
        yield kind(
            place=place_of(block.key, one.boxes),
            stored=one.layout.shape,
            expected=block.shape,
            dims=dims,
            because=because,
            role=block.slot.role,
            dtype=one.layout.dtype,
            tensors=one.tensors,
            others=sum(other.tensors for other in case.placement.placed if other.block.key == block.key and other.fits),
            others_where=indices_in_words(block.key, _fitting(case, block.key)),
            names=tuple(names_in(block.key, one.boxes)),
            decided_alike=_decided_alike(case, one, because),
            confidence=confidence,
        )


def _decided_alike(case: Reconciled, one: Placed, because: tuple[str, ...]) -> tuple[str, ...]:
    """The fitting tables of positions whose dims follow from the same keys as those of a table with more rows."""
    slot, stored, expected = one.block.slot, one.layout.shape, one.block.shape
    if slot.role != POSITIONS or len(stored) != len(expected) or stored[1:] != expected[1:]:
        return ()
    if expected[0] is None or stored[0] <= expected[0]:
        return ()
    return tuple(
        family_name(other.block.key)
        for other in case.placement.placed
        if other.fits and other.block.slot.role == POSITIONS and _dims(case, other)[1] == because
    )


def _turned(case: Reconciled, turned: Sequence[Placed]) -> Iterator[tuple[list[Placed], list[Placed]]]:
    """Transposed matrices by cause, each with the square matrices that it includes: wholly transposed families share
    one cause; each other family has its own.

    If most matrices that can show it are transposed, a conversion did it, and all have one cause. It includes the
    square matrices of the same kinds of modules, whose shapes do not change.
    """
    fitting = [one for one in case.placement.placed if one.fits]
    if sum(one.tensors for one in turned) > sum(one.tensors for one in fitting if _has_sides(one)) and turned:
        kinds = {one.block.slot.kind.name for one in turned}
        yield list(turned), [one for one in fitting if one.block.slot.kind.name in kinds and _is_square(one)]
        return
    standing = {one.block.key for one in fitting}
    causes: dict[str, list[Placed]] = {}
    tensors = Counter[str]()
    for one in turned:
        tensors[one.block.key] += one.tensors
    for one in turned:
        whole = one.block.key not in standing and tensors[one.block.key] > 1
        causes.setdefault("" if whole else one.block.key, []).append(one)
    yield from ((found, []) for found in _with_mirrored(list(causes.values())))


def _with_mirrored(causes: Sequence[list[Placed]]) -> Iterator[list[Placed]]:
    """The causes, with two single tensors that have each other's shape as one."""
    left = list(causes)
    while left:
        first = left.pop(0)
        other = next((one for one in left if _are_mirrored([*first, *one])), None)
        if other is not None:
            left.remove(other)
        yield first if other is None else [*first, *other]


def _are_mirrored(turned: Sequence[Placed]) -> bool:
    """True for two matrices of the same layers that have each other's shape."""
    if len(turned) != 2 or turned[0].boxes != turned[1].boxes:
        return False
    one, other = turned
    parents = {tuple(part.block.key.split(".")[:-2]) for part in turned}
    exchanged = one.layout.shape == other.block.shape and other.layout.shape == one.block.shape
    return len(parents) == 1 and one.block.key != other.block.key and exchanged


def _has_sides(one: Placed) -> bool:
    shape = one.layout.shape
    return len(shape) in (2, 3) and shape[-1] != shape[-2]


def _is_square(one: Placed) -> bool:
    shape = one.layout.shape
    return len(shape) in (2, 3) and shape[-1] == shape[-2]


def _rearranged(kind: type[Kind], case: Reconciled, turned: Sequence[Placed], confidence: str) -> Kind:
    first = turned[0]
    boxes = joined(box for one in turned if one.block.key == first.block.key for box in one.boxes)
    dims, because = _dims(case, first)
    return kind(
        place=place_of(first.block.key, boxes) if len({one.block.key for one in turned}) == 1 else Place(),
        stored=first.layout.shape,
        expected=first.block.shape,
        dims=dims,
        because=because,
        role=first.block.slot.role,
        dtype=first.layout.dtype,
        families=tuple(dict.fromkeys(family_name(one.block.key) for one in turned))[:20],
        tensors=sum(one.tensors for one in turned),
        confidence=confidence,
    )


def _fitting(case: Reconciled, key: str) -> list[Box]:
    return [box for one in case.placement.placed if one.block.key == key and one.fits for box in one.boxes]


def _dims(case: Reconciled, one: Placed) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The dims of a tensor as expressions, and where the values of their symbols come from at its first index."""
    slot = one.block.slot
    scope = scope_of(case.corrected.scope, slot)
    symbols: dict[str, None] = {}
    for node in slot.dims:
        for path in words(node):
            symbols[".".join(path)] = None
    axes = zip(template(slot.path)[1], one.boxes[0] if one.boxes else (), strict=False)
    place = [(axis, span.first) for axis, span in axes if isinstance(axis, str)]
    with scope.at(place):
        because = [
            f"{name} = {scope.because(name)}" if name in scope.symbols else scope.because(name)
            for name in symbols
            if "." not in name
        ]
    for hole, index in place:
        for name in (hole, *bases(slot.definition, hole)):
            because = [text.replace(f"{{{name}}}", str(index)) for text in because]
    return tuple(show(node) for node in slot.dims), tuple(because)
