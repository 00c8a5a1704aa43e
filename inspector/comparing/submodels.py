"""A composite model against a file that holds one of its submodels, as llama.cpp stores text models."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from inspector.comparing.pieces import Identity, Piece, Side
from inspector.dialects.gguf import LLAMA_CPP, WRITER
from inspector.findings.conversion.relation import LeftOut
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.notation.roles import label

MAJORITY = 2
"""A submodel is the other side's model where it has more than one in so many of its roles."""


def as_submodel(side: Side, other: Side) -> Side:
    """The side with the identities of the submodel that the other side is, where that has no submodels itself."""
    wanted = {_what(piece.identity) for piece in other.parameters}
    if any(piece.identity.scope for piece in other.parameters) or not wanted:
        return side
    shared: Counter[tuple[str, ...]] = Counter()
    for scope, what in {(piece.identity.scope, _what(piece.identity)) for piece in side.parameters}:
        shared[scope] += bool(scope) and what in wanted
    scope, most = max(shared.items(), key=lambda one: one[1], default=((), 0))
    if MAJORITY * most <= len(wanted) or list(shared.values()).count(most) > 1:
        return side
    pieces = tuple(_without(piece, scope) for piece in side.parameters)
    return replace(side, parameters=pieces)


def without_left_out(before: Side, after: Side) -> tuple[Side, tuple[Finding, ...]]:
    """The source without what llama.cpp's file of this architecture has no place for, and the note on it.

    Heads of encoders and poolers are not needed for embeddings; towers of images and sound are in another file.
    """
    case = after.audited.case
    if case is None or case.reading.writer != WRITER:
        return before, ()
    expected = {(identity.scope, identity.role) for identity in after.expected}
    there = {piece.identity for piece in after.parameters}
    left = [one for one in before.parameters if one.identity not in there and _is_left_out(one, expected)]
    if not left:
        return before, ()
    chosen = {id(piece) for piece in left}
    kept = tuple(piece for piece in before.parameters if id(piece) not in chosen)
    note = LeftOut(
        roles=tuple(dict.fromkeys(label(piece.identity.role) for piece in left))[:NAMES_SHOWN],
        tensors=sum(piece.line.tensors for piece in left),
        parameters=sum(piece.parameters for piece in left),
        towers=tuple(dict.fromkeys(piece.identity.scope[0] for piece in left if piece.identity.scope)),
        writer=WRITER,
    )
    return replace(before, parameters=kept), (note,)


def _is_left_out(piece: Piece, expected: set[tuple[tuple[str, ...], str]]) -> bool:
    """Whether no tensor of the target's architecture is the piece, or one of its parts."""
    identity = piece.identity
    roles = (identity.role, *(term.role for term in piece.terms))
    if not identity.role or identity.role in LLAMA_CPP.omits:
        return bool(identity.role)
    return not any((identity.scope, role) in expected for role in roles)


def _without(piece: Piece, scope: tuple[str, ...]) -> Piece:
    own = piece.identity
    if own.scope[: len(scope)] != scope:
        return piece
    return replace(piece, identity=replace(own, scope=own.scope[len(scope) :], tower=""))


def _what(identity: Identity) -> tuple[str, str, tuple[str, ...]]:
    return identity.role, identity.tensor, identity.axes
