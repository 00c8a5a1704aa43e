"""What a side stores, by what it is for: pieces with an identity, an index set and a logical shape.

A piece is a line of a ledger as the architecture means it: its role instead of its name, its layers and
experts instead of its numbers, outputs before inputs instead of the stored order. Experts stacked in one
tensor are a piece over the axis of the experts; the parts of a fused matrix can be taken apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, count
from inspector.algebra.expression import Node, words
from inspector.algebra.names import name_of
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import nouns_of

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

VOCABULARY = "V"
"""The symbol that every definition uses for the rows of a vocabulary."""


class Identity(Struct, frozen=True):
    """What a tensor is for, whatever its name: equal on both sides of a conversion.

    component: the folder of a pipeline, or an extra component. scope: the submodels it is below. tensor:
    "weight", "bias" or another suffix. axes: what its indices count, by the definitions' symbols. place: the
    row's path, only where the rest does not tell two rows apart; the family where no definition reads the names.
    """

    component: str
    scope: tuple[str, ...]
    tower: str
    role: str
    tensor: str
    axes: tuple[str, ...] = ()
    place: str = ""


class FusedPart(Struct, frozen=True):
    """Where a piece is in the stored tensor it is a part of. Dims are the piece's: outputs before inputs.

    start, size: rows; of groups > 1 they are rows of each group, which has stride rows. groups None: whether
    the parts alternate is not known.
    """

    pack: str
    start: int
    size: int
    groups: int | None = 1
    stride: int = 0


class Term(Struct, frozen=True):
    """One matrix of a fused one: its name, its role, its rows where they are known, and their expression."""

    pack: str
    role: str
    rows: int | None
    node: Node


class Piece(Struct, frozen=True):
    """Stored tensors of one line as the architecture means them.

    boxes, nouns: over the identity's axes. shape: of one of them, logical, outputs before inputs.
    dims: the expression of each dim where a definition has one. turned: stored inputs before outputs.
    stacked: the last axis is a dim of the stored tensor. terms: the parts of a fused matrix. groups: how
    many times the parts alternate. part: where it is in a fused tensor. order: the position of each axis
    among the numbers of the stored name, and the numbers that are not an axis.
    """

    identity: Identity
    boxes: tuple[Box, ...]
    nouns: tuple[str, ...]
    shape: tuple[int, ...]
    dims: tuple[Node, ...]
    line: Line
    row: str = ""
    turned: bool = False
    stacked: bool = False
    terms: tuple[Term, ...] = ()
    groups: int | None = 1
    part: FusedPart | None = None
    order: tuple[int | None, ...] = ()

    @property
    def elements(self) -> int:
        """Logical elements of one of them."""
        return prod(self.shape)

    @property
    def parameters(self) -> int:
        """Logical elements of all of them."""
        return count(self.boxes) * self.elements

    @property
    def storage(self) -> str:
        """The dtype, or the packing."""
        packed = self.line.packed
        return self.line.layout.dtype if packed is None else packed.scheme.removeprefix("gguf ")

    def name_at(self, index: Sequence[int]) -> str:
        """The canonical name of the tensor that holds the piece at an index of its axes."""
        given = dict(enumerate(index))
        literal = iter([span.first for span, axis in zip(self.line.boxes[0], self.order, strict=True) if axis is None])
        return name_of(self.line.family, tuple(next(literal) if axis is None else given[axis] for axis in self.order))


class Side(Struct, frozen=True):
    """All pieces of an audit. `expected`: identity -> the families in which its definition looks for it."""

    audited: Audit
    parameters: tuple[Piece, ...]
    extra: tuple[Piece, ...]
    copies: tuple[Piece, ...]
    buffers: tuple[Piece, ...]
    unexpected: tuple[Piece, ...]
    expected: dict[Identity, list[str]]


def as_stored(piece: Piece) -> Piece:
    """The piece by its name alone: the indices and the shape as the family has them."""
    line = piece.line
    axes = tuple(str(position) for position in range(len(line.boxes[0])))
    identity = replace(piece.identity, axes=axes, place=line.family)
    return Piece(
        identity, line.boxes, tuple(nouns_of(line.family)), line.layout.shape, (), line, order=tuple(range(len(axes)))
    )


LONG = {"q": "query", "k": "key", "v": "value", "dt": "step"}
"""Packs that definitions abbreviate."""


def part_roles(role: str, packs: Sequence[str]) -> list[str]:
    """The roles of a fused matrix's parts: `attention.qkv` of q, k, v is attention.query, .key and .value.

    A pack with a dot is a role itself; the parts of `mlp.gate_up` may be in either order. Where the role's last word
    is not made of its parts, a part of that name is the role and the others are its siblings, or below it where none
    has its name.
    """
    parts = [LONG.get(pack, pack) for pack in packs]
    head, _, last = role.rpartition(".")
    initials = "".join(sorted(part[0] for part in parts))
    plain = "".join(pack for pack in packs if "." not in pack)
    fused = last == plain or sorted(last.split("_")) == sorted(parts) or "".join(sorted(last)) == initials
    fused = fused or last.startswith(f"{plain}_")
    before = f"{head}." if head else ""
    beside = fused or last in parts
    return [
        pack if "." in pack else f"{before}{part}" if beside else f"{role}.{part}"
        for pack, part in zip(packs, parts, strict=True)
    ]


def taken_apart(piece: Piece, sizes: Sequence[int]) -> Iterator[Piece]:
    """The parts of a fused piece, each with its rows and their position."""
    groups = piece.groups or 1
    start, stride = 0, sum(sizes) // groups
    for term, size in zip(piece.terms, sizes, strict=True):
        per_group = size // groups
        part = FusedPart(term.pack, start, per_group, piece.groups, stride if groups > 1 else 0)
        dims = (term.node, *piece.dims[1:]) if piece.dims and groups == 1 else ()
        yield replace(
            piece,
            identity=replace(piece.identity, role=term.role),
            shape=(size, *piece.shape[1:]),
            dims=dims,
            terms=(),
            part=part,
        )
        start += per_group


def is_vocabulary(piece: Piece, axis: int) -> bool:
    """Whether a dim counts the words of a vocabulary."""
    return axis < len(piece.dims) and any(path[-1] == VOCABULARY for path in words(piece.dims[axis]))
