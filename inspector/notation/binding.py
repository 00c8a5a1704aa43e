"""Binds a definition to a config: the blocks of tensors it expects.

A block is one key (`model.layers.#.mlp.up_proj.weight`), one index set for each `#`, and one shape. Holes that no dim
or condition refers to stay sets. Only the other holes are enumerated, and equal neighbours are joined again: Llama has
one block for each kind of tensor, whatever the number of layers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box
from inspector.algebra.span import Span
from inspector.notation.conditions import Conditions, Indices, Stored, stored_rows
from inspector.notation.definition import Head
from inspector.notation.expansion import Expansion, Shape
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, Unrolled, scope_of, unroll
from inspector.notation.spelling import Spelling, rivals_of, template
from inspector.notation.ties import Ties
from inspector.notation.trace import Leaf
from inspector.notation.written import Form, form_of, spelled_out


class Block(Struct, eq=False):
    """Tensors that a definition expects under one key: index sets, shape, role and dtype kind.

    required: the tensors must be stored. tie: the slot that these tensors are a copy of, as long as the tie holds.
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
        """Elements of one tensor; None if a dim is unknown."""
        count = 1
        for dim in self.shape:
            if dim is None:
                return None
            count *= dim
        return count


class BoundSlot(NamedTuple):
    """One slot as a scope expands it.

    shapes: the shapes of the blocks by the config alone, with None for dims that it does not determine. reads: the
    leaves of the config that decide blocks, shapes and ties.
    """

    slot: Slot
    blocks: tuple[Block, ...]
    shapes: tuple[Shape, ...]
    reads: frozenset[Leaf]


class Plan(Struct, frozen=True):
    """All blocks of a definition for one head, one spelling and one scope."""

    scope: Scope
    head: Head
    spelling: Spelling
    unrolled: Unrolled
    blocks: tuple[Block, ...]
    rows: tuple[BoundSlot, ...]
    binder: Binder
    opaque: tuple[tuple[str, str], ...]  # (spelled prefix, because)


def module_of(slot: Slot) -> str:
    """The module at the top of the base class that a slot belongs to: "vision_tower"."""
    return _top(slot.path)


def _top(path: str) -> str:
    return path.removeprefix("model.").split(".", 1)[0]


def without_modules(plan: Plan, modules: Collection[str]) -> Plan:
    """A plan without the rows of modules at the top."""
    rows = tuple(row for row in plan.rows if module_of(row.slot) not in modules)
    opaque = tuple(one for one in plan.opaque if _top(one[0]) not in modules)
    return replace(plan, rows=rows, blocks=tuple(block for row in rows for block in row.blocks), opaque=opaque)


def nothing_stored(key: str) -> Collection[tuple[int, ...]]:
    """The `Stored` for a definition without a checkpoint: no tensor is stored."""
    return ()


def no_indices(key: str) -> Sequence[Span]:
    """The `Indices` for a definition without a checkpoint: no index is stored."""
    return ()


Shared = Callable[[str], Collection[str]]
"""Key -> the keys that share its storage, according to the file."""


def nothing_shared(key: str) -> Collection[str]:
    """The `Shared` for a format that does not state which tensors share storage."""
    return ()


