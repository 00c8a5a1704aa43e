"""Compares a composite model with a file that contains one of its submodels, as llama.cpp stores text models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.comparing.pieces import FusedPart, Identity, Piece, Side
from inspector.dialects.gguf import LLAMA_CPP, WRITER
from inspector.dialects.gguf_values import POSITION, POSITIONS_AFTER_PADDING
from inspector.findings.conversion.relation import LeftOut
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.findings.names.text_model import LeftOutByMlx
from inspector.notation.binding import module_of
from inspector.notation.roles import label

CLASSIFIER = "head.class"
"""Role of heads for classification and ranking, which llama.cpp stores."""
BEFORE_CLASSIFIER = "head.dense"
"""Role of the layer before such a head, and before a head for masked words, which llama.cpp does not store."""
TYPE = "embed.type"
"""Role of the embeddings of token types, which llama.cpp stores if the model has them."""
SHARED, ALONE, ROUTER = "mlp.shared.", "mlp.", "router"
"""Beginnings of the roles of a shared expert and of a plain MLP, and the role of the router."""
MAJORITY = 2
"""A submodel is the model of the other side if more than one in this many of its roles occur there. If two submodels
qualify, the one with more equal shapes is chosen.
"""


def as_submodel(side: Side, other: Side) -> Side:
    """The side with the identities of the submodel that the other side is, if the other side has no submodels."""
    wanted = {_what(piece.identity) for piece in other.parameters}
    if any(piece.identity.scope for piece in other.parameters) or not wanted:
        return side
    towers = not any(piece.identity.tower for piece in other.parameters)
    there = {(_place(piece.identity, towers), _what(piece.identity)) for piece in side.parameters}
    shapes = {(_what(piece.identity), piece.shape) for piece in other.parameters}
    alike = Counter(
        _place(one.identity, towers) for one in side.parameters if (_what(one.identity), one.shape) in shapes
    )
    shared = Counter(place for place, what in there if any(place) and what in wanted)
    ranked = sorted(((most, alike[place], place) for place, most in shared.items()), reverse=True)[:2]
    if not ranked or MAJORITY * ranked[0][0] <= len(wanted) or len({one[:2] for one in ranked}) < len(ranked):
        return side
    place = ranked[0][2]
    wanted.update(map(_what, other.expected))
    around = wanted - {what for other_place, what in there if other_place == place}
    pieces = tuple(_without(piece, *place, around) for piece in side.parameters)
    return replace(side, parameters=pieces)


def with_plain_mlp(side: Side, other: Side) -> Side:
    """The side with the roles of a plain MLP for a shared expert without other experts.

    Granite 4 without experts names its MLP in this way; llama.cpp uses Granite's architecture for it.
    """
    roles = {piece.identity.role for piece in side.parameters}
    if ROUTER in roles or not any(role.startswith(SHARED) for role in roles):
        return side
    if any(piece.identity.role.startswith(SHARED) for piece in other.parameters):
        return side
    return replace(side, parameters=tuple(map(_plain, side.parameters)))


def _plain(piece: Piece) -> Piece:
    """The piece of a shared expert as a piece of a plain MLP."""
    role = piece.identity.role
    if not role.startswith(SHARED):
        return piece
    terms = tuple(replace(term, role=term.role.replace(SHARED, ALONE, 1)) for term in piece.terms)
    identity = replace(piece.identity, role=role.replace(SHARED, ALONE, 1))
    return replace(piece, identity=identity, terms=terms)


def _place(identity: Identity, towers: bool) -> tuple[tuple[str, ...], str]:
    """The submodel of a piece: its path; its tower if the definition has no path."""
    return identity.scope, identity.tower if towers and not identity.scope else ""


def without_left_out(before: Side, after: Side) -> tuple[Side, tuple[Finding, ...]]:
    """The source without tensors that the program of the target's files leaves out, and the note on them."""
    case = after.audited.case
    if case is not None and case.reading.writer == WRITER:
        return _without_left_out_of_gguf(before, after)
    modules = {name for one in after.audited.findings if isinstance(one, LeftOutByMlx) for name in one.modules}
    if not modules:
        return before, ()
    left = [
        one for one in before.parameters if one.line.block is not None and module_of(one.line.block.slot) in modules
    ]
    return _split(before, left, [one for one in before.parameters if one not in left], "mlx-lm")


