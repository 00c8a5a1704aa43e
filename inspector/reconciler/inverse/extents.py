"""Equations of extents: each family with a hole shows which indices the hole has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

import msgspec

from inspector.algebra.expression import Word
from inspector.algebra.names import Index
from inspector.algebra.span import Span
from inspector.algebra.values import LISTS, extent, whole
from inspector.budget import spend
from inspector.notation.binding import fits
from inspector.notation.expansion import Shape
from inspector.notation.holes import bases, free_holes
from inspector.notation.scope import Entered, Scope
from inspector.notation.slots import HOLE
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.differences import Differences
from inspector.reconciler.inverse.dims import Place, indices_inside
from inspector.reconciler.inverse.lists import ask_lists, is_letters
from inspector.reconciler.inverse.solve import (
    MOST_EQUAL,
    Evaluate,
    Solution,
    default_of,
    depth_of,
    first_of,
    in_order,
    last_of,
    on_trial,
    search,
    words_of,
)

MOST_OUTER = 256
"""Most indices of enclosing holes that are enumerated."""
SMALL_EXTENT = 33
"""Periods, offsets and counts of layers below this number are tried one by one."""
LARGE_EXTENT = 8192
"""Largest number of repetitions of a part in any model."""


class Extent(msgspec.Struct, frozen=True):
    """The index set of a hole (`axis`) of a submodel (`path`) at some indices of the enclosing holes."""

    path: tuple[str, ...]
    axis: str
    place: Place


class Unequal(msgspec.Struct, frozen=True, eq=False):
    """An extent that most families contradict. stated: the config's extent. tensors: number of tensors that differ."""

    extent: Extent
    root: Scope
    scope: Scope
    stated: Span | None
    stored: Span
    tensors: int

    def value(self) -> Span | None:
        """The index set in the current state of the scope."""
        return extent(self.scope.word((self.extent.axis,)))

    def entered(self) -> Entered:
        """Context manager in which the scope is at these indices."""
        return self.scope.at(self.extent.place)


def ask_extents(differences: Differences, ballots: Ballots) -> None:
    """Adds the votes of extents that most families contradict."""
    unequal = list(_unequal(differences))
    scope = differences.plan.scope
    lists: dict[Leaf, list[Unequal]] = {}
    for one in unequal:
        with one.entered():
            scope.trace.reads = set()
            one.value()
            for leaf in in_order(one.scope, [Word((one.extent.axis,))], scope.trace.reads):
                current = scope.leaf(leaf)[0] if leaf[-1] != "#" else None
                if isinstance(current, list) or is_letters(current, one):
                    lists.setdefault(leaf, []).append(one)
                elif leaf[-1] != "#":
                    spend(1, LISTS)
                    for solution in _solutions(one, leaf, current):
                        depth = depth_of(one.scope, [Word((one.extent.axis,))], leaf)
                        ballots.add(leaf, solution, "extent", one.tensors, depth)
    ask_lists(differences.plan.scope, lists, ballots)
    _ask_stages(differences, lists, ballots)


def _ask_stages(differences: Differences, lists: Mapping[Leaf, list[Unequal]], ballots: Ballots) -> None:
    """Adds the votes of families in which several stages are numbered as one: more or fewer layers in one stage."""
    scope = differences.plan.scope
    surplus: Counter[int] = Counter()
    most = 0
    for key, tensors in differences.unequal.items():
        family = differences.weights.families.get(key)
        blocks = [block for at in differences.users.get(key, ()) for block in differences.rows[at].blocks]
        if family is not None and key.count("#") and blocks:
            expected = Span.union(block.axes[0] for block in blocks if block.key == key)
            surplus[expected.size - family.axis(0).size] += tensors
            most = max(most, expected.size)
    for leaf in lists:
        current = scope.leaf(leaf)[0]
        for element, count in enumerate(current):
            for more, tensors in surplus.items():
                if type(count) is int and more and more <= count <= most:
                    ballots.add((*leaf, element), Solution(count - more, count - more), "extent", tensors, 0)


def _unequal(differences: Differences) -> Iterator[Unequal]:
    votes: dict[Extent, Counter[Span]] = {}
    tensors: Counter[Extent] = Counter()
    for key, family_votes in _votes(differences):
        for place, span in family_votes:
            votes.setdefault(place, Counter())[span] += 1
            tensors[place] += differences.unequal.get(key, 0) + differences.mixed.get(key, 0)
    for place, counts in votes.items():
        if not tensors[place]:
            continue
        scope = differences.plan.scope.below(place.path)
        one = Unequal(place, differences.plan.scope, scope, None, Span(), tensors[place])
        with scope.at(place.place):
            stated = one.value()
        most = counts.most_common(1)[0][1]
        if stated is not None and counts.get(stated, 0) == most:
            continue  # as many families agree with the config: the number is right and a tensor is missing
        for span, agreeing in counts.most_common(2):
            if agreeing == most:
                yield Unequal(place, differences.plan.scope, scope, stated, span, tensors[place])


