"""Equations between stored tensors and the expressions of a definition: dims, index sets, and solved symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, product

import msgspec

from inspector.algebra.boxes import Box
from inspector.algebra.expression import Node, Word, parse
from inspector.algebra.span import Span
from inspector.algebra.values import Unknown, extent, whole
from inspector.budget import spend
from inspector.matcher.families import Families, Family
from inspector.notation.holes import bases, free_holes, holes_in
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, scope_of
from inspector.notation.spelling import Spelling, rivals_of, template
from inspector.notation.trace import SYMBOL, Leaf
from inspector.notation.written import holes_written_out

Place = tuple[tuple[str, int], ...]
"""Hole -> its index."""
STEPS_A_TRIAL = 3
MOST_PLACES = 256
"""Most indices of enclosing holes that are enumerated."""


class KeyedRow(msgspec.Struct, frozen=True, eq=False):
    """A row of the definition. axes: the hole of each `#` of its key. family: the family stored under the key. alone:
    no other row has the key.
    """

    slot: Slot
    key: str
    axes: tuple[str | int, ...]
    family: Family | None
    alone: bool


class Equation(msgspec.Struct, frozen=True):
    """The target value of expressions of a submodel (`path`) at some indices of the holes. Their index
    sets are united.
    """

    path: tuple[str, ...]
    nodes: tuple[Node, ...]
    place: Place
    target: int | Span


Equations = Counter[Equation]
"""Equations with the number of tensors that support each."""


def rows_of(scope: Scope, slots: Sequence[Slot], spelling: Spelling, families: Families) -> list[KeyedRow]:
    """The rows of a definition with the families stored under their keys."""
    named = [(slot, *template(spelling.spelled(slot, scope))) for slot in slots]
    users = Counter(key for _, key, _ in named)
    return [KeyedRow(slot, key, axes, families.get(key), users[key] == 1) for slot, key, axes in named]


def is_known(scope: Scope, name: str) -> bool:
    """True if a symbol has a value, from the config or solved from the weights."""
    value = scope.word((name,))
    return value is not None and not isinstance(value, Unknown)


def value_of(scope: Scope, equation: Equation) -> int | Span | None:
    """The value of an equation's expressions in the scope; None if any of them is unknown."""
    inner = scope.below(equation.path)
    with inner.at(equation.place):
        return value_at(inner, equation)


def value_at(scope: Scope, equation: Equation) -> int | Span | None:
    """Like `value_of`, for a scope that is already at the submodel and indices of the equation."""
    spend(STEPS_A_TRIAL, "the equations of the shapes and indices")
    trace = scope.trace
    trace.reads = set()
    values = [scope.evaluate(node) for node in equation.nodes]
    if any(value is None for value in values) or (not scope.settings.known and trace.unknown()):
        return None
    if isinstance(equation.target, int):
        return whole(values[0])
    spans = [extent(value) for value in values]
    return None if None in spans else Span.union(span for span in spans if span is not None)


def definitions(scope: Scope, assumed: Collection[Leaf]) -> Equations:
    """Equations for the definitions of symbols that are already solved, except assumed symbols."""
    equations: Equations = Counter()
    for leaf, value in scope.trace.solved.items():
        if leaf[0] != SYMBOL or not value or leaf in assumed:
            continue
        names = [step for step in leaf[1:] if isinstance(step, str)]
        inner = scope.below(names[:-1])
        text = inner.symbols.get(names[-1])
        if text is not None:
            holes = free_holes(inner.definition, names[-1])
            indices = [step for step in leaf[1:] if isinstance(step, int)]
            place = tuple((hole, index) for hole, index in zip(holes, indices, strict=True) if index >= 0)
            equations[Equation(tuple(names[:-1]), (parse(text),), place, value)] += 1
    return Counter({one: 1 for one in equations if value_of(scope, one) is None})


def around(scope: Scope, axes: Sequence[str | int], position: int) -> list[int]:
    """The positions of the holes that enclose the hole at a position."""
    outer = set(free_holes(scope.definition, str(axes[position])))
    return [
        at
        for at, axis in enumerate(axes[:position])
        if isinstance(axis, str) and outer & {axis, *bases(scope.definition, axis)}
    ]


def inner_extents(scope: Scope, named: Sequence[KeyedRow]) -> Equations:
    """Equations for the rows of one key: at each index of the enclosing holes, the rows together have the stored
    indices.

    If an optional row also has indices of the key, it is unknown which of the stored indices belong to it.
    """
    equations: Equations = Counter()
    users = [row for row in named if not (row.slot.optional or row.slot.group)] or named
    if any(_is_open(scope_of(scope, row.slot), row.axes) for row in named if row not in users):
        return equations
    known: dict[object, tuple[Place, tuple[Node, ...]]] = {}
    for row in users:
        path, inner = row.slot.scope, scope_of(scope, row.slot)
        for position, axis in enumerate(row.axes):
            if isinstance(axis, str) and ((outer := around(inner, row.axes, position)) or not row.alone):
                for index, span in stored_at(row, outer, position).items():
                    question = (path, position, *zip(outer, index, strict=True))
                    if question not in known:
                        beside = [user.axes for user in users if user.slot.scope == path]
                        known[question] = _together(inner, beside, position, dict(zip(outer, index, strict=True)))
                    place, nodes = known[question]
                    equations[Equation(path, nodes, place, span)] += 1
    return equations


