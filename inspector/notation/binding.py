"""Binds a definition to a config: the blocks of tensors it expects.

A block is one key (`model.layers.#.mlp.up_proj.weight`), one index set for each `#`, and one shape. Holes
that nothing refers to stay sets; only the others are enumerated, and equal neighbours are joined again: Llama
has one block for each kind of tensor, however many layers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from inspector.algebra.expression import Literal, Node, Word, children, show
from inspector.algebra.span import MOST_LISTED, Span
from inspector.algebra.values import Value, extent, shown, truth, whole
from inspector.notation.definition import Head
from inspector.notation.scope import Scope
from inspector.notation.slots import Condition, OpaqueSlot, Slot, Unrolled, scope_of, unroll
from inspector.notation.spelling import Axis, Spelling, rivals_of, template
from inspector.notation.ties import Ties
from inspector.notation.trace import Leaf
from inspector.notation.written import outright, spelled_out, written_out

Shape = tuple[int | None, ...]
"""Dims in elements; None where the config does not say."""


class Block(Struct, eq=False):
    """Tensors that a definition expects under one key: index sets, shape, role and dtype kind.

    required: must be stored. tie: the slot that this one is a copy of, while the tie holds.
    """

    slot: Slot
    key: str
    axes: tuple[Span, ...]
    shape: Shape
    required: bool
    tie: Slot | None = None

    @property
    def tensors(self) -> int:
        """Number of tensors in the block."""
        count = 1
        for axis in self.axes:
            count *= axis.size
        return count

    @property
    def elements(self) -> int | None:
        """Elements of one tensor, None where a dim is unknown."""
        count = 1
        for dim in self.shape:
            if dim is None:
                return None
            count *= dim
        return count


class BoundSlot(NamedTuple):
    """One slot as a scope expands it.

    shapes: those of the blocks by the config alone; dims that it does not determine are None. reads: the
    leaves of the config that decide blocks, shapes and ties.
    """

    slot: Slot
    blocks: tuple[Block, ...]
    shapes: tuple[Shape, ...]
    reads: frozenset[Leaf]


class Plan(Struct, frozen=True):
    """All blocks of a definition under a head, spelling and scope."""

    scope: Scope
    head: Head
    spelling: Spelling
    unrolled: Unrolled
    blocks: tuple[Block, ...]
    rows: tuple[BoundSlot, ...]
    binder: Binder
    opaque: tuple[tuple[str, str], ...]  # (spelled prefix, because)


Stored = Callable[[str], Collection[tuple[int, ...]]]
"""The shapes stored under a key; empty where nothing is stored."""


def nothing_stored(key: str) -> Collection[tuple[int, ...]]:
    """The `Stored` of a definition without a checkpoint."""
    return ()


Indices = Callable[[str], Sequence[Span]]
"""The indices stored under a key at each `#`."""


def no_indices(key: str) -> Sequence[Span]:
    """The `Indices` of a definition without a checkpoint."""
    return ()


Shared = Callable[[str], Collection[str]]
"""Key -> the keys that share its storage, as the file itself states."""


def nothing_shared(key: str) -> Collection[str]:
    """The `Shared` of a format that does not state shared storage."""
    return ()


def bind(
    scope: Scope,
    head: Head,
    spelling: Spelling,
    stored: Stored = nothing_stored,
    shared: Shared = nothing_shared,
    indices: Indices = no_indices,
) -> Plan:
    """The blocks that a definition expects. `stored` decides each `either`, and without a config the predicates.

    indices: decides, without a config, whether a row with a literal index is stored.

    shared: decides, without a config, whether a stored tensor is the tied copy that the definition allows.
    """
    unrolled = unroll(scope, head)
    binder = Binder(scope, spelling, stored, shared)
    if not scope.settings.known:
        binder.present = _present(binder, unrolled.slots, indices)
    sides = binder.choose(unrolled.slots)
    chosen = [slot for slot in unrolled.slots if all(sides.get(number, side) == side for number, side in slot.choices)]
    if not scope.settings.known:
        chosen = binder.fitting(chosen)
    binder.ties = Ties(scope, chosen)
    rows = tuple(binder.row(slot) for slot in chosen)
    blocks = tuple(block for row in rows for block in row.blocks)
    opaque = tuple(
        (spelling.spelled(entry, scope), entry.because) for entry in unrolled.opaque if binder.leaves_out(entry)
    )
    return Plan(
        scope=scope,
        head=head,
        spelling=spelling,
        unrolled=unrolled,
        blocks=blocks,
        rows=rows,
        binder=binder,
        opaque=opaque,
    )


def bind_slots(scope: Scope, spelling: Spelling, slots: Iterable[Slot], stored: Stored) -> list[Block]:
    """The blocks of some slots only (rows of another head), for every choice of `either`."""
    binder = Binder(scope, spelling, stored)
    return [block for slot in slots for block in binder.blocks(slot)]


def fits(shape: Shape, stored: Sequence[int]) -> bool:
    """Whether a stored shape is the expected one; dims that the config does not determine always fit."""
    return len(shape) == len(stored) and all(
        dim is None or dim == found for dim, found in zip(shape, stored, strict=True)
    )


_Expanded = tuple[tuple[tuple[str, Span], ...], Shape]


class Binder:
    """Expands slots into blocks with the current values of the scope."""

    __slots__ = ("present", "scope", "shared", "spelling", "stored", "ties")

    def __init__(self, scope: Scope, spelling: Spelling, stored: Stored, shared: Shared = nothing_shared) -> None:
        self.scope, self.spelling, self.stored, self.shared = scope, spelling, stored, shared
        self.ties = Ties(scope, ())
        self.present: Mapping[tuple[Condition, ...], Presence] = {}

    def row(self, slot: Slot) -> BoundSlot:
        """Expands a slot, with its ties and the config leaves that it reads."""
        trace = self.scope.trace
        trace.reads = set()
        blocks = tuple(self.blocks(slot))
        if slot.tied:
            self._tie(slot, blocks)
        return BoundSlot(slot, blocks, tuple([block.shape for block in blocks]), frozenset(trace.reads))

    def _tie(self, slot: Slot, blocks: Sequence[Block]) -> None:
        """Sets the slot that the blocks of a slot are copies of, while the tie holds."""
        target = self.ties.named(slot)
        originals = self.blocks(target) if target is not None else []
        for block in blocks if originals else ():
            own, original = block.key, originals[-1].key
            alone = (
                not self.stored(own) or (slot.optional and not self.stored(original)) or original in self.shared(own)
            )
            if self.ties.hold(slot, alone):
                block.tie = target

    def choose(self, slots: tuple[Slot, ...]) -> dict[int, int]:
        """Which side of each `either` is stored: by the stored names, for equal names by shape."""
        sides: dict[int, tuple[list[Slot], list[Slot]]] = {}
        for slot in slots:
            for number, side in slot.choices:
                sides.setdefault(number, ([], []))[side].append(slot)
        return {number: self._side(first, second) for number, (first, second) in sides.items()}

    def _side(self, first: list[Slot], second: list[Slot]) -> int:
        keys = [{self.key(slot) for slot in one if not slot.optional} for one in (first, second)]
        found = [sum(1 for key in one if self.stored(key)) for one in keys]
        if keys[0] & keys[1] and found[0] and found[1]:
            return int(self._odds(second) < self._odds(first))
        return int(found[1] > found[0])

    def _odds(self, slots: list[Slot]) -> tuple[bool, int]:
        """(whether every predicate fails, number of unexpected and missing tensors): the smallest is the likeliest."""
        nothing, mismatched = True, 0
        for slot in slots:
            expected = {block.shape for block in self.blocks(slot)}
            if expected:
                stored = set(self.stored(self.key(slot)))
                mismatched += len(stored - expected) if stored else 1
                nothing = False
        return nothing, mismatched

    def fitting(self, slots: list[Slot]) -> list[Slot]:
        """Chooses among rows of one name, where a config would choose, the one that fits what is stored."""
        dropped: set[int] = set()
        for rivals in rivals_of(slots, self.scope, self.spelling):
            best = min(rivals, key=self._unfit)
            dropped.update(id(slot) for slot in rivals if slot is not best)
        return [slot for slot in slots if id(slot) not in dropped] if dropped else slots

    def _unfit(self, slot: Slot) -> int:
        shapes = {block.shape for block in self.blocks(slot)}
        return sum(not any(fits(shape, stored) for shape in shapes) for stored in self.stored(self.key(slot)))

    def key(self, slot: Slot) -> str:
        """The key of a slot, holes inside segments left as they are."""
        return template(self.spelling.spelled(slot, self.scope))[0]

    def blocks(self, slot: Slot) -> list[Block]:
        """The blocks of one slot; none where its predicates fail."""
        if not self.may_hold(slot):
            return []
        scope = scope_of(self.scope, slot)
        path = self.spelling.spelled(slot, self.scope)
        written, embedded = written_out(slot, scope, path)
        blocks = []
        for axes, shape in self._expand(slot, scope, slot.holes, written):
            found = dict(axes)
            for name, spans in spelled_out(path, found, embedded):
                key, order = template(name)
                sets = tuple(Span.of([axis]) if isinstance(axis, int) else spans[axis] for axis in order)
                blocks.append(Block(slot, key, sets, shape, not slot.optional))
        return blocks

    def _expand(self, slot: Slot, scope: Scope, holes: tuple[str, ...], written: frozenset[str]) -> list[_Expanded]:
        if not holes:
            return [((), self._shape(slot, scope))] if self._exists(slot) else []
        hole, rest = holes[0], holes[1:]
        value = scope.word((hole,))
        indices = extent(value)
        if indices is None or not indices:
            if indices is None and isinstance(value, str | float):
                _no_size(scope, Word((hole,)), value)
            return []
        if hole not in written:
            return [(((hole, indices), *axes), shape) for axes, shape in self._expand(slot, scope, rest, written)]
        if indices.size > MOST_LISTED:
            scope.fault("size", hole, f"{indices.size:,} indices are too many to write out")
            return []
        joined: dict[_Expanded, list[int]] = {}
        for index in indices:
            with scope.at(((hole, index),)):
                for inner in self._expand(slot, scope, rest, written):
                    joined.setdefault(inner, []).append(index)
        return [(((hole, Span.of(found)), *axes), shape) for (axes, shape), found in joined.items()]

    def _exists(self, slot: Slot) -> bool:
        if slot.whens and not self.scope.settings.known:
            return self._solved(slot) if self.scope.trace.open else self._is_stored(slot)
        return self.holds(slot)

    def _solved(self, slot: Slot) -> bool:
        """Whether a row applies without a config: by its conditions where their values are solved, else by its name."""
        trace = self.scope.trace
        around, undecided = trace.reads, False
        for condition in slot.whens:
            trace.reads = set()
            holds = self._true(condition)
            decided = bool(trace.reads) and not trace.unknown() and not trace.stated()
            decided = decided and not _asks_presence(condition.node)
            undecided = undecided or not decided
            if decided and not holds:
                trace.reads = around
                return False
        trace.reads = around
        return not undecided or self._is_stored(slot)

    def _is_stored(self, slot: Slot) -> bool:
        """Whether the rows of a condition are stored: most of those with a name of no other row.

        Where the condition depends on holes, at their current indices.
        """
        present = self.present.get(slot.whens)
        if present is None or not present.stored:
            return bool(self.stored(self.key(slot))) if present is None else False
        scope = scope_of(self.scope, slot)
        at = [scope.index(hole) for hole in slot.holes]
        spans = present.indices.get(slot.holes, ()) if self.follows_holes(slot) else ()
        return all(index is None or index in span for index, span in zip(at, spans, strict=False))

    def holds(self, slot: Slot) -> bool:
        """Whether the predicates of a row hold by the config; without a config they may hold."""
        return not self.scope.settings.known or all(self._true(condition) for condition in slot.whens)

    def _true(self, condition: Condition) -> bool:
        return truth(self.scope.below(condition.scope).evaluate(condition.node))

    def may_hold(self, slot: Slot) -> bool:
        """Whether the predicates of a row hold that depend on no index; without a config they may hold."""
        return not slot.whens or not self.scope.settings.known or all(map(self._true, outright(slot, self.scope)))

    def follows_holes(self, slot: Slot) -> bool:
        """Whether a predicate of a row depends on the index."""
        return len(outright(slot, self.scope)) < len(slot.whens)

    def leaves_out(self, entry: OpaqueSlot) -> bool:
        """Whether a prefix is left unchecked here; a conditional one only with a config."""
        return not entry.whens or (self.scope.settings.known and all(map(self._true, entry.whens)))

    def _shape(self, slot: Slot, scope: Scope) -> Shape:
        return tuple(_dim(scope, node, scope.evaluate(node)) for node in slot.dims)


def _dim(scope: Scope, node: Node, value: Value) -> int | None:
    number = whole(value)
    if number is not None and number >= 0:
        return number
    if isinstance(node, Word) and isinstance(value, str | float | int) and not isinstance(value, bool):
        _no_size(scope, node, value)
    return None


def _asks_presence(node: Node) -> bool:
    """Whether a condition compares with null."""
    return (isinstance(node, Literal) and node.value is None) or any(map(_asks_presence, children(node)))


class Presence(Struct, frozen=True):
    """Whether the rows of a condition are stored. indices: holes of rows -> the stored indices of each."""

    stored: bool
    indices: Mapping[tuple[str, ...], tuple[Span, ...]]


def _present(binder: Binder, slots: Iterable[Slot], indices: Indices) -> dict[tuple[Condition, ...], Presence]:
    """Conditions -> whether most of their rows are stored; rows with a name of no other row decide first."""
    named = [(slot, template(binder.spelling.spelled(slot, binder.scope))) for slot in slots]
    users: dict[object, set[tuple[Condition, ...]]] = {}
    for slot, name in named:
        users.setdefault(_numbered(*name), set()).add(slot.whens)
    votes: dict[tuple[Condition, ...], dict[bool, list[bool]]] = {}
    stored: dict[tuple[Condition, ...], dict[tuple[str, ...], tuple[Span, ...]]] = {}
    for slot, (key, axes) in named:
        if not slot.whens or slot.optional or slot.tied:
            continue
        spans = indices(key)
        there = bool(binder.stored(key)) and all(
            not isinstance(axis, int) or axis in span for axis, span in zip(axes, spans, strict=False)
        )
        votes.setdefault(slot.whens, {}).setdefault(len(users[_numbered(key, axes)]) == 1, []).append(there)
        at = tuple(span for axis, span in zip(axes, spans, strict=False) if isinstance(axis, str))
        if at:
            before = stored.setdefault(slot.whens, {}).get(slot.holes, at)
            stored[slot.whens][slot.holes] = tuple(one | other for one, other in zip(before, at, strict=True))
    return {
        whens: Presence(_most(found.get(True) or found[False]), stored.get(whens, {})) for whens, found in votes.items()
    }


def _numbered(key: str, axes: Sequence[Axis]) -> tuple[str, tuple[int, ...]]:
    """A key with the literal indices of a row."""
    return key, tuple(axis if isinstance(axis, int) else -1 for axis in axes)


def _most(votes: Sequence[bool]) -> bool:
    return 2 * sum(votes) >= len(votes)


def _no_size(scope: Scope, node: Word, value: str | float) -> None:
    """Reports a config key with a value that cannot be a size: text, a fraction, NaN, a negative number."""
    for key in scope.keys_below(node):
        said, defaulted = scope.settings.read(tuple(key.split(".")))
        if not defaulted and type(said) is type(value) and shown(said) == shown(value):
            scope.fault("type", show(node), f"{shown(value)} is not a size")
            return