def _votes(differences: Differences) -> Iterator[tuple[str, list[tuple[Extent, Span]]]]:
    """The indices in each family, for all extents of families that have another index set than expected."""
    wanted = {
        (differences.rows[at].slot.scope, hole)
        for key in (*differences.unequal, *differences.mixed)
        for at in differences.users.get(key, ())
        for hole in differences.rows[at].slot.holes
    }
    embedded = _embedded_families(differences)
    wanted.update((one.path, one.hole) for one in embedded)
    shown_alone = _shown_alone(differences)
    for key, users in differences.users.items():
        plain = [at for at in users if _plain(differences, at)]
        for at in plain or users:
            row = differences.rows[at]
            if not any((row.slot.scope, hole) in wanted for hole in row.slot.holes):
                continue
            if len(differences.axes[at]) != key.count("#") or not differences.plan.binder.conditions.may_hold(row.slot):
                continue
            for position, axis in enumerate(differences.axes[at]):
                if isinstance(axis, str) and (row.slot.scope, axis) in wanted:
                    yield key, list(_observed(differences, key, at, position, plain or users, shown_alone))
    for one in embedded:
        yield one.key, [(Extent(one.path, one.hole, ()), one.indices)]


def _plain(differences: Differences, at: int) -> bool:
    slot = differences.rows[at].slot
    return slot.group is None and not slot.optional and not slot.tied


class _Embedded(msgspec.Struct, frozen=True):
    """A hole inside a segment: a differing family, its submodel and hole, and the stored indices."""

    key: str
    path: tuple[str, ...]
    hole: str
    indices: Span


def _embedded_families(differences: Differences) -> list[_Embedded]:
    """The stored indices of holes inside segments (`weight_ih_l{K}`) that have a differing family."""
    found: list[_Embedded] = []
    own = set(differences.keys)  # rows with a literal index inside a segment
    for at, row in enumerate(differences.rows):
        path = differences.keys[at]
        if "{" not in path:
            continue
        odd = next((key for key in differences.unequal if indices_inside(path, key)), None)
        if odd is None:
            continue
        others = differences.weights.families.keys() - own
        stored = [place for key in others if (place := indices_inside(path, key))]
        for position, hole in enumerate(HOLE.findall(path)):
            found.append(_Embedded(odd, row.slot.scope, hole, Span.of(place[position][1] for place in stored)))
    return found


def _shown_alone(differences: Differences) -> dict[tuple[tuple[str, ...], str], Span]:
    """(submodel, hole) -> the indices stored in families that have no other hole."""
    found: dict[tuple[tuple[str, ...], str], Span] = {}
    for key, users in differences.users.items():
        family = differences.weights.families.get(key)
        if family is None or any(len(differences.axes[at]) != key.count("#") for at in users):
            continue
        for position in range(key.count("#")):
            holes = {(differences.rows[at].slot.scope, differences.axes[at][position]) for at in users}
            if len(holes) == 1:
                path, hole = holes.pop()
                scope = differences.plan.scope.below(path)
                if isinstance(hole, str) and not free_holes(scope.definition, hole):
                    found[path, hole] = found.get((path, hole), Span()) | family.axis(position)
    return found


def _observed(
    differences: Differences,
    key: str,
    at: int,
    position: int,
    users: list[int],
    shown_alone: Mapping[tuple[tuple[str, ...], str], Span],
) -> Iterator[tuple[Extent, Span]]:
    """The indices of one hole in a family at each index of the enclosing holes, without the indices of other rows.

    An enclosing hole may be inside a segment of the name, as in `stages_0.blocks.1`.
    """
    row, axes = differences.rows[at], differences.axes[at]
    scope = differences.plan.scope.below(row.slot.scope)
    axis = str(axes[position])
    outer = free_holes(scope.definition, axis)
    inside = tuple(one for one in indices_inside(differences.keys[at], key) if one[0] in outer)
    around = [
        place
        for place, hole in enumerate(axes[:position])
        if isinstance(hole, str) and {hole, *bases(scope.definition, hole)} & set(outer)
    ]
    if outer and not (around or inside):
        return
    shapes = {block.shape for block in row.blocks} if key in differences.mixed else set[Shape]()
    fixed = _fixed_places(differences, key, at, position, around)
    stored = _stored(differences, key, fixed, position, around, shapes)
    beside = () if shapes else _in_fixed_places(differences, key, fixed)
    taken = Span.union(_taken(differences, at, other, position, users, shown_alone) for other in beside)
    if not around:
        yield Extent(row.slot.scope, axis, inside), stored.get((), Span()) - taken
        return
    expected = {
        index for block in row.blocks for index in islice(product(*(block.axes[place] for place in around)), MOST_OUTER)
    }
    for index in sorted(expected | set(stored))[:MOST_OUTER]:
        place = tuple((str(axes[hole]), number) for hole, number in zip(around, index, strict=True))
        yield Extent(row.slot.scope, axis, inside + place), stored.get(index, Span()) - taken