def stored_at(row: KeyedRow, around: Sequence[int], position: int, *, own: bool = True) -> dict[tuple[int, ...], Span]:
    """Indices of the enclosing holes -> the stored indices of the row's family there.

    own: only at the literal indices of the row, if it has any.
    """
    stored: dict[tuple[int, ...], Span] = {}
    for part in row.family.stored if row.family is not None else ():
        for box in part.boxes:
            if not own or all(
                not isinstance(axis, int) or at == position or axis in box[at] for at, axis in enumerate(row.axes)
            ):
                for index in islice(product(*(box[at] for at in around)), MOST_PLACES):
                    stored[index] = stored.get(index, Span()) | box[position]
    return stored


def _is_open(scope: Scope, axes: Sequence[str | int]) -> bool:
    """True if the extent of a hole is unknown."""
    return any(isinstance(axis, str) and not is_known(scope, axis) for axis in axes)


def _together(
    scope: Scope, users: Sequence[tuple[str | int, ...]], position: int, index: Mapping[int, int]
) -> tuple[Place, tuple[Node, ...]]:
    """(indices of the enclosing holes, expressions of the rows there for a position). users: the axes of each row."""
    place: dict[str, int] = {}
    nodes: dict[Node, None] = {}
    for axes in users:
        if all(_holds(scope, axes[at], number) for at, number in index.items()):
            place.update({axis: number for at, number in index.items() if isinstance(axis := axes[at], str)})
            own = axes[position]
            nodes[Word((own,)) if isinstance(own, str) else parse(f"{own} : {own + 1}")] = None
    return tuple(place.items()), tuple(nodes)


def _holds(scope: Scope, axis: str | int, index: int) -> bool:
    """True if the literal index of a row, or the extent of its hole, contains an index; also if the
    extent is unknown.
    """
    if isinstance(axis, int):
        return axis == index
    span = extent(scope.word((axis,)))
    return span is None or index in span


def unclear_dims(scope: Scope, slots: Sequence[Slot], spelling: Spelling) -> frozenset[tuple[int, int]]:
    """Dims (slot, position) that only a config determines, since another row of the same name has another dim there."""
    found: set[tuple[int, int]] = set()
    for rivals in () if scope.settings.known else rivals_of(slots, scope, spelling):
        for slot in rivals:
            for position, node in enumerate(slot.dims):
                if any(len(other.dims) <= position or other.dims[position] != node for other in rivals):
                    found.add((id(slot), position))
    return frozenset(found)


def dims(scope: Scope, row: KeyedRow, unclear: frozenset[tuple[int, int]]) -> Equations:
    """Each dim of a row with its stored size."""
    equations: Equations = Counter()
    slot, inner = row.slot, scope_of(scope, row.slot)
    definition = inner.definition
    needed = [set(holes_in(definition, node)) for node in slot.dims]
    written = holes_written_out(slot, inner)
    for part in row.family.stored if row.family is not None else ():
        if len(part.layout.shape) != len(slot.dims):
            continue
        for place, tensors in _places(inner, row, part.boxes, written):
            for position, (node, stored) in enumerate(zip(slot.dims, part.layout.shape, strict=True)):
                if (id(slot), position) not in unclear:
                    own = tuple(one for one in place if needed[position] & {one[0], *bases(definition, one[0])})
                    equations[Equation(slot.scope, (node,), own, stored)] += tensors
    return equations


def _places(scope: Scope, row: KeyedRow, boxes: Sequence[Box], written: frozenset[str]) -> Iterator[tuple[Place, int]]:
    """(indices at the holes that the dims of a row depend on, number of tensors), for each combination of indices."""

    def below(box: Box, position: int, place: Place, tensors: int) -> Iterator[tuple[Place, int]]:
        if position == len(box):
            yield place, tensors
            return
        axis, span = row.axes[position], box[position]
        own = Span.of([axis]) if isinstance(axis, int) else extent(scope.word((axis,)))
        if own is not None:
            span = span & own
        elif not row.alone:
            return
        if not span:
            return
        if isinstance(axis, str) and axis in written:
            for index in islice(span, MOST_PLACES):
                with scope.at(((axis, index),)):
                    yield from below(box, position + 1, (*place, (axis, index)), tensors)
        else:
            yield from below(box, position + 1, place, tensors * span.size)

    for box in boxes:
        yield from below(box, 0, (), 1)
