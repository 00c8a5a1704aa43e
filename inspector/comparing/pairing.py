"""Pairs the pieces of two sides: by identity, by the parts of fused matrices, by position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import common
from inspector.algebra.span import Span
from inspector.comparing.pieces import Identity, Piece, as_stored, split_parts
from inspector.comparing.shapes import split

Pieces = dict[Identity, list[Piece]]


class Pairs(Struct, frozen=True):
    """The pieces of both sides under common identities. undecided: fused rows with a split that neither side shows."""

    source: Mapping[Identity, list[Piece]]
    target: Mapping[Identity, list[Piece]]
    undecided: tuple[str, ...] = ()

    @property
    def identities(self) -> list[Identity]:
        """All identities, the source's first."""
        return list(dict.fromkeys((*self.source, *self.target)))


def pair(source: Iterable[Piece], target: Iterable[Piece]) -> Pairs:
    """Gives corresponding pieces of two sides the same identity.

    Fused matrices are split if the other side has their parts.
    """
    left, right = list(source), list(target)
    doubled = _doubled(left) | _doubled(right)
    one, other = _gathered(left, doubled), _gathered(right, doubled)
    undecided: list[str] = []
    apart = _apart(one, other, undecided), _apart(other, one, undecided)
    one, other = apart
    _by_name(one, other)
    _by_name(other, one)
    _adopt(one, other)
    return Pairs(one, other, tuple(dict.fromkeys(undecided)))


def _doubled(pieces: Sequence[Piece]) -> set[Identity]:
    """Identities that two rows of one side share at the same indices."""
    rows: dict[Identity, list[Piece]] = {}
    for piece in pieces:
        rows.setdefault(piece.identity, []).append(piece)
    return {
        identity
        for identity, found in rows.items()
        if len({piece.row for piece in found}) > 1
        and any(
            one.row != other.row and _meet(one, other)
            for position, one in enumerate(found)
            for other in found[position + 1 :]
        )
    }


def _meet(one: Piece, other: Piece) -> bool:
    return any(common(a, b) is not None for a in one.boxes for b in other.boxes)


def _gathered(pieces: Iterable[Piece], doubled: set[Identity]) -> Pieces:
    found: Pieces = {}
    for piece in pieces:
        if piece.identity in doubled:
            piece = replace(piece, identity=replace(piece.identity, place=piece.row))
        found.setdefault(piece.identity, []).append(piece)
    return found


def _apart(own: Pieces, others: Pieces, undecided: list[str]) -> Pieces:
    """One side with its fused pieces split if the other side stores their parts or fuses them differently."""
    found: Pieces = {}
    there = _all_parts(others)
    for pieces in own.values():
        for piece in pieces:
            parts = _parts(piece, others, there, undecided) if piece.terms else None
            for one in parts or (piece,):
                found.setdefault(one.identity, []).append(one)
    return found


def _parts(
    piece: Piece, others: Pieces, there: Mapping[Identity, int | None], undecided: list[str]
) -> list[Piece] | None:
    wanted = [replace(piece.identity, role=term.role) for term in piece.terms]
    same = others.get(piece.identity, ())
    if same and all(_alike(piece, other) for other in same):
        return None
    if not any(identity in there for identity in wanted if identity != piece.identity):
        return None
    known, others_rows = [term.rows for term in piece.terms], [there.get(one) for one in wanted]
    piece = _upright(piece, known, others_rows)
    sizes = split(piece.shape[0], known, others_rows)
    if sizes is None:
        return None
    if any(term.rows is None for term in piece.terms):
        undecided.append(piece.identity.role)
    return list(split_parts(piece, sizes))


def _upright(piece: Piece, sizes: Sequence[int | None], others: Sequence[int | None]) -> Piece:
    """The piece, transposed if it is a fused matrix that is stored transposed relative to its definition."""
    wanted = sum(own or other or 0 for own, other in zip(sizes, others, strict=True))
    if len(piece.shape) != 2 or piece.shape[0] == wanted or piece.shape[1] != wanted:
        return piece
    return replace(piece, shape=piece.shape[::-1], transposed=not piece.transposed)


def _alike(one: Piece, other: Piece) -> bool:
    """True if two fused pieces contain the same parts in the same order."""
    return [term.role for term in one.terms] == [term.role for term in other.terms] and one.groups == other.groups


