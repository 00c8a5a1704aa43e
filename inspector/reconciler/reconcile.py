"""Compares a reading with its definition: binds the plan to the config, places the tensors, and corrects wrong keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.expression import words
from inspector.algebra.names import axes_of, key_of
from inspector.algebra.span import Span
from inspector.budget import Exceeded, searching
from inspector.loader.layout import Layout
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, families_of
from inspector.matcher.reading import Reading
from inspector.notation.binding import Block, Plan, bind, bind_slots, without_modules
from inspector.notation.definition import Head
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.slots import Slot, Unrolled, scope_of, unroll
from inspector.notation.spelling import Spelling
from inspector.reconciler import ledger
from inspector.reconciler.expected_count import expected_count
from inspector.reconciler.ledger import Ledger
from inspector.reconciler.lines import aside_lines, lines_of
from inspector.reconciler.mlx_stacks import of_mlx, sides_of_stacks
from inspector.reconciler.place import (
    Lost,
    Placement,
    place,
)
from inspector.reconciler.products import Product, fill

if TYPE_CHECKING:
    from inspector.reconciler.inverse.cause import Cause


class Reconciled(Struct, frozen=True):
    """The result of comparing a checkpoint with its definition.

    plan, as_configured: plan and placement by the config. corrected, placement: the same with the causes corrected.
    head: the head of the class, or without a class the one that the names show. products: dims known only as products,
    from the shapes. beyond: the slots of other heads. solved: the symbols come from the shapes alone. absent: usual
    parts that are not stored and that the formula does not count. given_up: the search for wrong keys took too many
    steps. sharing: key -> the keys that share its storage according to the format.
    """

    reading: Reading
    claim: Claim
    head: Head
    plan: Plan
    corrected: Plan
    placement: Placement
    causes: tuple[Cause, ...]
    products: Mapping[Product, int]
    beyond: frozenset[int]
    ledger: Ledger
    solved: bool
    as_configured: Placement
    absent: tuple[Block, ...] = ()
    given_up: bool = False
    sharing: Mapping[str, frozenset[str]] = MappingProxyType({})

    def uncorrected(self, placement: Placement) -> Reconciled:
        """The same case without causes, with only some of the differences under the unchanged config."""
        return replace(self, causes=(), corrected=self.plan, placement=placement)


WRONG_KEYS = "which keys of the config are wrong"


class Again(Protocol):
    """Reconciles the same weights with another claim and another reading.

    solve: as in `reconcile`. False if only a result without differences is useful: the search for wrong keys costs many
    times the comparison itself.
    """

    def __call__(
        self, claim: Claim, reading: Reading, *, solve: bool = True, without: frozenset[str] = frozenset()
    ) -> Reconciled: ...


class _Sides(Struct, frozen=True, eq=False):
    """The stored families and their spelling, for placing them under several configs.

    lost: as in `place`. shared: keys that share storage. without: as in `reconcile`. products: filled with the dims
    known only as products. other: the rows of the definition's other heads, by unrolled definition.
    """

    families: Families
    head: Head
    spelling: Spelling
    lost: Lost | None
    shared: Mapping[str, frozenset[str]]
    aside: frozenset[str]
    without: frozenset[str] = frozenset()
    products: dict[Product, int] = {}
    other: dict[Unrolled, list[Slot]] = {}

    def shapes(self, key: str) -> set[tuple[int, ...]]:
        """The shapes stored under a key."""
        family = self.families.get(key)
        return family.shapes if family is not None else set()

    def other_slots(self, scope: Scope) -> list[Slot]:
        """The rows of the definition's other heads."""
        unrolled = unroll(scope, self.head)
        if unrolled not in self.other:
            self.other[unrolled] = _other_slots(scope, self.head)
        return self.other[unrolled]

    def placed(self, scope: Scope) -> tuple[Plan, Placement]:
        """Binds a scope and places the families in its blocks."""
        plan = self._bound(scope)
        if not scope.trace.open and _leaves_open(plan):
            from inspector.reconciler.inverse.unknown import solve

            # keys of rows that the config switches off prove nothing: a null there is a statement
            slots = [one for one in unroll(scope, self.head).slots if plan.binder.conditions.may_hold(one)]
            scope = solve(scope, slots, self.spelling, self.families)
            plan = self._bound(scope)
        self.products.update(fill(scope, plan.blocks, self.families))
        blocks = [*plan.blocks, *_beyond(scope, self.spelling, self.other_slots(scope), plan)]
        placement = _without(place(self.families, blocks, self.lost), self.aside)
        return _with_opaque(plan, placement), placement

    def _bound(self, scope: Scope) -> Plan:
        plan = self._with_sides(scope, None)
        if of_mlx(self.families) and (sides := sides_of_stacks(plan)) is not None:
            plan = self._with_sides(scope, sides)
        return without_modules(plan, self.without) if self.without else plan

    def _with_sides(self, scope: Scope, sides: Mapping[int, int] | None) -> Plan:
        shared = self.shared
        return bind(scope, self.head, self.spelling, self.shapes, lambda key: shared.get(key, ()), self.indices, sides)

    def indices(self, key: str) -> list[Span]:
        """The indices stored under a key at each `#`."""
        family = self.families.get(key)
        return [family.axis(position) for position in range(axes_of(key))] if family is not None else []


