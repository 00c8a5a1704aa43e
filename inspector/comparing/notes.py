"""Notes on a conversion that loses no parameter: fewer bits, dropped buffers, extra components, ties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.comparing.pieces import Piece, Side
from inspector.comparing.tally import Tally
from inspector.comparing.ties import TiedCopy
from inspector.findings.conversion.relation import BuffersDiffer, ComponentDiffers, PrecisionReduced, TakenAsTied
from inspector.findings.finding import Finding
from inspector.loader.dtype import BITS
from inspector.notation.roles import label
from inspector.reconciler.wording import family_name


def notes(source: Side, target: Side, found: Tally, copies: Sequence[TiedCopy]) -> Iterator[Finding]:
    """The notes on a conversion."""
    yield from _precision(found)
    yield from _buffers(source, target)
    yield from _components(source, target)
    for taken in copies:
        if not taken.shared:
            yield TakenAsTied(
                role=label(taken.role), of=taken.of, parameters=taken.parameters, side=taken.side, confidence="likely"
            )


def bits_of(piece: Piece) -> float | None:
    """Bits of one stored value; None if unknown."""
    packed = piece.line.packed
    if packed is not None:
        return packed.bits if packed.known else None
    return BITS.get(piece.line.layout.dtype)


def _precision(found: Tally) -> Iterator[Finding]:
    changes: dict[str, int] = {}
    for one in found.carried:
        before, after = bits_of(one.source), bits_of(one.target)
        if before is not None and after is not None and after < before:
            change = f"{one.source.storage} → {one.target.storage}"
            changes[change] = changes.get(change, 0) + one.parameters
    if changes:
        total = sum(one.parameters for one in found.carried)
        yield PrecisionReduced(changes=changes, parameters=sum(changes.values()), carried=total)


def _buffers(source: Side, target: Side) -> Iterator[Finding]:
    before, after = _by_role(source.buffers), _by_role(target.buffers)
    left = {role: elements for role, elements in before.items() if role not in after}
    added = {role: elements for role, elements in after.items() if role not in before}
    if left or added:
        yield BuffersDiffer(left=left, added=added)


def _by_role(pieces: Sequence[Piece]) -> dict[str, int]:
    found: dict[str, int] = {}
    for piece in pieces:
        role = label(piece.identity.role) if piece.identity.role else family_name(piece.line.family)
        found[role] = found.get(role, 0) + piece.line.elements
    return found


def _components(source: Side, target: Side) -> Iterator[Finding]:
    before, after = _by_component(source), _by_component(target)
    for name in dict.fromkeys((*before, *after)):
        if before.get(name, 0) != after.get(name, 0):
            yield ComponentDiffers(component=name, source=before.get(name, 0), target=after.get(name, 0))


def _by_component(side: Side) -> dict[str, int]:
    found: dict[str, int] = {}
    for piece in side.extra:
        name = piece.line.component
        found[name] = found.get(name, 0) + piece.parameters
    return found