def _all_parts(pieces: Pieces) -> Mapping[Identity, int | None]:
    """Identity -> rows of one tensor; fused tensors are listed by their parts."""
    found: dict[Identity, int | None] = {}
    for identity, members in pieces.items():
        usual = Counter(piece.shape for piece in members for _ in piece.boxes).most_common(1)[0][0]
        found.setdefault(identity, usual[0] if usual else None)
        for term in members[0].terms:
            found.setdefault(replace(identity, role=term.role), term.rows)
    return found


Naming = Callable[[Identity, Piece], Hashable]
FALLBACKS: tuple[Naming, ...] = (
    lambda identity, piece: (identity.component, identity.scope, identity.tower, _what(identity), len(identity.axes)),
    lambda identity, piece: (piece.row, identity.tensor, len(identity.axes)) if piece.row else None,
    lambda identity, piece: (_what(identity), len(identity.axes)) if identity.role else None,
    lambda identity, piece: _what(identity) if identity.role else None,
)
"""Ways to name a piece by which unpaired pieces may be paired, the strictest first. Only unique names count."""


def _what(identity: Identity) -> tuple[str, str]:
    return identity.role or identity.place, identity.tensor


def _adopt(source: Pieces, target: Pieces) -> None:
    """Gives pieces of the target the identity of their counterpart in the source."""
    for naming in FALLBACKS:
        left = {one: source[one] for one in source if one not in target}
        right = {one for one in target if one not in source}
        if not left or not right:
            return
        one = _named(naming, left)
        other = _named(naming, {identity: target[identity] for identity in right})
        for name, identity in other.items():
            partner = one.get(name)
            if partner is not None and len(identity.axes) == len(partner.axes):
                target[partner] = [replace(piece, identity=partner) for piece in target.pop(identity)]
            elif partner is not None and (pieces := _unstacked(target[identity], source[partner])):
                del target[identity]
                target[partner] = pieces
            elif partner is not None and (pieces := _unstacked(source[partner], target[identity])):
                source[identity] = pieces
                del source[partner]


def _by_name(own: Pieces, others: Pieces) -> None:
    """Gives pieces the name of a counterpart that no definition of the other side knows."""
    _as_read(own, others)
    unread = {identity.place: identity for identity in others if identity not in own and not _is_read(identity)}
    for identity in [identity for identity in own if unread and identity not in others and _is_read(identity)]:
        kept: list[Piece] = []
        for piece in own.pop(identity):
            wanted = unread.get(piece.line.family)
            if wanted is None or piece.part is not None:
                kept.append(piece)
            else:
                own.setdefault(wanted, []).append(replace(as_stored(piece), identity=wanted))
        if kept:
            own[identity] = kept


def _as_read(own: Pieces, others: Pieces) -> None:
    """Gives pieces without a definition the identity of their family on the other side, if it is unambiguous."""
    families: dict[str, dict[Identity, Piece]] = {}
    for identity, pieces in own.items():
        for piece in pieces:
            families.setdefault(piece.line.family, {})[identity] = piece
    for identity in [identity for identity in others if not _is_read(identity) and identity not in own]:
        readers = families.get(identity.place, {})
        if len(readers) != 1:
            continue
        read, model = next(iter(readers.items()))
        plain = not (model.stacked or model.transposed or model.part is not None)
        if plain and _is_read(read) and read not in others and len(read.axes) == len(identity.axes):
            pieces = others.pop(identity)
            others[read] = [replace(one, identity=read, nouns=model.nouns, dims=model.dims) for one in pieces]


def _is_read(identity: Identity) -> bool:
    """True if a definition gives the tensor a role."""
    return bool(identity.role)


def _named(naming: Naming, pieces: Pieces) -> dict[Hashable, Identity]:
    """Names that belong to exactly one identity."""
    names: dict[Hashable, list[Identity]] = {}
    for identity, members in pieces.items():
        name = naming(identity, members[0])
        if name is not None:
            names.setdefault(name, []).append(identity)
    return {name: found[0] for name, found in names.items() if len(found) == 1}


def _unstacked(stacks: Sequence[Piece], singles: Sequence[Piece]) -> list[Piece] | None:
    """Splits pieces along a leading dim that is the last axis of the other side; None if there are none."""
    model = singles[0]
    if any(len(piece.identity.axes) + 1 != len(model.identity.axes) or piece.stacked for piece in stacks):
        return None
    if any(len(piece.shape) != len(model.shape) + 1 for piece in stacks):
        return None
    return [
        replace(
            piece,
            identity=model.identity,
            nouns=model.nouns,
            boxes=tuple((*box, Span.range(0, piece.shape[0])) for box in piece.boxes),
            shape=piece.shape[1:],
            dims=piece.dims[1:],
            stacked=True,
        )
        for piece in stacks
    ]