def _leaves_open(plan: Plan) -> bool:
    """True if the config is absent, or does not determine a dim or the extent of a row."""
    if not plan.scope.settings.known:
        return True
    may_hold = plan.binder.conditions.may_hold
    return any(may_hold(row.slot) and _lacks_word(plan.scope, row.slot) for row in plan.rows)


def _lacks_word(scope: Scope, slot: Slot) -> bool:
    inner = scope_of(scope, slot)
    return any(inner.word(path) is None for path in _words(slot))


@cache
def _words(slot: Slot) -> tuple[tuple[str, ...], ...]:
    """The holes of a row and the words of its dims. Cached, since there are only as many as rows in all definitions."""
    dims = [path for node in slot.dims for path in words(node)]
    return tuple(dict.fromkeys([*((hole,) for hole in slot.holes), *dims]))


def reconcile(
    claim: Claim,
    reading: Reading,
    lost_names: Sequence[str],
    *,
    whole: bool = True,
    aside: frozenset[str] = frozenset(),
    beside: Mapping[str, str] = MappingProxyType({}),
    ties: Sequence[Sequence[str]] = (),
    solve: bool = True,
    without: frozenset[str] = frozenset(),
) -> Reconciled:
    """Places the families of a reading in the blocks of its definition and accounts for every tensor.

    lost_names: missing tensors that are reported already. whole: absent tensors count as missing; False if only a part
    of a checkpoint was selected. aside: families that are quantization helpers unless a block expects them. beside:
    families that are stored next to the model -> their component, "" for scales. ties: names of tensors that share
    storage according to the format. solve: search for wrong keys of the config. without: modules at the top of the
    definition that the model does not have.
    """
    settings_known = claim.definition is reading.definition
    head = (claim.head if settings_known else None) or reading.match.head
    families = reading.families
    sides = _Sides(
        families,
        head,
        replace(reading.match.spelling, root=reading.match.head.root),
        _lost(lost_names, reading.prefix) if whole else None,
        _sharing(ties, reading.prefix),
        aside | beside.keys(),
        without,
    )
    plan, placement = _configured(sides, reading, claim.otherwise if settings_known else None)
    scope, as_configured = plan.scope, placement
    found = _put_right(sides, plan, placement) if solve else ([], plan, plan, placement)
    causes, plan, corrected, placement = found or ([], plan, plan, placement)
    beyond = frozenset(id(slot) for slot in sides.other_slots(scope))
    lines = [*lines_of(corrected, placement, beyond), *aside_lines(placement, families, aside | beside.keys(), beside)]
    expected = expected_count(plan, placement, sides.lost)
    return Reconciled(
        reading=reading,
        claim=claim,
        head=head,
        plan=plan,
        corrected=corrected,
        placement=placement,
        causes=tuple(causes),
        products=sides.products,
        beyond=beyond,
        ledger=ledger.add_up(lines, expected.parameters),
        absent=expected.absent,
        solved=not scope.settings.known,
        as_configured=as_configured,
        given_up=found is None,
        sharing=sides.shared,
    )


def _configured(sides: _Sides, reading: Reading, otherwise: Settings | None) -> tuple[Plan, Placement]:
    """The plan and the placement by the config.

    otherwise: with the defaults of the other version, which the class that wrote the config may have had.
    """
    plan, placement = sides.placed(reading.scope)
    if placement.differences and otherwise is not None:
        other = sides.placed(Scope(reading.definition, otherwise, plan.scope.lookup))
        if other[1].differences < placement.differences:
            return other
    return plan, placement


