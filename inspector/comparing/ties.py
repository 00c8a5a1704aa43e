"""Resolves tied copies (such as heads) before two sides are compared: tensors that are stored twice count once.

A stored tensor that may be tied is a separate parameter only on evidence: the config, the
format (a GGUF file has `output.weight` only for an untied head), or the other side, which has it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.expression import parse
from inspector.algebra.values import truth
from inspector.comparing.pieces import Identity, Piece, Side, as_stored
from inspector.notation.roles import label
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings

if TYPE_CHECKING:
    from inspector.auditing.result import Audit


class TiedCopy(Struct, frozen=True):
    """A tensor treated as a copy. shared: the file states it; otherwise nothing contradicts it."""

    role: str
    of: str
    parameters: int
    side: str
    shared: bool


def settled(source: Side, target: Side) -> tuple[Side, Side, tuple[TiedCopy, ...]]:
    """Both sides without copies that only one side stores.

    On a side without a definition, tensors that the other side knows as buffers or copies are treated alike. On a side
    without a config, a tensor beyond its class is a parameter if it is one on the other side.
    """
    source, target = _reported_by_other(source, target), _reported_by_other(target, source)
    source, target = _recognised(source, target), _recognised(target, source)
    left = list(_copies(source, target, "source"))
    right = list(_copies(target, source, "target"))
    return (
        _without(source, [piece for piece, _ in left]),
        _without(target, [piece for piece, _ in right]),
        tuple(taken for _, taken in (*left, *right)),
    )


def _reported_by_other(own: Side, other: Side) -> Side:
    buffers = {piece.line.family for piece in other.buffers}
    copies = {piece.line.family for piece in other.copies}
    unread = [piece for piece in own.parameters if not piece.identity.role]
    aside = {id(piece) for piece in unread if piece.line.family in buffers | copies}
    if not aside:
        return own
    return replace(
        own,
        parameters=tuple(piece for piece in own.parameters if id(piece) not in aside),
        buffers=(*own.buffers, *(piece for piece in unread if piece.line.family in buffers)),
        copies=(*own.copies, *(piece for piece in unread if piece.line.family in copies)),
    )


def _recognised(own: Side, other: Side) -> Side:
    case = own.audited.case
    if not own.unexpected or case is None or not case.solved:
        return own
    known = {piece.line.family for piece in other.parameters}
    found = [piece for piece in own.unexpected if piece.line.family in known]
    if not found:
        return own
    chosen = {id(piece) for piece in found}
    named = tuple(replace(piece, identity=replace(piece.identity, role="")) for piece in map(as_stored, found))
    rest = tuple(piece for piece in own.unexpected if id(piece) not in chosen)
    return replace(own, parameters=(*own.parameters, *named), unexpected=rest)


def _without(side: Side, copies: Sequence[Piece]) -> Side:
    if not copies:
        return side
    chosen = {id(piece) for piece in copies}
    rest = tuple(piece for piece in side.parameters if id(piece) not in chosen)
    return replace(side, parameters=rest, copies=(*side.copies, *copies))


def _copies(own: Side, other: Side, name: str) -> Iterator[tuple[Piece, TiedCopy]]:
    there = {_plain(piece.identity) for piece in other.parameters}
    for piece in own.parameters:
        block = piece.line.block
        if block is None or not block.slot.tied or block.tie is not None or piece.line.kind != "parameter":
            continue
        if _plain(piece.identity) in there:
            continue
        shared = _shares(own.audited, piece)
        if not shared and (_said(own.audited) or is_untied(other.audited) or is_unsettled(own, other, piece)):
            continue
        of = block.slot.tied.partition(":")[2]
        yield piece, TiedCopy(piece.identity.role, label(of), piece.parameters, name, shared)


def is_unsettled(own: Side, other: Side, piece: Piece) -> bool:
    """True if it is unknown whether a tensor is a copy, and the class does not tie it by default.

    The tensor then counts as a parameter, as in the audit of its side. That a format omits copies proves nothing, since
    a lost tensor would be absent too.
    """
    block, case = piece.line.block, own.audited.case
    if block is None or case is None or not block.slot.tied or not case.solved or _shares(own.audited, piece):
        return False
    if _configured(other.audited):
        return False
    definition = block.slot.definition
    silent = Scope(definition, Settings({}), case.corrected.scope.lookup)
    return not truth(silent.evaluate(parse(definition.ties)))


def _configured(audited: Audit) -> bool:
    """True if a config file states what is tied, as opposed to a config made of the keys of a weight file."""
    config = audited.checkpoint.config
    return _said(audited) and config is not None and config.file not in {one.name for one in audited.checkpoint.files}


def _plain(identity: Identity) -> tuple[str, str]:
    return identity.role, identity.tensor


def _said(audited: Audit) -> bool:
    """True if the config of the side, or its format, states what is tied."""
    return audited.checkpoint.config is not None and audited.case is not None and not audited.case.solved


def is_untied(audited: Audit) -> bool:
    """True if the config of the side states that nothing is tied."""
    case = audited.case
    if not _said(audited) or case is None:
        return False
    return not any(block.tie is not None for block in case.corrected.blocks)


def _shares(audited: Audit, piece: Piece) -> bool:
    """True if the file states that the tensor shares its storage with another tensor."""
    if not audited.checkpoint.ties or any(span.size != 1 for box in piece.boxes for span in box):
        return False
    name = piece.name_at(tuple(span.first for span in piece.boxes[0]))
    return any(name in group for group in audited.checkpoint.ties)