def _fixed_places(differences: Differences, key: str, at: int, position: int, around: Sequence[int]) -> dict[int, int]:
    """Place -> index, for the other `#` of a row that have one index: the number of a stage, where each has a row."""
    places = [place for place in range(len(differences.axes[at])) if place != position and place not in around]
    found = {place: _only_index(differences, key, at, place) for place in places}
    alone = len(differences.users[key]) == 1
    return {
        place: index
        for place, index in found.items()
        if index is not None and not (alone and isinstance(differences.axes[at][place], str))
    }


def _in_fixed_places(differences: Differences, key: str, fixed: Mapping[int, int]) -> list[int]:
    """The rows of a family that may have tensors with these indices."""
    rows = differences.users[key]
    return [
        at
        for at in rows
        if all(_only_index(differences, key, at, place) in (None, own) for place, own in fixed.items())
    ]


def _only_index(differences: Differences, key: str, at: int, place: int) -> int | None:
    """The index of a row at one `#` of a family, if it is literal or that of a hole with a single index."""
    axes = differences.axes[at]
    axis = axes[place] if place < len(axes) else None
    if not isinstance(axis, str):
        return axis
    indices = Span.union(block.axes[place] for block in differences.rows[at].blocks if block.key == key)
    return indices.first if indices.size == 1 else None


def _stored(
    differences: Differences,
    key: str,
    fixed: Mapping[int, int],
    position: int,
    around: list[int],
    shapes: set[Shape],
) -> dict[Index, Span]:
    """Indices of the enclosing holes -> the indices stored there. fixed: places where one index alone counts.
    shapes: if not empty, only tensors of these shapes count.
    """
    family = differences.weights.families.get(key)
    stored: dict[Index, Span] = {}
    for part in family.stored if family is not None else ():
        if shapes and not any(fits(shape, part.layout.shape) for shape in shapes):
            continue
        for box in part.boxes:
            if any(own not in box[place] for place, own in fixed.items()):
                continue
            for index in islice(product(*(box[place] for place in around)), MOST_OUTER):
                stored[index] = stored.get(index, Span()) | box[position]
    return stored


def _taken(
    differences: Differences,
    at: int,
    other: int,
    position: int,
    users: list[int],
    shown_alone: Mapping[tuple[tuple[str, ...], str], Span],
) -> Span:
    """The indices of a family that belong to another row."""
    own, axes = differences.rows[at], differences.axes[other]
    if other == at or len(axes) <= position:
        return Span()
    hole, scope = axes[position], differences.rows[other].slot.scope
    if isinstance(hole, int):
        return Span.of([hole])
    if not differences.plan.binder.conditions.may_hold(differences.rows[other].slot):
        return Span()  # a row with failing conditions has no indices
    if hole == differences.axes[at][position] and scope == own.slot.scope:
        return Span()
    alone = shown_alone.get((scope, hole))
    if alone is not None or other not in users:
        return alone or Span()
    return Span.union(block.axes[position] for block in differences.rows[other].blocks)


def _solutions(one: Unequal, leaf: Leaf, current: Any) -> Iterator[Solution]:
    """The values of a leaf at which an extent equals the stored indices."""
    at = on_trial(one.scope, leaf, one.value)
    target = one.stored
    default = default_of(one.root, leaf)
    if isinstance(default, float) and at(default) == target:
        yield Solution(default, default)
    if isinstance(current, bool):
        values: list[Any] = [not current]
    elif isinstance(current, str):
        values = [word for word in words_of(one.root, one.scope, leaf, [Word((one.extent.axis,))]) if word != current]
    elif current is None:
        words = words_of(one.root, one.scope, leaf, [Word((one.extent.axis,))])
        values = [*words, *range(1, 17), True]
    elif isinstance(current, float) and not current.is_integer():
        values = [current * target.size / one.stated.size] if one.stated else []
    else:
        yield from extent_numbers(at, whole(current), target, one.stated)
        return
    found = (Solution(value, value) for value in values if at(value) == target)
    yield from islice(found, 1 if current is None else None)


def extent_numbers(at: Evaluate, current: int | None, target: Span, stated: Span | None) -> Iterator[Solution]:
    """The integers at which an index set equals the stored one."""
    if current is None:
        return
    exact = [value for value in range(SMALL_EXTENT) if value != current and at(value) == target]
    if exact:
        yield from (Solution(value, value) for value in exact[:MOST_EQUAL])
        return
    if not target:
        return
    near = [target.last + 1, target.first]
    if stated:
        moved = (current + target.first - stated.first, current + target.last - stated.last)
        near = [*moved, current * target.size // stated.size, current * stated.size // target.size, *near]
    found = [value for value in dict.fromkeys(near) if value > 0 and value != current and at(value) == target]
    if found:
        for value in found[:1]:
            yield Solution(first_of(at, target, value), last_of(at, target, value))
            return
    size = search(lambda value: getattr(at(value), "size", None), target.size, LARGE_EXTENT)
    if size is not None and size != current and at(size) == target:
        yield Solution(size, last_of(at, target, size))
