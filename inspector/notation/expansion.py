"""The index sets and shapes of rows under the current values of a scope.

Rows of one module differ only in their names and shapes: their indices are enumerated once, and rows with equal
dims are expanded once. When another value is on trial, only the rows that read this value are expanded again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from inspector.algebra.boxes import Box
from inspector.algebra.expression import Bracket, Node, Word
from inspector.algebra.span import MOST_LISTED, Span
from inspector.algebra.values import Value, extent, shown, whole
from inspector.notation.beyond import note_short_lists
from inspector.notation.conditions import Conditions
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, scope_of
from inspector.notation.trace import Leaf
from inspector.notation.written import Form

Shape = tuple[int | None, ...]
"""Dims in elements; None if the config does not determine the dim."""
Shaped = tuple[Box, Shape]
MOST_KEPT = 1_000
"""Longest list of index sets that is cached for a row; longer ones take more memory than they save time."""


class Expansion:
    """Expands rows. Results are cached; those for a value on trial only until the next trial."""

    __slots__ = ("_conditions", "_kept", "_scope", "_tried")

    def __init__(self, conditions: Conditions) -> None:
        self._conditions, self._scope = conditions, conditions.scope
        self._kept: dict[Hashable, tuple[Sequence[Any], frozenset[Leaf]]] = {}
        self._tried: tuple[int, dict[Hashable, tuple[Sequence[Any], frozenset[Leaf]]]] = (0, {})

    def boxes(self, slot: Slot, form: Form) -> Sequence[Shaped]:
        """The index sets of a row at its holes, separate if the shapes differ."""
        own = self._own(slot)
        return self._once((own, form.shapes), partial(self._shaped, slot, form, own))

    def indices(self, slot: Slot, form: Form) -> Sequence[Box]:
        """The index sets of a row at its holes, ignoring shapes."""
        own = self._own(slot)
        return self._joined(slot, form, own, range(len(slot.holes)))

    def _own(self, slot: Slot) -> Slot | None:
        """The part of the cache key of a row that is not in its form: the row itself if the stored names decide about
        it.
        """
        return slot if self._conditions.depends_on_names(slot) else None

    def _once(self, question: Hashable, answer: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """The cached answer under the current values, noting the config leaves that it reads."""
        trace = self._scope.trace
        known = self._kept.get(question)
        if known is None or trace.changes(known[1]):
            kept = self._kept
            if trace.leaf is not None:
                if self._tried[0] != trace.number:
                    self._tried = (trace.number, {})
                kept = self._tried[1]
            known = kept.get(question)
            if known is None:
                around, trace.reads = trace.reads, set()
                known = (answer(), trace.noted())
                if len(known[0]) <= MOST_KEPT:
                    kept[question] = known
                trace.reads = around
        trace.reads |= known[1]
        return known[0]

    def _shaped(self, slot: Slot, form: Form, own: Slot | None) -> Sequence[Shaped]:
        joining = tuple([at for at in range(len(slot.holes)) if at not in form.shaping])
        scope, found = scope_of(self._scope, slot), []
        for box in self._joined(slot, form, own, joining):
            with scope.at([(slot.holes[at], box[at].first) for at in form.shaping]):
                shape = tuple([_dim(scope, node, scope.evaluate(node)) for node in slot.dims])
            found.append((box, shape))
        return _joined(found, form.shaping)

    def _joined(self, slot: Slot, form: Form, own: Slot | None, positions: Sequence[int]) -> Sequence[Box]:
        """The index sets of a row, joined if they differ only at some positions."""

        def joined() -> Sequence[Box]:
            places = self._once((own, form.rows), partial(self._places, slot, form))
            written = [at for at in positions if slot.holes[at] in form.written]
            return [box for box, _ in _joined([(box, ()) for box in places], written)]

        return self._once((own, form.rows, *positions), joined)

    def _places(self, slot: Slot, form: Form) -> Sequence[Box]:
        """The index sets of a row, with single indices for each hole that must be enumerated."""
        if not self._conditions.may_hold(slot):
            return []
        return self._enumerated(slot, scope_of(self._scope, slot), slot.holes, form.written)

    def _enumerated(self, slot: Slot, scope: Scope, holes: tuple[str, ...], written: frozenset[str]) -> list[Box]:
        if not holes:
            return [()] if self._conditions.exists(slot) else []
        hole, rest = holes[0], holes[1:]
        value = scope.word((hole,))
        indices = extent(value)
        if not indices:
            if indices is None and isinstance(value, str | float):
                _no_size(scope, Word((hole,)), value)
            elif value is None:
                note_short_lists(scope, Word((hole,)))
            return []
        if hole not in written:
            return [(indices, *box) for box in self._enumerated(slot, scope, rest, written)]
        if indices.size > MOST_LISTED:
            scope.fault("size", Word((hole,)), f"{indices.size:,} indices are too many to write out")
            return []
        found: list[Box] = []
        for index in indices:
            own = Span.range(index, index + 1)
            with scope.at(((hole, index),)):
                found += [(own, *box) for box in self._enumerated(slot, scope, rest, written)]
        return found


def _joined(boxes: Sequence[Shaped], positions: Sequence[int]) -> Sequence[Shaped]:
    """Joins boxes of equal shape that differ at only one of the positions, beginning with the last position."""
    for position in reversed(positions):
        if len(boxes) < 2:
            break
        spans: dict[tuple[Box, Box, Shape], list[Span]] = {}
        for box, shape in boxes:
            spans.setdefault((box[:position], box[position + 1 :], shape), []).append(box[position])
        boxes = [((*before, Span.union(found), *after), shape) for (before, after, shape), found in spans.items()]
    return boxes


def _dim(scope: Scope, node: Node, value: Value) -> int | None:
    number = whole(value)
    if number is not None and number >= 0:
        return number
    if number is not None:
        _negative(scope, node, number)
    elif isinstance(node, Word | Bracket) and isinstance(value, str | float) and not isinstance(value, bool):
        _no_size(scope, node, value)
    elif value is None:
        note_short_lists(scope, node)
    return None


def _negative(scope: Scope, node: Node, number: int) -> None:
    """Reports a size below zero, with the only key that has a negative number if there is one."""
    held = {key: scope.settings.read(tuple(key.split(".")))[0] for key in scope.keys_below(node)}
    below = [key for key, said in held.items() if any(_is_negative(one) for one in _entries(said))]
    single = len(below) == 1 and below[0] not in scope.symbols
    scope.fault("type", Word(tuple(below[0].split("."))) if single else node, f"{number} is not a size")


def _is_negative(value: Any) -> bool:
    return isinstance(value, int | float) and value < 0


def _entries(said: Any) -> Sequence[Any]:
    return said if isinstance(said, list) else [said]


def _no_size(scope: Scope, node: Node, value: str | float) -> None:
    """Reports a config key with a value, or an entry of a list, that cannot be a size: text, a fraction, NaN."""
    for key in scope.keys_below(node):
        said, defaulted = scope.settings.read(tuple(key.split(".")))
        if not defaulted and any(type(one) is type(value) and shown(one) == shown(value) for one in _entries(said)):
            scope.fault("type", node, f"{shown(value)} is not a size")
            return