def _put_right(sides: _Sides, plan: Plan, placement: Placement) -> tuple[list[Cause], Plan, Plan, Placement] | None:
    """(the causes, the plan by the config, the corrected plan, its placement); None if the search takes too long."""
    settings = plan.scope.settings
    evident = placement.missing or placement.unexpected or any(not one.computed for one in placement.mismatched)
    if not evident or not (settings.known or settings.defaults) or _of_another(plan, placement):
        return [], plan, plan, placement
    from inspector.reconciler.inverse.causes import find_causes
    from inspector.reconciler.inverse.differences import Weights

    weights = Weights(sides.families, sides.lost, sides.aside)
    try:
        with searching(WRONG_KEYS):
            causes, corrected, placed = find_causes(plan, placement, weights, sides.placed)
    except Exceeded:
        return None
    if settings.known:
        return causes, plan, corrected, placed
    if placed.differences:  # default switches of the class are no statement of the config
        return [], plan, plan, placement
    return [], corrected, corrected, placed


def _of_another(plan: Plan, placement: Placement) -> bool:
    """True if more names are unknown, and more are missing, than match: no key of the config can explain that.

    Names of the definition with other indices count as known, since a key may decide which layers have them.
    """
    fitting = sum(one.fits for one in placement.placed)
    if len(placement.unexpected) <= fitting or len(placement.missing) <= fitting:
        return False
    own = {block.key for block in plan.blocks}
    return sum(one.key not in own for one in placement.unexpected) > fitting


def _with_opaque(plan: Plan, placement: Placement) -> Plan:
    """The plan with families below an opaque prefix marked as unchecked if no row describes them, without a config."""
    settings = plan.scope.settings
    if settings.known:
        return plan
    known = {prefix for prefix, _ in plan.opaque}
    spelled = [(plan.spelling.spelled(entry, plan.scope), entry.because) for entry in plan.unrolled.opaque]
    matched = [(prefix, because) for prefix, because in spelled if prefix not in known]
    matched = [one for one in matched if any(extra.key.startswith(one[0]) for extra in placement.unexpected)]
    return replace(plan, opaque=(*plan.opaque, *matched)) if matched else plan


def _without(placement: Placement, aside: frozenset[str]) -> Placement:
    """The placement without unexpected tensors of these families; no cause is sought for them."""
    if not aside:
        return placement
    return replace(placement, unexpected=tuple(extra for extra in placement.unexpected if extra.key not in aside))


def _other_slots(scope: Scope, head: Head) -> list[Slot]:
    """The distinct rows of the definition's other heads."""
    own = {(slot.body, slot.path) for slot in unroll(scope, head).slots}
    found: dict[tuple[bool, str], Slot] = {}
    for entry in scope.definition.heads:
        if entry is head:
            continue
        for slot in unroll(scope, entry).slots:
            place_of = (slot.body, slot.path)
            if place_of not in own:
                found.setdefault(place_of, slot)
    return list(found.values())


def _beyond(scope: Scope, spelling: Spelling, others: Sequence[Slot], plan: Plan) -> Iterator[Block]:
    """Blocks for the rows of other heads: recognised by name, with any shape, never required.

    The class does not build them, and thus takes any sizes that only they have.
    """
    taken = {block.key for block in plan.blocks}
    scope.trace.silent = True
    try:
        blocks = bind_slots(scope, spelling, others, lambda key: [()])
    finally:
        scope.trace.silent = False
    for block in blocks:
        if block.key not in taken:
            block.required = False
            block.shape = tuple(None for _ in block.shape)
            yield block


def _lost(names: Sequence[str], prefix: str) -> Lost:
    """The index boxes of tensors in unreadable files, by the names of the reading."""
    if not names:
        return {}
    nothing = Layout("U8", (), 1, 1)
    bare = [name.removeprefix(prefix) for name in names] if prefix and not prefix.startswith("*") else names
    return {key: family.boxes for key, family in families_of(dict.fromkeys(bare, nothing)).items()}


def _sharing(ties: Sequence[Sequence[str]], prefix: str) -> dict[str, frozenset[str]]:
    """Key -> the keys that share its storage, for keys of single tensors."""
    found: dict[str, frozenset[str]] = {}
    for group in ties:
        names = [name.removeprefix(prefix) for name in group] if not prefix.startswith("*") else list(group)
        keys = frozenset(name for name in names if key_of(name)[0] == name)
        found.update((key, keys - {key}) for key in keys)
    return found
