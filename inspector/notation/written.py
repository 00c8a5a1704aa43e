"""Which holes of a row must be enumerated, and which conditions depend on no index."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.algebra.expression import parse
from inspector.algebra.span import Span
from inspector.notation.holes import bases, holes_in
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, Condition, Slot

_WRITTEN: dict[Slot, tuple[frozenset[str], frozenset[str]]] = {}
_OUTRIGHT: dict[Slot, tuple[Condition, ...]] = {}


def outright(slot: Slot, scope: Scope) -> tuple[Condition, ...]:
    """The conditions of a slot that depend on no index: where one fails, the slot need not be expanded."""
    if slot not in _OUTRIGHT:
        found = []
        for condition in slot.whens:
            inner = scope.below(condition.scope)
            if not holes_in(inner.definition, condition.node):
                found.append(condition)
        _OUTRIGHT[slot] = tuple(found)
    return _OUTRIGHT[slot]


def written_out(slot: Slot, scope: Scope, path: str) -> tuple[frozenset[str], frozenset[str]]:
    """(holes that must be enumerated, holes inside a segment of the name)."""
    if slot not in _WRITTEN:
        definition = scope.definition
        needed: set[str] = set()
        for node in (*slot.dims, *(c.node for c in slot.whens if c.scope == slot.scope)):
            needed.update(holes_in(definition, node))
        for hole in slot.holes:
            text = scope.symbols.get(hole)
            if text is not None:
                needed.update(holes_in(definition, parse(text)))
        embedded = frozenset(
            hole for segment in path.split(".") for hole in HOLE.findall(segment) if not HOLE.fullmatch(segment)
        )
        written = frozenset(hole for hole in slot.holes if hole in needed or needed & set(bases(definition, hole)))
        _WRITTEN[slot] = (written | embedded, embedded)
    return _WRITTEN[slot]


def holes_written_out(slot: Slot, scope: Scope) -> frozenset[str]:
    """The holes of a slot with an index that its dims or inner extents refer to."""
    return written_out(slot, scope, slot.path)[0]


def spelled_out(path: str, spans: Mapping[str, Span], embedded: frozenset[str]) -> list[tuple[str, Mapping[str, Span]]]:
    """A path for each index of the holes inside a segment, with the index inserted."""
    names = [path]
    for hole in embedded:
        names = [name.replace("{" + hole + "}", str(index)) for name in names for index in spans[hole]]
    return [(name, spans) for name in names]
