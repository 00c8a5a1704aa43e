"""The stored tensors of a side by role: pieces with an identity, an index set and a logical shape.

A piece is a ledger line in terms of the architecture: with its role instead of its name, layers and experts instead of
indices, and outputs before inputs instead of the stored order. Experts that are stacked in one tensor form a piece over
the axis of the experts. The parts of a fused matrix can be split.
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
from inspector.dialects.language import JOINED
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import nouns_of

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

VOCABULARY = "V"
"""The symbol that every definition uses for the rows of the vocabulary."""
LAYER_EMBEDDING = "embed.layer"
"""The role of Gemma's per-layer embeddings, which have a separate vocabulary."""


class Identity(Struct, frozen=True):
    """Identifies a tensor by its role, independent of its name: equal on both sides of a conversion.

    component: the folder of a pipeline, or an extra component. scope: the path of its submodel. tensor: "weight",
    "bias" or another suffix. axes: what its indices count, as symbols of the definition. place: the path of the row,
    only if the other fields do not distinguish two rows; the family if there is no definition.
    """

    component: str
    scope: tuple[str, ...]
    tower: str
    role: str
    tensor: str
    axes: tuple[str, ...] = ()
    place: str = ""


class FusedPart(Struct, frozen=True):
    """The position of a piece in its stored tensor. Dims are those of the piece: outputs before inputs.

    start, size: in rows; if groups > 1, in rows of each group, which has `stride` rows. groups None: it is unknown
    whether the parts alternate.
    """

    pack: str
    start: int
    size: int
    groups: int | None = 1
    stride: int = 0


class Term(Struct, frozen=True):
    """One part of a fused matrix: its name, its role, its rows if known, and their expression."""

    pack: str
    role: str
    rows: int | None
    node: Node


class Piece(Struct, frozen=True):
    """Stored tensors of one line in terms of the architecture.

    boxes, nouns: for the axes of the identity. shape: logical shape of one tensor, outputs before inputs. dims: the
    expression of each dim if a definition has one. transposed: stored inputs before outputs. stacked: the last axis is
    a dim of the stored tensor. terms: the parts of a fused matrix. groups: how many times the parts alternate. part:
    its position in a fused tensor. order: the axis of each number in the stored name; None for numbers that are not
    axes.
    """

    identity: Identity
    boxes: tuple[Box, ...]
    nouns: tuple[str, ...]
    shape: tuple[int, ...]
    dims: tuple[Node, ...]
    line: Line
    row: str = ""
    transposed: bool = False
    stacked: bool = False
    terms: tuple[Term, ...] = ()
    groups: int | None = 1
    part: FusedPart | None = None
    order: tuple[int | None, ...] = ()

    @property
    def elements(self) -> int:
        """Logical elements of one tensor."""
        return prod(self.shape)

    @property
    def parameters(self) -> int:
        """Logical elements of all tensors."""
        return count(self.boxes) * self.elements

    @property
    def storage(self) -> str:
        """The dtype, or the quantization scheme."""
        packed = self.line.packed
        return self.line.layout.dtype if packed is None else packed.scheme.removeprefix("gguf ")

    def name_at(self, index: Sequence[int]) -> str:
        """The canonical name of the tensor that contains the piece at an index of its axes."""
        given = dict(enumerate(index))
        literal = iter([span.first for span, axis in zip(self.line.boxes[0], self.order, strict=True) if axis is None])
        return name_of(self.line.family, tuple(next(literal) if axis is None else given[axis] for axis in self.order))


class Side(Struct, frozen=True):
    """All pieces of an audit. `expected`: identity -> the families in which its definition expects it."""

    audited: Audit
    parameters: tuple[Piece, ...]
    extra: tuple[Piece, ...]
    copies: tuple[Piece, ...]
    buffers: tuple[Piece, ...]
    unexpected: tuple[Piece, ...]
    expected: dict[Identity, list[str]]


def as_stored(piece: Piece) -> Piece:
    """The piece with its name as identity, and with the indices and shape of the family."""
    line = piece.line
    axes = tuple(str(position) for position in range(len(line.boxes[0])))
    identity = replace(piece.identity, axes=axes, place=line.family)
    return Piece(
        identity, line.boxes, tuple(nouns_of(line.family)), line.layout.shape, (), line, order=tuple(range(len(axes)))
    )


LONG = {"q": "query", "k": "key", "v": "value", "dt": "step"}
"""Names of fused parts that definitions abbreviate."""


def part_roles(role: str, packs: Sequence[str]) -> list[str]:
    """The roles of the parts of a fused matrix: `attention.qkv` of q, k, v is attention.query, .key and .value.

    A part with a dot is a role itself. The parts of `mlp.gate_up` may be in either order. If the last word of the role
    is not made of its parts, a part with that name is the role itself and the others are its siblings; if no part has
    that name, the parts are below the role. A writer's names for the parts take precedence.
    """
    parts = [LONG.get(pack, pack) for pack in packs]
    joined = {LONG.get(pack, pack): own for own, pack in JOINED.get(role, {}).items()}
    if joined.keys() == set(parts):
        return [joined[part] for part in parts]
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


def split_parts(piece: Piece, sizes: Sequence[int]) -> Iterator[Piece]:
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
    """True if a dim is the size of a vocabulary."""
    if axis >= len(piece.dims):
        return False
    own = piece.identity.role == LAYER_EMBEDDING and axis == 0
    return own or any(path[-1] == VOCABULARY for path in words(piece.dims[axis]))
