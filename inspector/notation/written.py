"""How a row is expanded: the holes that must be enumerated, and the conditions that depend on no index."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from inspector.algebra.expression import parse
from inspector.algebra.span import Span
from inspector.notation.holes import bases, holes_in
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, Condition, Slot


class Form(Struct, frozen=True, eq=False):
    """How a slot is expanded.

    written: holes that must be enumerated. embedded: holes inside a segment of the name. shaping: positions of the
    holes that its dims depend on. rows: a number that all slots with the same index sets share; shapes: a number that
    all slots with the same index sets and shapes share.
    """

    written: frozenset[str]
    embedded: frozenset[str]
    shaping: tuple[int, ...]
    rows: int
    shapes: int


_FORMS: dict[Slot, Form] = {}
_NUMBERS: dict[object, int] = {}
_OUTRIGHT: dict[Slot, tuple[Condition, ...]] = {}


def outright(slot: Slot, scope: Scope) -> tuple[Condition, ...]:
    """The conditions of a slot that depend on no index: if one fails, the slot need not be expanded."""
    if slot not in _OUTRIGHT:
        found = []
        for condition in slot.whens:
            inner = scope.below(condition.scope)
            if not holes_in(inner.definition, condition.node):
                found.append(condition)
        _OUTRIGHT[slot] = tuple(found)
    return _OUTRIGHT[slot]


def form_of(slot: Slot, scope: Scope, path: str) -> Form:
    """How a slot with this path is expanded. Cached, since there are only as many forms as rows in all definitions."""
    if slot not in _FORMS:
        _FORMS[slot] = _form(slot, scope, path)
    return _FORMS[slot]


def _form(slot: Slot, scope: Scope, path: str) -> Form:
    definition = scope.definition
    shaping: set[str] = set()
    for node in slot.dims:
        shaping.update(holes_in(definition, node))
    needed = set(shaping)
    for condition in slot.whens:
        if condition.scope == slot.scope:
            needed.update(holes_in(definition, condition.node))
    for hole in slot.holes:
        text = scope.symbols.get(hole)
        if text is not None:
            needed.update(holes_in(definition, parse(text)))
    embedded = frozenset(
        hole for segment in path.split(".") for hole in HOLE.findall(segment) if not HOLE.fullmatch(segment)
    )
    cut = {hole: {hole, *bases(definition, hole)} for hole in slot.holes}
    written = frozenset(hole for hole in slot.holes if needed & cut[hole]) | embedded
    rows = (slot.scope, slot.whens, slot.holes, written)
    return Form(
        written,
        embedded,
        tuple(position for position, hole in enumerate(slot.holes) if shaping & cut[hole]),
        _number(rows),
        _number((*rows, slot.dims)),
    )


def _number(key: object) -> int:
    return _NUMBERS.setdefault(key, len(_NUMBERS))


def holes_written_out(slot: Slot, scope: Scope) -> frozenset[str]:
    """The holes of a slot with an index that its dims or inner extents refer to."""
    return form_of(slot, scope, slot.path).written


def spelled_out(path: str, spans: Mapping[str, Span], embedded: frozenset[str]) -> list[str]:
    """A path for each index of the holes inside a segment, with the index inserted."""
    names = [path]
    for hole in embedded:
        names = [name.replace("{" + hole + "}", str(index)) for name in names for index in spans[hole]]
    return names
