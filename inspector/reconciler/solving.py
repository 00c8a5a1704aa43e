"""Symbols from shapes: what the weights themselves say where the config does not.

Extents come from the indices, then every dim with one unknown is solved, by majority of the tensors that
show it, until nothing new follows. What occurs only in a product (`h*dh`) is left open and every dim with
the same product must agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from inspector.algebra.boxes import Box, count, within
from inspector.algebra.evaluation import Value, extent, whole
from inspector.algebra.expression import Node, Word, words
from inspector.algebra.polynomial import Polynomial, constant, polynomial
from inspector.algebra.span import Span
from inspector.matcher.families import Families, Family
from inspector.notation.binding import Block, Spelling, rivals_of, template
from inspector.notation.holes import bases, free_holes
from inspector.notation.scope import ByIndex, Scope
from inspector.notation.slots import HOLE, Slot, scope_of

LARGEST = 2**48
"""No dim that a checkpoint can store is larger."""


def solved(scope: Scope, slots: Sequence[Slot], spelling: Spelling, families: Families) -> Scope:
    """The scope with every symbol set that follows from the names and shapes and from nothing else."""
    scope = _with(scope, _inside_segments(scope, slots, spelling, families))
    named = [(slot, *template(spelling.spelled(slot, scope))) for slot in slots]
    shown = [
        (slot, families[key], axes)
        for slot, key, axes in named
        if key in families and len(axes) == key.split(".").count("#")
    ]
    scope = _with(scope, _extents(scope, shown, _without_own(named, families)))
    unclear = _unclear(scope, slots, spelling)
    for _ in range(8):
        found = _dims(scope, shown, unclear)
        if not found:
            return scope
        scope = _with(scope, found)
    return scope


def _inside_segments(scope: Scope, slots: Sequence[Slot], spelling: Spelling, families: Families) -> dict[str, Value]:
    """The indices of holes that are a part of a segment (`mapping_{F}`), where the config leaves them open."""
    found: dict[str, Span] = {}
    for slot in slots:
        inner = scope_of(scope, slot)
        path = template(spelling.spelled(slot, scope))[0]
        holes = [hole for hole in HOLE.findall(path) if inner.word((hole,)) is None]
        if not holes or len(holes) < len(HOLE.findall(path)):
            continue
        pattern = re.compile(r"([0-9]{1,4})".join(map(re.escape, HOLE.split(path)[::2])), re.ASCII)
        for match in filter(None, map(pattern.fullmatch, families)):
            for hole, index in zip(holes, match.groups(), strict=True):
                name = _name(slot, hole)
                found[name] = found.get(name, Span()) | Span.of([int(index)])
    return dict(found)


_Shown = tuple[Slot, Family, tuple[str | int, ...]]


def _with(scope: Scope, found: Mapping[str, Value]) -> Scope:
    return scope.with_overrides(found) if found else scope


def _name(slot: Slot, symbol: str) -> str:
    return ".".join((*slot.scope, symbol))


def _without_own(named: Sequence[tuple[Slot, str, Sequence[str | int]]], families: Families) -> frozenset[str]:
    """The holes that have required rows under keys of their own, none of which is stored."""
    users: dict[tuple[str, int], set[str]] = {}
    for slot, key, axes in named:
        for position, axis in enumerate(axes):
            users.setdefault((key, position), set()).add(_name(slot, str(axis)))
    stored: dict[str, bool] = {}
    for slot, key, axes in named:
        if slot.optional or slot.whens or slot.tied or slot.choices or slot.group:
            continue
        for position, axis in enumerate(axes):
            if len(users[key, position]) == 1:
                name = _name(slot, str(axis))
                stored[name] = stored.get(name, False) or key in families
    return frozenset(name for name, any_stored in stored.items() if not any_stored)


def _extents(scope: Scope, shown: Sequence[_Shown], without_own: frozenset[str]) -> dict[str, Value]:
    """The index sets of holes whose symbols the config leaves open.

    A key may serve two holes (DeepSeek's layers and its MTP layers): what shows one hole alone decides
    first, and the other has the rest. A hole of optional groups alone is empty unless shown alone, and so is
    one of which nothing is stored but what another hole explains (SD3's layers with a second attention).
    """
    users: dict[tuple[str, int], set[str]] = {}
    for slot, family, axes in shown:
        for position, axis in enumerate(axes):
            if isinstance(axis, str):
                users.setdefault((family.key, position), set()).add(_name(slot, axis))
    seen: dict[str, Span] = {}
    alone: dict[str, Span] = {}
    rivals: dict[str, set[str]] = {}
    needed: set[str] = set()
    pure: set[str] = set()
    found: dict[str, Value] = {}
    for slot, family, axes in shown:
        inner = scope_of(scope, slot)
        for position, axis in enumerate(axes):
            if not isinstance(axis, str) or inner.word((axis,)) is not None:
                continue
            name = _name(slot, axis)
            if outer := free_holes(inner.definition, inner.settings.native, axis):
                _nested(found, name, outer, family, axes, position, inner)
                continue
            span = family.axis(position)
            seen[name] = seen.get(name, Span()) | span
            others = users[family.key, position] - {name}
            rivals.setdefault(name, set()).update(others)
            if not others:
                alone[name] = alone.get(name, Span()) | span
            if slot.group is None:
                needed.add(name)
            if not any(base in inner.symbols for base in bases(inner.definition, inner.settings.native, axis)):
                pure.add(name)
    for name, span in seen.items():
        if name in alone:
            span = alone[name]
        elif name not in needed or (name in without_own and rivals[name] - without_own):
            span = Span()
        else:
            for other in rivals[name]:
                span = span - alone.get(other, Span())
        found[name] = Span.range(0, span.last + 1) if name in pure and span and span.first == 0 else span
    return found


def _nested(
    found: dict[str, Value],
    name: str,
    outer: tuple[str, ...],
    family: Family,
    axes: Sequence[str | int],
    position: int,
    scope: Scope,
) -> None:
    """An extent inside another: the inner indices at each outer one where the config does not say."""
    native = scope.settings.native
    at = next(
        (
            place
            for place, axis in enumerate(axes)
            if isinstance(axis, str) and {axis, *bases(scope.definition, native, axis)} & set(outer)
        ),
        None,
    )
    if at is None:
        return
    hole, inner = str(axes[at]), str(axes[position])
    known = found.get(name)
    values: dict[int, Value] = dict(known.values) if isinstance(known, ByIndex) else {}
    for part in family.stored:
        for box in part.boxes:
            for index in box[at]:
                before = scope.enter(hole, index)
                said = scope.word((inner,))
                scope.enter(hole, before)
                if said is None:
                    values[index] = values.get(index, Span()) | box[position]
    if values:
        found[name] = ByIndex(outer[0], values)


def _unclear(scope: Scope, slots: Sequence[Slot], spelling: Spelling) -> frozenset[tuple[int, int]]:
    """Dims (slot, position) that only a config tells: another row of the same name says something else there."""
    found: set[tuple[int, int]] = set()
    for rivals in () if scope.settings.known else rivals_of(slots, scope, spelling):
        for slot in rivals:
            for position, node in enumerate(slot.dims):
                if any(len(other.dims) <= position or other.dims[position] != node for other in rivals):
                    found.add((id(slot), position))
    return frozenset(found)


Vote = Counter[int]


def _dims(scope: Scope, shown: Sequence[_Shown], unclear: Collection[tuple[int, int]]) -> dict[str, Value]:
    """One round: bare symbols first, else dims with one unknown symbol."""
    votes: dict[bool, dict[str, Vote]] = {True: {}, False: {}}
    by_index: dict[str, tuple[str, dict[int, Vote]]] = {}
    for slot, family, axes in shown:
        inner = scope_of(scope, slot)
        for part in family.stored:
            boxes = _own(inner, axes, part.boxes)
            if len(part.layout.shape) != len(slot.dims) or not boxes:
                continue
            for position, (node, stored) in enumerate(zip(slot.dims, part.layout.shape, strict=True)):
                if (id(slot), position) in unclear:
                    continue
                unknown = _unknown_at(inner, node, axes, boxes[0])
                if len(unknown) != 1:
                    continue
                symbol = unknown[0]
                name = _name(slot, symbol)
                holes = free_holes(inner.definition, inner.settings.native, symbol)
                if holes:
                    _vote_by_index(by_index, inner, node, symbol, name, holes, axes, boxes, stored)
                    continue
                value = stored if node == Word((symbol,)) else _solve(inner, node, symbol, stored)
                if value is not None:
                    bare = isinstance(node, Word)
                    votes[bare].setdefault(name, Counter())[value] += count(boxes)
    chosen = votes[True] or votes[False]
    found: dict[str, Value] = {name: value for name, vote in chosen.items() if (value := elected(vote)) is not None}
    for name, (hole, per_index) in by_index.items():
        if not per_index:
            continue
        found[name] = ByIndex(hole, {at: vote.most_common(1)[0][0] for at, vote in per_index.items()})
    return found


def _own(scope: Scope, axes: Sequence[str | int], boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """What is at a slot's own indices: literal ones, and those of holes that are known and alone."""
    for place, axis in enumerate(axes):
        span: Span | None = Span.of([axis]) if isinstance(axis, int) else None
        if isinstance(axis, str) and not free_holes(scope.definition, scope.settings.native, axis):
            span = extent(scope.word((axis,)))
        if span is not None:
            boxes = tuple((*box[:place], box[place] & span, *box[place + 1 :]) for box in boxes if box[place] & span)
    return boxes


MAJORITY = 0.75
"""The share of tensors that must agree before the others are odd; below it the dim is left open."""


def elected(vote: Vote) -> int | None:
    """The value of a clear majority, None where there is none."""
    value, count = vote.most_common(1)[0]
    return value if count >= MAJORITY * vote.total() else None


def _vote_by_index(
    by_index: dict[str, tuple[str, dict[int, Vote]]],
    scope: Scope,
    node: Node,
    symbol: str,
    name: str,
    holes: tuple[str, ...],
    axes: Sequence[str | int],
    boxes: Sequence[tuple[Span, ...]],
    stored: int,
) -> None:
    native = scope.settings.native
    for position, axis in enumerate(axes):
        if not isinstance(axis, str) or not (axis in holes or set(bases(scope.definition, native, axis)) & set(holes)):
            continue
        hole = holes[0]
        counts = by_index.setdefault(name, (hole, {}))[1]
        for box in boxes:
            for index in box[position]:
                before = scope.enter(axis, index)
                value = None
                if scope.word((symbol,)) is None:
                    value = stored if node == Word((symbol,)) else _solve(scope, node, symbol, stored)
                scope.enter(axis, before)
                if value is not None:
                    counts.setdefault(index, Counter())[value] += 1
        return


def _unknown_at(scope: Scope, node: Node, axes: Sequence[str | int], box: Sequence[Span]) -> list[str]:
    """The unknown words of a dim at the first index of a box, where symbols that follow the index have values."""
    before = [
        (axis, scope.enter(axis, span.first)) for axis, span in zip(axes, box, strict=False) if isinstance(axis, str)
    ]
    unknown = _unknown(scope, node)
    for axis, index in before:
        scope.enter(axis, index)
    return unknown


def _unknown(scope: Scope, node: Node) -> list[str]:
    """The words of a dim that have no value in this scope, each once; dotted ones belong to a submodel."""
    found: dict[str, None] = {}
    for path in words(node):
        if scope.word(path) is None:
            found[".".join(path)] = None
    return list(found)


def _solve(scope: Scope, node: Node, symbol: str, stored: int) -> int | None:
    """The integer that makes a dim equal to a stored one, other symbols being known."""
    if "." in symbol:
        return None

    def value_at(candidate: int) -> int | None:
        scope.overrides[symbol] = candidate
        try:
            return whole(scope.evaluate(node))
        finally:
            del scope.overrides[symbol]

    return root_of(value_at, stored)


def root_of(function: Callable[[int], int | None], target: int) -> int | None:
    """The integer at which a monotone function has this value; None where there is none, or more than one.

    A function that stays level around the target (`//`, `ceil`) gives the smallest argument only if it is
    the only one; an interval is no number.
    """
    at_one, at_two = function(1), function(2)
    if at_one is None or at_two is None or at_one == at_two:
        return next((value for value in _likely(target) if function(value) == target), None)
    rising = at_two > at_one
    low, high = 0, LARGEST
    while low < high:
        middle = (low + high) // 2
        value = function(middle)
        if value is None or (value >= target if rising else value <= target):
            high = middle
        else:
            low = middle + 1
    if function(low) != target or function(low + 1) == target:
        return None
    return low


def _likely(target: int) -> Iterator[int]:
    yield from range(1, 1025)
    yield target


def unknown_product(scope: Scope, node: Node) -> Polynomial:
    """A dim with its known words replaced by numbers: dims with equal ones must be equal."""

    def naming(part: Node) -> Polynomial | None:
        if isinstance(part, Word):
            value = whole(scope.word(part.path))
            return constant(value) if value is not None else None
        value = whole(scope.evaluate(part))
        return constant(value) if value is not None else None

    return polynomial(node, naming)


def fill(scope: Scope, blocks: Sequence[Block], families: Families) -> dict[str, int]:
    """Sets the dims that are still open to what most tensors say, equal products alike; tells the products.

    Gives product text -> value, such as {"dh*h": 4096}, for what was decided so.
    """
    votes: dict[tuple[tuple[str, ...], str], Vote] = {}
    open_dims: list[tuple[Block, int, tuple[tuple[str, ...], str]]] = []
    for block in blocks:
        if None not in block.shape or block.key not in families:
            continue
        inner = scope_of(scope, block.slot)
        before = _enter(inner, block)
        for position, dim in enumerate(block.shape):
            if dim is not None:
                continue
            product = unknown_product(inner, block.slot.dims[position])
            name = (block.slot.scope, str(product))
            open_dims.append((block, position, name))
            for part in families[block.key].stored:
                inside = count(within(part.boxes, block.axes))
                if inside and len(part.layout.shape) == len(block.shape):
                    votes.setdefault(name, Counter())[part.layout.shape[position]] += inside
        _leave(inner, before)
    products: dict[str, int] = {}
    for block, position, name in open_dims:
        value = elected(votes[name]) if name in votes else None
        if value is not None:
            block.shape = (*block.shape[:position], value, *block.shape[position + 1 :])
            products[".".join((*name[0], name[1]))] = value
    return products


def _enter(scope: Scope, block: Block) -> list[tuple[str, int | None]]:
    """Puts a scope at the first index of a block's axes."""
    axes = [axis for axis in template(block.slot.path)[1] if isinstance(axis, str)]
    spans = [
        span for span, axis in zip(block.axes, template(block.slot.path)[1], strict=False) if isinstance(axis, str)
    ]
    return [(axis, scope.enter(axis, span.first)) for axis, span in zip(axes, spans, strict=False) if span]


def _leave(scope: Scope, before: list[tuple[str, int | None]]) -> None:
    for hole, index in before:
        scope.enter(hole, index)
