"""Solves the equations for unknown values, without a config or with one that lacks keys.

Every stored dim and every index set is an equation over leaves of the config and symbols of the definition. An equation
with one unknown gives its value. A value that several equations agree on is solved, and helps to solve others. Values
that occur only in a product or an interval stay unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice

import msgspec

from inspector.algebra.expression import Binary, Literal, Word, words
from inspector.algebra.names import axes_of
from inspector.algebra.span import Span
from inspector.algebra.values import Value, extent
from inspector.budget import spend
from inspector.matcher.families import Families
from inspector.notation.holes import bases, free_holes
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, Slot, scope_of
from inspector.notation.spelling import Spelling, template
from inspector.notation.trace import LENGTH, SYMBOL, Leaf
from inspector.reconciler.inverse.equations import (
    Equation,
    Equations,
    KeyedRow,
    around,
    definitions,
    is_known,
    rows_of,
    stored_at,
    unclear_dims,
    value_at,
)
from inspector.reconciler.inverse.extents import extent_numbers
from inspector.reconciler.inverse.solve import MOST_EQUAL, Evaluate, on_trial, search, whole_solutions
from inspector.reconciler.inverse.system import System, system_of
from inspector.reconciler.products import elected

Lacking = Callable[[Scope, Equation], list[Leaf]]
"""Gives the unknown of an equation."""
STEPS_AN_EQUATION = 4


def solve(scope: Scope, slots: Sequence[Slot], spelling: Spelling, families: Families) -> Scope:
    """The scope with every leaf and symbol that follows from the names and shapes."""
    rows = rows_of(scope, slots, spelling, families)
    scope = scope.with_solved(_inside_segments(scope, slots, spelling, families))
    scope = scope.with_solved(_outer_extents(scope, rows, None))
    if not scope.settings.known:
        scope = scope.with_solved(_absent(scope, rows))
    system = system_of(rows, unclear_dims(scope, slots, spelling))
    while found := {
        leaf: value for leaf, value in _round(scope, rows, system).items() if leaf not in scope.trace.solved
    }:
        system.forget(found)
        scope = scope.with_solved(found)
    return scope


def _round(scope: Scope, rows: Sequence[KeyedRow], system: System) -> dict[Leaf, Value]:
    """The next values that the equations give: leaves before symbols, index sets before dims."""
    strict = not scope.settings.known
    if strict and (found := _solved(scope, definitions(scope, system.assumed), lacking_leaves, system)):
        return found
    if strict and (found := _solved(scope, system.extents(scope), lacking_leaves, system)):
        return found
    if strict and (found := _solved(scope, system.dims(scope), lacking_leaves, system)):
        return found
    return (
        _outer_extents(scope, rows, system.assumed)
        or (strict and _fitting(scope, system))
        or _observed(scope, system.rows)
        or _solved(scope, system.dims(scope), _symbols, system)
    )


def _inside_segments(scope: Scope, slots: Sequence[Slot], spelling: Spelling, families: Families) -> dict[Leaf, Value]:
    """The indices of holes inside a segment (`mapping_{F}`) that the config does not determine."""
    found: dict[Leaf, Span] = {}
    for slot in slots:
        inner = scope_of(scope, slot)
        path = template(spelling.spelled(slot, scope))[0]
        holes = HOLE.findall(path)
        if not holes or any(is_known(inner, hole) for hole in holes):
            continue
        pattern = re.compile(r"([0-9]{1,4})".join(map(re.escape, HOLE.split(path)[::2])), re.ASCII)
        for match in filter(None, map(pattern.fullmatch, families)):
            for hole, index in zip(holes, match.groups(), strict=True):
                leaf = inner.symbol(hole)
                found[leaf] = found.get(leaf, Span()) | Span.of([int(index)])
    return dict(found)


def _absent(scope: Scope, rows: Sequence[KeyedRow]) -> dict[Leaf, Value]:
    """The keys that must be null: if they were present, rows would be expected that are not stored."""
    stored: dict[Leaf, bool] = {}
    for row in rows:
        for condition in row.slot.whens:
            match condition.node:
                case Binary("!=", Word(path), Literal(None)):
                    leaf = (*scope.below(condition.scope).prefix, *path)
                    stored[leaf] = stored.get(leaf, False) or row.family is not None
    return {leaf: None for leaf, any_stored in stored.items() if not any_stored}


class HoleStored(msgspec.Struct):
    """The stored indices of an outermost hole.

    rows: its rows, with its position in each. observed: (indices, other holes there) of each family. unclear: the same
    for families in which a row with other conditions also has an index. own: whether required rows that no other hole
    has are stored; None without such rows. optional: all rows are in optional groups. cut: the hole is a part
    of another hole.
    """

    rows: list[tuple[KeyedRow, int]] = msgspec.field(default_factory=list)
    observed: list[tuple[Span, frozenset[Leaf]]] = msgspec.field(default_factory=list)
    unclear: list[tuple[Span, frozenset[Leaf]]] = msgspec.field(default_factory=list)
    own: bool | None = None
    optional: bool = True
    cut: bool = False
    distinct: bool = False

    def alone(self) -> Span | None:
        """The indices that no other hole can explain."""
        spans = [span for span, others in self.observed if not others]
        return Span.union(spans) if spans else None


def _outer_extents(scope: Scope, rows: Sequence[KeyedRow], assumed: set[Leaf] | None) -> dict[Leaf, Value]:
    """The index sets of the outermost holes that are still unknown.

    assumed: None to solve only holes that have families of their own. If a family serves two holes (DeepSeek's layers
    and its MTP layers), the second hole has the rest of the indices, and is added to `assumed` if nothing distinguishes
    the two. A hole is empty if it belongs to optional groups and no families of its own are stored, or if another hole
    explains all its stored tensors (SD3's layers with a second attention).
    """
    holes = _holes(scope, rows)
    found: dict[Leaf, Value] = {}
    for leaf, hole in holes.items():
        span = hole.alone()
        if span is None and assumed is not None and (seen := hole.observed or hole.unclear):
            others = {one for _, beside in seen for one in beside if one in holes}
            assumed.update([leaf] if any(not holes[one].distinct for one in others) else [])
            span = Span()
            if not hole.optional and not (hole.own is False and any(holes[one].own is not False for one in others)):
                taken = Span.union(holes[one].alone() or Span() for one in others)
                span = Span.union(indices for indices, _ in seen) - taken
                own = _explained(scope, hole)
                if own is not None and (own or any(_explained(scope, holes[one]) for one in others)):
                    span = span & own
        if span is not None:
            found[leaf] = span.last + 1 if not hole.cut and span and span.first == 0 else span
    return {leaf: span for leaf, span in found.items() if leaf not in scope.trace.solved}


def _holes(scope: Scope, rows: Sequence[KeyedRow]) -> dict[Leaf, HoleStored]:
    users: dict[tuple[str, int], set[Leaf]] = {}
    numbers: dict[tuple[str, int], list[KeyedRow]] = {}
    placed: list[tuple[KeyedRow, int, str, Leaf]] = []
    for row in rows:
        inner = scope_of(scope, row.slot)
        for position, axis in enumerate(row.axes):
            if isinstance(axis, int):
                numbers.setdefault((row.key, position), []).append(row)
                continue
            leaf = inner.symbol(axis)
            users.setdefault((row.key, position), set()).add(leaf)
            is_open = leaf in scope.trace.solved or not is_known(inner, axis)
            if is_open and not free_holes(inner.definition, axis):
                placed.append((row, position, axis, leaf))
    holes: dict[Leaf, HoleStored] = {}
    for row, position, axis, leaf in placed:
        inner, slot, hole = scope_of(scope, row.slot), row.slot, holes.setdefault(leaf, HoleStored())
        others = frozenset(users[row.key, position] - {leaf})
        hole.distinct = hole.distinct or not others
        if not others and _needed(slot):
            hole.own = bool(hole.own) or row.family is not None
        if row.family is None or len(row.axes) != axes_of(row.key):
            continue
        hole.rows.append((row, position))
        hole.optional = hole.optional and slot.group is not None
        hole.cut = any(base in inner.symbols for base in bases(inner.definition, axis))
        numbered = numbers.get((row.key, position), ())
        beside = [one for one in numbered if _differ_only_at(one, row, position)]
        clear = len(beside) == len(numbered) and all(one.slot.whens == slot.whens for one in beside)
        own = Span.of(index for one in beside if isinstance(index := one.axes[position], int))
        span = row.family.axis(position)
        (hole.observed if clear else hole.unclear).append((span - own if clear else span, others))
    return holes


def _explained(scope: Scope, hole: HoleStored) -> Span | None:
    """The indices at which the rows of the hole have exactly the stored inner indices; None without such rows."""
    inner: dict[tuple[str, int], list[KeyedRow]] = {}
    for row, position in hole.rows:
        if len(row.axes) == position + 2:
            inner.setdefault((row.key, position), []).append(row)
    found = Span()
    if not inner:
        return None
    for (_, position), rows in inner.items():
        stored = stored_at(rows[0], [position], position + 1, own=False)
        for (index,), indices in stored.items():
            equations = [_row_indices(scope, row, position, index) for row in rows]
            if None not in equations and Span.union(one for one in equations if one is not None) == indices:
                found = found | Span.of([index])
    return found


def _row_indices(scope: Scope, row: KeyedRow, position: int, index: int) -> Span | None:
    """The indices of a row at the last position if the preceding hole is at `index`."""
    inner, axis = scope_of(scope, row.slot), row.axes[position + 1]
    with inner.at(((str(row.axes[position]), index),)):
        return Span.of([axis]) if isinstance(axis, int) else extent(inner.word((axis,)))


def _differ_only_at(one: KeyedRow, other: KeyedRow, position: int) -> bool:
    """True if two rows differ only in the index at one position."""
    same = one.axes[:position] == other.axes[:position] and one.axes[position + 1 :] == other.axes[position + 1 :]
    return same and one.slot.choices == other.slot.choices


def _needed(slot: Slot) -> bool:
    """True if a row is required unconditionally."""
    return not (slot.optional or slot.whens or slot.tied or slot.choices or slot.group)


def _observed(scope: Scope, rows: Sequence[KeyedRow]) -> dict[Leaf, Value]:
    """The stored indices of nested holes that are still unknown."""
    found: dict[Leaf, Span] = {}
    for row in rows:
        inner = scope_of(scope, row.slot)
        for position, axis in enumerate(row.axes):
            if not isinstance(axis, str) or not (outer := around(inner, row.axes, position)):
                continue
            for index, span in stored_at(row, outer, position).items():
                place = tuple((str(row.axes[at]), number) for at, number in zip(outer, index, strict=True))
                with inner.at(place):
                    if not is_known(inner, axis):
                        leaf = inner.symbol(axis)
                        found[leaf] = found.get(leaf, Span()) | span
    return dict(found)


def lacking_leaves(scope: Scope, equation: Equation) -> list[Leaf]:
    """The only unknown leaf of an equation, after the list that contains it: the list may be a single
    number instead.
    """
    trace = scope.trace
    value_at(scope, equation)
    unknown = trace.unknown()
    if len(unknown) != 1:
        return []
    leaf = unknown.pop()
    if leaf[0] == SYMBOL:
        return []
    first = next((at for at, step in enumerate(leaf) if isinstance(step, int)), len(leaf))
    wider = [leaf[:length] for length in range(first, len(leaf))]
    return [*(one for one in wider if not trace.solved_within(one)), leaf]


def _symbols(scope: Scope, equation: Equation) -> list[Leaf]:
    """The only unknown symbol of an equation."""
    if not scope.settings.known and value_at(scope, equation) is not None:
        return []
    paths = {path for node in equation.nodes for path in words(node) if len(path) > 1 or not is_known(scope, path[0])}
    found = {path for path in paths if len(path) == 1 or scope.word(path) is None}
    if len(found) != 1:
        return []
    (path,) = found
    return [scope.symbol(path[0])] if len(path) == 1 and not scope.is_faulty(path[0]) else []


def _solved(scope: Scope, equations: Equations, lacking: Lacking, system: System) -> dict[Leaf, Value]:
    """The values that equations with one unknown agree on. Equations of a single word come first.

    The length of a list is solved after its entries, since they bound it.
    """
    votes: dict[bool, dict[Leaf, Counter[int]]] = {True: {}, False: {}}
    fitting: dict[Leaf, dict[Leaf, set[int]]] = {}
    for equation, leaves, values in _asked(scope, equations, lacking, system):
        for leaf, fit in zip(leaves, values, strict=True):
            known = fitting.setdefault(leaf, {}).setdefault(leaves[-1], set(fit))
            known &= fit
            if len(fit) == 1:
                plain = isinstance(equation.nodes[0], Word)
                votes[plain].setdefault(leaf, Counter()).update(dict.fromkeys(fit, equations[equation]))
    found: dict[Leaf, Value] = {}
    for plain in (True, False):
        for leaf, counts in sorted(votes[plain].items(), key=lambda item: len(item[0])):
            value = elected(counts)
            entries = fitting[leaf]
            is_list = leaf not in entries and (len(entries) == 1 or any(value not in one for one in entries.values()))
            if (
                value is not None
                and not is_list
                and not any(leaf[:length] in found for length in range(1, len(leaf) + 1))
            ):
                found[leaf] = value
    for leaf, entries in fitting.items():
        if not found and len(joint := entries.get(leaf, set())) == 1:
            found[leaf] = next(iter(joint))
    entries_of = {leaf[:-1] for leaf in found if isinstance(leaf[-1], int)}
    return {leaf: value for leaf, value in found.items() if leaf[-1] != LENGTH or leaf[:-1] not in entries_of}


def _fitting(scope: Scope, system: System) -> dict[Leaf, Value]:
    """The greatest of several numbers with the same index sets, such as a count of 0 or 1 if only index 0 can exist."""
    fitting: dict[Leaf, set[int]] = {}
    for _, leaves, values in _asked(scope, system.extents(scope), lacking_leaves, system):
        if leaves:
            fitting.setdefault(leaves[-1], set(values[-1])).intersection_update(values[-1])
    return {leaf: max(values) for leaf, values in fitting.items() if values}


def _asked(
    scope: Scope, equations: Equations, lacking: Lacking, system: System
) -> Iterator[tuple[Equation, list[Leaf], list[set[int]]]]:
    """Each equation with its unknown leaves and the numbers at which it holds."""
    spend(STEPS_AN_EQUATION * len(equations), "the shapes of the tensors")
    for equation in equations:
        inner = scope.below(equation.path)
        answer = partial(_answer, inner, equation, lacking)
        leaves, values = system.once((lacking, equation), inner, equation.nodes, answer)
        if leaves and leaves[-1][-1] == LENGTH:
            least = _least_length(scope, leaves[-1])
            values = [*values[:-1], {length for length in values[-1] if length >= least}]
        yield equation, leaves, values


def _answer(scope: Scope, equation: Equation, lacking: Lacking) -> tuple[list[Leaf], list[set[int]]]:
    with scope.at(equation.place):
        leaves = lacking(scope, equation)
        at = partial(value_at, scope, equation)
        return leaves, [_solutions(on_trial(scope, leaf, at), equation.target) for leaf in leaves]


def _least_length(scope: Scope, leaf: Leaf) -> int:
    """The smallest possible length of a list: it must exceed the index of every entry that is solved or read."""
    list_of, known = leaf[:-1], scope.trace.solved
    indices = [one[-1] for one in known if one[:-1] == list_of and isinstance(one[-1], int)]
    return 1 + max(indices, default=0)


def _solutions(at: Evaluate, target: int | Span) -> set[int]:
    """The integers at which an equation holds; empty if there are many."""
    at = cache(at)  # the searches ask for the same numbers again
    one, two = at(1), at(2)
    if one is None and two is None:
        return set()
    if isinstance(target, Span):
        found = extent_numbers(at, -1, target, None)
    elif one == 1 and two == 2 and at(target) == target:
        return {target}
    elif one is not None and two is not None and one < two and search(at, target) is None:
        return set()
    else:
        found = whole_solutions(at, None, target)
    listed = list(islice(found, MOST_EQUAL))
    if len(listed) == MOST_EQUAL or any(one.last - one.value >= MOST_EQUAL for one in listed):
        return set()
    return {value for one in listed for value in range(one.value, one.last + 1)}