def _split(before: Side, left: Sequence[Piece], kept: Sequence[Piece], writer: str) -> tuple[Side, tuple[Finding, ...]]:
    """The source with the kept pieces alone, and the note on the others."""
    if not left:
        return before, ()
    towers = dict.fromkeys(piece.identity.scope[0] for piece in left if piece.identity.scope)
    note = LeftOut(
        roles=tuple(dict.fromkeys(label(piece.identity.role) for piece in left))[:NAMES_SHOWN],
        tensors=sum(piece.line.tensors for piece in left),
        parameters=sum(piece.parameters for piece in left),
        towers=tuple(towers) if writer == WRITER else (),
        writer=writer,
    )
    return replace(before, parameters=tuple(kept)), (note,)


def _without_left_out_of_gguf(before: Side, after: Side) -> tuple[Side, tuple[Finding, ...]]:
    """The source without tensors that llama.cpp's files of this architecture cannot store, and the note on them.

    Embeddings need neither the heads of encoders for masked words nor poolers; towers are in another file.
    """
    expected = {(identity.scope, identity.role) for identity in after.expected}
    there = {piece.identity for piece in after.parameters}
    classifies = any(one.identity.role == CLASSIFIER for one in after.parameters)
    stored = (CLASSIFIER, TYPE, BEFORE_CLASSIFIER) if classifies else (CLASSIFIER, TYPE)
    absent = [one for one in before.parameters if one.identity not in there and one.identity.role not in stored]
    left = [one for one in absent if _is_left_out(one, expected)]
    chosen = {id(piece) for piece in left}
    kept = []
    for piece in before.parameters:
        cut = _first_positions(piece, before.audited)
        if cut and any(one.identity == piece.identity and one.shape == cut[1].shape for one in after.parameters):
            left.append(cut[0])
            kept.append(cut[1])
        elif id(piece) not in chosen:
            kept.append(piece)
    return _split(before, left, kept, WRITER)


def _first_positions(piece: Piece, audited: Audit) -> tuple[Piece, Piece] | None:
    """The rows of position embeddings that llama.cpp leaves out, and the others; None if it leaves out none."""
    block, config = piece.line.block, audited.checkpoint.config
    if piece.identity.role != POSITION or block is None or config is None:
        return None
    padding, rows = config.values.get("pad_token_id"), piece.shape[0]
    if not POSITIONS_AFTER_PADDING.intersection(block.slot.definition.names) or type(padding) is not int:
        return None
    first = padding + 1
    if not 0 < first < rows:
        return None
    parts = [(0, first), (first, rows - first)]
    before, after = (
        replace(piece, shape=(size, *piece.shape[1:]), dims=(), part=FusedPart("positions", start, size))
        for start, size in parts
    )
    return before, after


def _is_left_out(piece: Piece, expected: set[tuple[tuple[str, ...], str]]) -> bool:
    """True if no tensor of the target's architecture is the piece or one of its parts."""
    identity = piece.identity
    roles = (identity.role, *(term.role for term in piece.terms))
    if not identity.role or identity.role in LLAMA_CPP.omits:
        return bool(identity.role)
    return not any((identity.scope, role) in expected for role in roles)


def _without(piece: Piece, scope: tuple[str, ...], tower: str, around: set[tuple[str, str, tuple[str, ...]]]) -> Piece:
    """The piece with the identity it has in the submodel alone. around: tensors of the enclosing models, such as a
    head.
    """
    own = piece.identity
    if scope and own.scope == scope[: len(own.scope)] and _what(own) in around:
        return replace(piece, identity=replace(own, scope=(), tower=""))
    if own.scope[: len(scope)] != scope or (tower and own.tower != tower):
        return piece
    return replace(piece, identity=replace(own, scope=own.scope[len(scope) :], tower=""))


def _what(identity: Identity) -> tuple[str, str, tuple[str, ...]]:
    return identity.role, identity.tensor, identity.axes
