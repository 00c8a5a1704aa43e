"""Which holes of a row must be written out, and which conditions no index decides."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.algebra.expression import parse
from inspector.algebra.span import Span
from inspector.notation.holes import bases, holes_in
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, Condition, Slot

_WRITTEN: dict[tuple[Slot, bool], tuple[frozenset[str], frozenset[str]]] = {}
_OUTRIGHT: dict[tuple[Slot, bool], tuple[Condition, ...]] = {}


def outright(slot: Slot, scope: Scope) -> tuple[Condition, ...]:
    """The conditions of a slot that no index decides: where one fails the slot need not be written out."""
    key = (slot, scope.settings.native)
    if key not in _OUTRIGHT:
        found = []
        for condition in slot.whens:
            inner = scope.below(condition.scope)
            if not holes_in(inner.definition, inner.settings.native, condition.node):
                found.append(condition)
        _OUTRIGHT[key] = tuple(found)
    return _OUTRIGHT[key]


def written_out(slot: Slot, scope: Scope, path: str) -> tuple[frozenset[str], frozenset[str]]:
    """(holes that must be written out, holes that stand inside a segment)."""
    key = (slot, scope.settings.native)
    if key not in _WRITTEN:
        definition, native = scope.definition, scope.settings.native
        needed: set[str] = set()
        for node in (*slot.dims, *(c.node for c in slot.whens if c.scope == slot.scope)):
            needed.update(holes_in(definition, native, node))
        for hole in slot.holes:
            text = scope.symbols.get(hole)
            if text is not None:
                needed.update(holes_in(definition, native, parse(text)))
        embedded = frozenset(
            hole for segment in path.split(".") for hole in HOLE.findall(segment) if not HOLE.fullmatch(segment)
        )
        written = frozenset(
            hole for hole in slot.holes if hole in needed or needed & set(bases(definition, native, hole))
        )
        _WRITTEN[key] = (written | embedded, embedded)
    return _WRITTEN[key]


def holes_written_out(slot: Slot, scope: Scope) -> frozenset[str]:
    """The holes of a slot whose index its dims or inner extents refer to."""
    return written_out(slot, scope, slot.path)[0]


def spelled_out(path: str, spans: Mapping[str, Span], embedded: frozenset[str]) -> list[tuple[str, Mapping[str, Span]]]:
    """A path with the indices of holes that are a part of a segment written out, one path for each."""
    names = [path]
    for hole in embedded:
        names = [name.replace("{" + hole + "}", str(index)) for name in names for index in spans[hole]]
    return [(name, spans) for name in names]
