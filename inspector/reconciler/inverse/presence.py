"""Equations of presence: rows with conditions that contradict the stored names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.algebra.boxes import Box
from inspector.algebra.expression import Node, Word
from inspector.algebra.span import Span
from inspector.algebra.values import whole
from inspector.matcher.families import Family
from inspector.notation.slots import Slot, scope_of
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.differences import Differences
from inspector.reconciler.inverse.solve import (
    MOST_EQUAL,
    Evaluate,
    Solution,
    default_of,
    depth_of,
    literals,
    on_trial,
    search,
)

Axes = tuple[Span, ...]
SMALL = 33
"""Counts and indices in conditions are tried one by one below this number."""
LARGE = 8192


def ask_presence(differences: Differences, ballots: Ballots) -> None:
    """Adds the votes of families that are stored or missing contrary to the conditions of their rows."""
    solved: dict[object, list[Any]] = {}
    for key, tensors in differences.unequal.items():
        users = differences.users.get(key, ())
        stored = stored_axes(differences.weights.families.get(key))
        rows = tuple([_alike(differences, at) for at in users])
        for at in users:
            slot = differences.rows[at].slot
            if not slot.whens and not (slot.tied and not slot.tied.startswith("role:embed")):
                continue
            for leaf in sorted(_read_by_conditions(differences, at), key=str):
                # the families of a module ask for the same value
                question = (leaf, stored, rows, _alike(differences, at))
                if question not in solved:
                    solved[question] = list(_values(differences, key, leaf, at))
                for value in solved[question]:
                    ballots.add(leaf, Solution(value, value), "presence", tensors, _depth(differences, slot, leaf))


def _alike(differences: Differences, at: int) -> tuple[object, ...]:
    """Equal for two rows that have the same indices at every value of the config."""
    slot = differences.rows[at].slot
    return slot.scope, slot.whens, slot.holes, differences.axes[at], slot.tied, slot.group, slot.optional


def _depth(differences: Differences, slot: Slot, leaf: Leaf) -> int:
    """The number of definitions between the conditions of a row, or its holes, and a leaf."""
    scope = differences.plan.scope
    depths = [depth_of(scope_of(scope, slot), [Word((hole,)) for hole in slot.holes], leaf)]
    depths += [depth_of(scope.below(one.scope), [one.node], leaf) for one in slot.whens]
    return min(depths)


def _read_by_conditions(differences: Differences, at: int) -> set[Leaf]:
    """The leaves that decide the presence of a row; where its conditions depend on its holes, all leaves it reads."""
    plan, row = differences.plan, differences.rows[at]
    plan.scope.trace.reads = set()
    for condition in row.slot.whens:
        plan.scope.below(condition.scope).evaluate(condition.node)
    read = set(plan.scope.trace.reads)
    if row.slot.tied or plan.binder.follows_holes(row.slot):
        read |= row.reads | plan.binder.row(row.slot).reads
    return read


def _values(differences: Differences, key: str, leaf: Leaf, at: int) -> Iterator[Any]:
    """Values of a leaf at which the rows of a family together have the stored indices."""
    if leaf[-1] == "#":
        return
    current = differences.plan.scope.leaf(leaf)[0]
    family = differences.weights.families.get(key)
    stored = stored_axes(family)
    axes_at = on_trial(differences.plan.scope, leaf, lambda: _expected_axes(differences, key))
    now = axes_at(current)
    if isinstance(current, bool):
        if axes_at(not current) == stored or now != stored:
            yield not current
    elif isinstance(current, str) or current is None:
        yield from _words(differences, axes_at, current, stored, at, leaf)
    elif isinstance(current, list):
        yield from _listed(axes_at, current, stored, now)
    elif isinstance(default := default_of(differences.plan.scope, leaf), float) and axes_at(default) == stored:
        yield default
    elif (number := whole(current)) is not None:
        yield from _numbers(axes_at, number, stored)


def _words(
    differences: Differences, axes_at: Evaluate, current: str | None, stored: Axes | None, at: int, leaf: Leaf
) -> Iterator[Any]:
    slot = differences.rows[at].slot
    default = default_of(differences.plan.scope, leaf)
    words: dict[str, None] = {default: None} if isinstance(default, str) else {}
    for condition in slot.whens:
        words.update(dict.fromkeys(literals(differences.plan.scope.below(condition.scope), [condition.node])))
    nodes: list[Node] = [Word((hole,)) for hole in slot.holes]
    words.update(dict.fromkeys(literals(differences.plan.scope.below(slot.scope), nodes)))
    if isinstance(leaf[-1], int):
        beside = differences.plan.scope.leaf(leaf[:-1])[0]
        words.update(dict.fromkeys(item for item in beside or () if isinstance(item, str)))
    yield from (word for word in words if word != current and axes_at(word) == stored)
    if current is None:
        yield from [value for value in (True, 1, 2, 3, 4) if axes_at(value) == stored][:1]
    elif axes_at(None) == stored:
        yield None


def _listed(axes_at: Evaluate, current: list[Any], stored: Axes | None, now: Axes | None) -> Iterator[list[Any] | None]:
    """Candidate lists: the stored indices; or words or switches, changed where indices differ."""
    have, want = (axes[0] if axes else Span() for axes in (now, stored))
    odd = (have - want) | (want - have)
    if not odd:
        return
    tried: list[list[Any] | None] = [None]
    if all(type(item) is int for item in current) and current == sorted(set(current)):
        tried += [sorted(want), sorted(set(current) ^ set(odd))]
    if odd.last < len(current):
        words = dict.fromkeys(item for item in current if isinstance(item, str | int))
        if all(isinstance(item, int) for item in current):
            words |= {1: None, 0: None}
        for word in list(words)[:MOST_EQUAL]:
            tried.append([word if index in odd else item for index, item in enumerate(current)])
    yield from (value for value in tried if value != current and axes_at(value) == stored)


def _numbers(axes_at: Evaluate, current: int, stored: Axes | None) -> Iterator[Any]:
    if stored is None:
        yield from [value for value in (*range(5), None) if value != current and axes_at(value) is None]
        return
    exact = [value for value in range(SMALL) if value != current and axes_at(value) == stored]
    if exact:
        yield from exact[:MOST_EQUAL]
        return
    found = search(lambda value: _size(axes_at(value)), _size(stored), LARGE)
    if found is not None and found != current:
        yield found


def _size(axes: Axes | None) -> int:
    total = 0 if axes is None else 1
    for span in axes or ():
        total *= span.size
    return total


def stored_axes(family: Family | None) -> Axes | None:
    """The stored indices of a family at each `#`; None where nothing is stored."""
    return None if family is None else _union([box for part in family.stored for box in part.boxes])


def _expected_axes(differences: Differences, key: str) -> Axes | None:
    """The indices that the rows of a family expect at each `#`; None where they expect nothing."""
    users = differences.users[key]
    needed = [at for at in users if not _may_be_left_out(differences, at)] or users
    blocks = [block for at in needed for block in differences.plan.binder.row(differences.rows[at].slot).blocks]
    return _union([block.axes for block in blocks if block.key == key and block.tie is None and all(block.axes)])


def _may_be_left_out(differences: Differences, at: int) -> bool:
    slot = differences.rows[at].slot
    return slot.group is not None or slot.optional


def _union(boxes: Sequence[Box]) -> Axes | None:
    if not boxes:
        return None
    return tuple(Span.union(box[position] for box in boxes) for position in range(len(boxes[0])))
