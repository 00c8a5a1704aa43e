"""Equations of presence: stored names that contradict the conditions of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from inspector.algebra.boxes import Box
from inspector.algebra.expression import Node, Word, parse
from inspector.algebra.span import Span
from inspector.algebra.values import whole
from inspector.matcher.families import Family
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, scope_of
from inspector.notation.trace import SYMBOL, Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.differences import Differences
from inspector.reconciler.inverse.solve import (
    FARTHEST,
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
LONGEST_SWITCH = 2
"""Most letters in the name of a switch of shared rows, such as "b" or "bo"; config keys have more."""


NAMES_OF_REPOSITORIES = ("_model_id", "_name_or_path")
"""Ends of keys whose value is the name of a repository, which no tensor reveals."""


Alike = tuple[object, ...]
"""A value that is equal for two rows if they have the same indices under every config."""


class _Question(msgspec.Struct, frozen=True):
    """A leaf that a row may read, and the stored indices of its family. The families of one module ask the same
    question.

    alike: the `Alike` of all rows of the family. own: that of the row in question. stored: as in `stored_axes`.
    """

    leaf: Leaf
    stored: Axes | None
    alike: tuple[Alike, ...]
    own: Alike


def ask_presence(differences: Differences, ballots: Ballots) -> None:
    """Adds the votes of families that are stored or missing contrary to the conditions of their rows."""
    asked: list[tuple[_Question, int, int]] = []
    first: dict[_Question, tuple[str, int]] = {}
    headless = _is_headless(differences)
    for key, tensors in differences.unequal.items():
        users = differences.users.get(key, ())
        stored = stored_axes(differences.weights.families.get(key))
        alike = tuple([_alike(differences, at) for at in users])
        for at, own in zip(users, alike, strict=True):
            slot = differences.rows[at].slot
            if not slot.whens and not (slot.tied and not slot.tied.startswith("role:embed")):
                continue
            if headless and not slot.body and stored is None:
                continue  # a base model without the head of its class, which no switch of the head explains
            for leaf in sorted(_read_by_conditions(differences, at), key=str):
                question = _Question(leaf, stored, alike, own)
                first.setdefault(question, (key, at))
                asked.append((question, at, tensors))
    answers = _answered(differences, first)
    for question, at, tensors in asked:
        depth = _depth(differences, differences.rows[at].slot, question.leaf) if answers[question] else 0
        for value in answers[question]:
            ballots.add(question.leaf, Solution(value, value), "presence", tensors, depth)


def _is_headless(differences: Differences) -> bool:
    """True if no tensor is stored of those that the class has beside its base model."""
    return not any(
        differences.users.get(key) and not any(differences.rows[at].slot.body for at in differences.users[key])
        for key in differences.weights.families
    )


def _answered(differences: Differences, asked: Mapping[_Question, tuple[str, int]]) -> dict[_Question, list[Any]]:
    """Question -> candidate values of its leaf. asked: the family and the row of each question.

    Questions about one leaf try the same values, so they are answered together: rows that are alike are expanded once
    for each value.
    """
    of_leaf: dict[Leaf, list[_Question]] = {}
    for question in asked:
        of_leaf.setdefault(question.leaf, []).append(question)
    answers: dict[_Question, list[Any]] = {}
    for leaf, questions in of_leaf.items():
        known: Expanded = {}
        for question in questions:
            key, at = asked[question]
            axes_at = on_trial(differences.plan.scope, leaf, _expected_axes(differences, key, known))
            answers[question] = list(_values(differences, axes_at, question, at))
    return answers


def _alike(differences: Differences, at: int) -> Alike:
    slot = differences.rows[at].slot
    return differences.plan.binder.form(slot).rows, differences.axes[at], slot.tied, slot.group, slot.optional


def _depth(differences: Differences, slot: Slot, leaf: Leaf) -> int:
    """The number of definitions between the conditions of a row, or its holes, and a leaf."""
    scope = differences.plan.scope
    depths = [depth_of(scope_of(scope, slot), [Word((hole,)) for hole in slot.holes], leaf)]
    depths += [depth_of(scope.below(one.scope), [one.node], leaf) for one in slot.whens]
    return min(depths)


def _read_by_conditions(differences: Differences, at: int) -> set[Leaf]:
    """The leaves that decide the presence of a row. If its conditions depend on its holes, these are all leaves it
    reads.
    """
    plan, row = differences.plan, differences.rows[at]
    plan.scope.trace.reads = set()
    for condition in row.slot.whens:
        plan.scope.below(condition.scope).evaluate(condition.node)
    read = set(plan.scope.trace.reads)
    if row.slot.tied or plan.binder.conditions.follows_holes(row.slot):
        read |= row.reads | plan.binder.row(row.slot).reads
    return {leaf for leaf in read if not _is_switch(leaf)}


def _is_switch(leaf: Leaf) -> bool:
    """True if a leaf is not a config key but a switch of shared rows that the definition leaves off."""
    name = leaf[-1]
    return isinstance(name, str) and name.isalpha() and len(name) <= LONGEST_SWITCH and leaf[0] != SYMBOL


def _values(differences: Differences, axes_at: Evaluate, question: _Question, at: int) -> Iterator[Any]:
    """Values of a leaf at which the rows of a family together have the stored indices. axes_at: the
    expected indices.
    """
    leaf, stored = question.leaf, question.stored
    if leaf[-1] == "#":
        return
    current = differences.plan.scope.leaf(leaf)[0]
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
        if stored is None and number and axes_at(number + 1) is None and axes_at(2 * number) is None:
            return  # only the stated number asks for the row: nothing tells which other number the model has
        if now == stored and axes_at(None) == stored:
            # the row has another rank than the stored tensor; if the key is null, another row may describe the tensor
            yield None
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
        found = _sizes(differences, at, leaf) or _sizes_beside(differences, at, leaf)
        sizes = [size for size in found if axes_at(size) == stored]
        guessed = () if _names_a_repository(leaf) else (True, 1, 2, 3, 4, False)
        yield from sizes or [value for value in guessed if axes_at(value) == stored][:1]
    elif axes_at(None) == stored:
        yield None


def _names_a_repository(leaf: Leaf) -> bool:
    """True if the value of a key is the name of a repository."""
    return isinstance(leaf[-1], str) and leaf[-1].endswith(NAMES_OF_REPOSITORIES)


def _sizes(differences: Differences, at: int, leaf: Leaf) -> list[int]:
    """The stored sizes of the dims that equal a leaf, in a row that is absent without this leaf."""
    slot, family = differences.rows[at].slot, differences.weights.families.get(differences.keys[at])
    if family is None or len(family.usual.shape) != len(slot.dims):
        return []
    scope = differences.plan.scope.below(slot.scope)
    sizes = (size for node, size in zip(slot.dims, family.usual.shape, strict=True) if _is_leaf(scope, node, leaf))
    return list(dict.fromkeys(sizes))


def _sizes_beside(differences: Differences, at: int, leaf: Leaf) -> list[int]:
    """The same for another row with the same conditions: a width may occur in only one matrix of a part."""
    whens = differences.rows[at].slot.whens
    alike = (other for other in differences.readers.get(leaf, ()) if differences.rows[other].slot.whens == whens)
    return next(filter(None, (_sizes(differences, other, leaf) for other in alike)), [])


def _is_leaf(scope: Scope, node: Node, leaf: Leaf) -> bool:
    """True if an expression is just this leaf, directly or through symbols."""
    for _ in range(FARTHEST):
        if not isinstance(node, Word) or len(node.path) != 1 or node.path[0] not in scope.symbols:
            break
        node = parse(scope.symbols[node.path[0]])
    return isinstance(node, Word) and (*scope.prefix, *node.path) == leaf


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
            changed: list[Any] = list(current)
            for index in odd:
                changed[index] = word
            tried.append(changed)
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
    """The stored indices of a family at each `#`; None if it is not stored."""
    return None if family is None else _union(family.boxes)


Expanded = dict[tuple[Alike, str, str], Sequence[Box]]
"""(row, the family if the row has several, value of the leaf on trial) -> index sets."""


def _expected_axes(differences: Differences, key: str, known: Expanded) -> Callable[[], Axes | None]:
    """A function for the indices that the rows of a family expect at each `#`, or None if they expect no tensor."""
    users = differences.users[key]
    needed = [at for at in users if not _may_be_left_out(differences, at)] or users
    binder, trace = differences.plan.binder, differences.plan.scope.trace
    rows = [(differences.rows[at].slot, _alike(differences, at)) for at in needed]
    asked = [(slot, alike, key if binder.form(slot).embedded else "") for slot, alike in rows]

    def boxes(slot: Slot, alike: Alike, name: str, value: str) -> Sequence[Box]:
        if slot.tied:
            blocks = [block for block in binder.row(slot).blocks if block.key == key and block.tie is None]
            return [block.axes for block in blocks if all(block.axes)]
        question = (alike, name, value)
        if question not in known:
            known[question] = [box for stored, box in binder.indices(slot) if stored == key and all(box)]
        return known[question]

    return lambda: _union([box for one in asked for box in boxes(*one, repr(trace.value))])


def _may_be_left_out(differences: Differences, at: int) -> bool:
    slot = differences.rows[at].slot
    return slot.group is not None or slot.optional


def _union(boxes: Sequence[Box]) -> Axes | None:
    if not boxes:
        return None
    return tuple(Span.union(box[position] for box in boxes) for position in range(len(boxes[0])))