def bind(
    scope: Scope,
    head: Head,
    spelling: Spelling,
    stored: Stored = nothing_stored,
    shared: Shared = nothing_shared,
    indices: Indices = no_indices,
    sides: Mapping[int, int] | None = None,
) -> Plan:
    """The blocks that a definition expects.

    stored: decides each `either`, and without a config also the predicates.

    indices: decides, without a config, whether a row with a literal index is stored.

    shared: decides, without a config, whether a stored tensor is the tied copy that the definition allows.

    sides: number of an `either` -> the side to take, instead of the stored one.
    """
    unrolled = unroll(scope, head)
    binder = Binder(scope, spelling, stored, shared)
    if not scope.settings.known:
        binder.conditions.present = stored_rows(scope, spelling, stored, unrolled.slots, indices)
    sides = binder.choose(unrolled.slots) if sides is None else sides
    chosen = [slot for slot in unrolled.slots if all(sides.get(number, side) == side for number, side in slot.choices)]
    if not scope.settings.known:
        chosen = binder.fitting(chosen)
    binder.ties = Ties(scope, chosen)
    rows = tuple(binder.row(slot) for slot in chosen)
    blocks = tuple(block for row in rows for block in row.blocks)
    opaque = tuple(
        (spelling.spelled(entry, scope), entry.because)
        for entry in unrolled.opaque
        if binder.conditions.leaves_out(entry)
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
    """The blocks of some slots only (the rows of another head), for both sides of each `either`."""
    binder = Binder(scope, spelling, stored)
    return [block for slot in slots for block in binder.blocks(slot)]


def fits(shape: Shape, stored: Sequence[int]) -> bool:
    """True if a stored shape is the expected one. Dims that the config does not determine always fit."""
    if None not in shape:
        return shape == tuple(stored)
    return len(shape) == len(stored) and all(
        dim is None or dim == found for dim, found in zip(shape, stored, strict=True)
    )


class Binder:
    """Expands slots into blocks with the current values of the scope."""

    __slots__ = ("_expansion", "_forms", "conditions", "scope", "shared", "spelling", "stored", "ties")

    def __init__(self, scope: Scope, spelling: Spelling, stored: Stored, shared: Shared = nothing_shared) -> None:
        self.scope, self.spelling, self.stored, self.shared = scope, spelling, stored, shared
        self.ties = Ties(scope, ())
        self.conditions = Conditions(scope, spelling, stored)
        self._expansion = Expansion(self.conditions)
        self._forms: dict[Slot, tuple[str, Form]] = {}

    def row(self, slot: Slot) -> BoundSlot:
        """Expands a slot, with its ties and the config leaves that it reads."""
        trace = self.scope.trace
        trace.reads = set()
        blocks = tuple(self.blocks(slot))
        if slot.tied:
            self._tie(slot, blocks)
        return BoundSlot(slot, blocks, tuple([block.shape for block in blocks]), trace.noted())

    def _tie(self, slot: Slot, blocks: Sequence[Block]) -> None:
        """Marks the blocks of a slot as copies of another slot, as long as the tie holds."""
        bound = ((one, self.blocks(one)) for one in self.ties.alternatives(slot))
        target, originals = next((one for one in bound if one[1]), (None, []))
        for block in blocks if originals else ():
            own, original = block.key, originals[-1].key
            alone = (
                not self.stored(own) or (slot.optional and not self.stored(original)) or original in self.shared(own)
            )
            if self.ties.hold(slot, alone):
                block.tie = target

    def choose(self, slots: tuple[Slot, ...]) -> dict[int, int]:
        """The stored side of each `either`: chosen by the stored names, or by shape if both sides have
        the same names.
        """
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

    def _odds(self, slots: list[Slot]) -> tuple[bool, int, int]:
        """(True if every predicate fails, number of unexpected and missing tensors, number of differing dims): the
        smallest is the likeliest side.
        """
        nothing, mismatched, dims = True, 0, 0
        for slot in slots:
            expected = {block.shape for block in self.blocks(slot)}
            if expected:
                stored = set(self.stored(self.key(slot)))
                mismatched += len(stored - expected) if stored else 1
                dims += sum(min(_dims_between(one, other) for other in expected) for one in stored - expected)
                nothing = False
        return nothing, mismatched, dims

    def fitting(self, slots: list[Slot]) -> list[Slot]:
        """The slots without those that fit worse than another row of the same name, among which a
        config would choose.
        """
        dropped: set[int] = set()
        for rivals in rivals_of(slots, self.scope, self.spelling):
            best = min(rivals, key=self._unfit)
            dropped.update(id(slot) for slot in rivals if slot is not best)
        return [slot for slot in slots if id(slot) not in dropped] if dropped else slots

    def _unfit(self, slot: Slot) -> int:
        shapes = {block.shape for block in self.blocks(slot)}
        return sum(not any(fits(shape, stored) for shape in shapes) for stored in self.stored(self.key(slot)))

    def key(self, slot: Slot) -> str:
        """The key of a slot, with holes inside segments unchanged."""
        return template(self._spelled(slot)[0])[0]

    def blocks(self, slot: Slot) -> list[Block]:
        """The blocks of one slot; empty if its predicates fail."""
        path, form = self._spelled(slot)
        return [
            Block(slot, key, sets, shape, not slot.optional)
            for box, shape in self._expansion.boxes(slot, form)
            for key, sets in _named(path, slot, box, form)
        ]

    def indices(self, slot: Slot) -> list[tuple[str, Box]]:
        """(key, index sets) of the blocks of one slot, ignoring shapes."""
        path, form = self._spelled(slot)
        return [named for box in self._expansion.indices(slot, form) for named in _named(path, slot, box, form)]

    def form(self, slot: Slot) -> Form:
        """How a slot is expanded."""
        return self._spelled(slot)[1]

    def _spelled(self, slot: Slot) -> tuple[str, Form]:
        found = self._forms.get(slot)
        if found is None:
            path = self.spelling.spelled(slot, self.scope)
            found = self._forms[slot] = (path, form_of(slot, scope_of(self.scope, slot), path))
        return found


def _dims_between(stored: Sequence[int], expected: Shape) -> int:
    """How many dims of two shapes differ."""
    if len(stored) != len(expected):
        return max(len(stored), len(expected))
    return sum(one != other for one, other in zip(stored, expected, strict=True))


def _named(path: str, slot: Slot, box: Box, form: Form) -> Iterator[tuple[str, Box]]:
    """(key, index sets at each `#`) of the names of a row with these indices at its holes."""
    spans = dict(zip(slot.holes, box, strict=True))
    for name in spelled_out(path, spans, form.embedded):
        key, axes = template(name)
        yield key, tuple([Span.range(axis, axis + 1) if isinstance(axis, int) else spans[axis] for axis in axes])
