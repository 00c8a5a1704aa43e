"""The ledger of a conversion: the part of each source piece that is in each target piece.

source = carried + dropped and target = carried + added for any two sides: every parameter of
either side is in exactly one record.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from inspector.algebra.boxes import Box, common, count, minus, tuples
from inspector.comparing.pairing import Pairs
from inspector.comparing.pieces import FusedPart, Identity, Piece
from inspector.comparing.shapes import Fit, fit


class LogicalTensor(Struct, frozen=True):
    """The position of one logical tensor on a side: the name of its stored tensor, and its part of it.

    index: the position on the stacked axis; None if the tensor is not stacked. part: rows of a fused matrix, None for
    all rows. transposed: stored inputs before outputs.
    """

    name: str
    index: int | None
    part: FusedPart | None
    transposed: bool


class Carried(Struct, frozen=True):
    """Tensors on both sides: indices of one identity, and their conversion."""

    identity: Identity
    boxes: tuple[Box, ...]
    source: Piece
    target: Piece
    fit: Fit
    steps: tuple[str, ...]

    @property
    def tensors(self) -> int:
        """Number of logical tensors."""
        return count(self.boxes)

    @property
    def parameters(self) -> int:
        """Parameters that are in the target."""
        return self.fit.carried * self.tensors

    @property
    def dropped(self) -> int:
        """Parameters of these tensors that are not in the target."""
        return (self.source.elements - self.fit.carried) * self.tensors

    @property
    def invented(self) -> int:
        """Parameters of these tensors that do not come from the source."""
        return (self.target.elements - self.fit.carried) * self.tensors

    def each(self) -> Iterator[tuple[tuple[int, ...], LogicalTensor, LogicalTensor]]:
        """(indices, tensor of the source, tensor of the target) one by one, by canonical names, computed lazily."""
        for index in self.indices():
            yield index, tensor_at(self.source, index), tensor_at(self.target, index)

    def indices(self) -> Iterator[tuple[int, ...]]:
        """The indices one by one, computed lazily."""
        for box in self.boxes:
            yield from tuples(box)


class OneSidedTensors(Struct, frozen=True):
    """Tensors that only one side has."""

    piece: Piece
    boxes: tuple[Box, ...]

    @property
    def parameters(self) -> int:
        """Logical elements of these tensors."""
        return count(self.boxes) * self.piece.elements

    def indices(self) -> Iterator[tuple[int, ...]]:
        """The indices one by one, computed lazily."""
        for box in self.boxes:
            yield from tuples(box)


class Tally(Struct, frozen=True):
    """Every parameter of both sides: carried over with its change, dropped, or added."""

    carried: tuple[Carried, ...]
    dropped: tuple[OneSidedTensors, ...]
    invented: tuple[OneSidedTensors, ...]

    @property
    def is_complete(self) -> bool:
        """True if every parameter of both sides is carried over."""
        return not (self.dropped or self.invented or any(one.dropped or one.invented for one in self.carried))


def tally(pairs: Pairs) -> Tally:
    """Compares the pieces of the source with those of the target, identity by identity."""
    carried: list[Carried] = []
    dropped: list[OneSidedTensors] = []
    invented: list[OneSidedTensors] = []
    for identity in pairs.identities:
        rest = [(piece, piece.boxes) for piece in pairs.target.get(identity, ())]
        for piece in pairs.source.get(identity, ()):
            left = piece.boxes
            for position, (other, boxes) in enumerate(rest):
                matched = _matched(left, boxes)
                if matched:
                    carried.append(_carried(identity, matched, piece, other))
                    left, boxes = minus(left, matched), minus(boxes, matched)
                    rest[position] = (other, boxes)
            if left:
                dropped.append(OneSidedTensors(piece, left))
        invented.extend(OneSidedTensors(piece, boxes) for piece, boxes in rest if boxes)
    return Tally(tuple(carried), tuple(dropped), tuple(invented))


def _matched(one: tuple[Box, ...], other: tuple[Box, ...]) -> tuple[Box, ...]:
    return tuple(matched for a in one for b in other if (matched := common(a, b)) is not None)


def _carried(identity: Identity, boxes: tuple[Box, ...], source: Piece, target: Piece) -> Carried:
    found = _fit(source, target)
    return Carried(identity, boxes, source, target, found, tuple(_steps(source, target, found)))


def _fit(source: Piece, target: Piece) -> Fit:
    """The fit of two shapes. If a packing does not determine its shape, any admissible shape counts."""
    found = fit(source.shape, target.shape)
    for piece, other in ((source, target), (target, source)):
        packed = piece.line.packed
        if (
            not found.whole
            and packed is not None
            and not packed.exact
            and packed.admits(other.shape, piece.line.layout)
        ):
            return Fit("", min(source.elements, target.elements))
    return found


def _steps(source: Piece, target: Piece, found: Fit) -> Iterator[str]:
    """The steps of the conversion, in the order in which a converter performs them; "same" for a plain copy."""
    steps = list(_changes(source, target, found))
    yield from steps or ["same"]


def _changes(source: Piece, target: Piece, found: Fit) -> Iterator[str]:
    if source.part is not None and target.part is None:
        yield "split"
    elif target.part is not None and source.part is None:
        yield "interleaved" if (target.part.groups or 1) > 1 else "concatenated"
    elif None not in (source.groups, target.groups) and source.part != target.part:
        yield "reordered"
    if source.stacked != target.stacked:
        yield "stacked" if target.stacked else "unstacked"
    if (source.transposed != target.transposed) != (found.step == "transposed") and len(source.shape) > 1:
        yield "transposed"
    shapeless = any(_shapeless(piece) for piece in (source, target))
    if found.step in ("padded", "cut") or (found.step == "reshaped" and not shapeless):
        yield found.step
    if source.storage != target.storage:
        yield _retyping(source, target)


def _shapeless(piece: Piece) -> bool:
    return piece.line.packed is not None and not piece.line.packed.shaped


def _retyping(source: Piece, target: Piece) -> str:
    if source.line.packed is None:
        return "retyped" if target.line.packed is None else "packed"
    return "unpacked" if target.line.packed is None else "repacked"


def tensor_at(piece: Piece, index: tuple[int, ...]) -> LogicalTensor:
    """The position of a piece's tensor at an index."""
    inner = index[:-1] if piece.stacked else index
    return LogicalTensor(piece.name_at(inner), index[-1] if piece.stacked else None, piece.part, piece.transposed)
