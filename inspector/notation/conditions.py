"""Decides which rows apply: by their predicates if there is a config, else by the stored tensors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.expression import Literal, Node, children, parse
from inspector.algebra.span import Span
from inspector.algebra.values import truth
from inspector.notation.scope import Scope
from inspector.notation.slots import Condition, OpaqueSlot, Slot, scope_of
from inspector.notation.spelling import Axis, Spelling, template
from inspector.notation.written import outright

Stored = Callable[[str], Collection[tuple[int, ...]]]
"""Key -> the shapes stored under it; empty if there are none."""
Indices = Callable[[str], Sequence[Span]]
"""The indices stored under a key at each `#`."""


class Presence(Struct, frozen=True):
    """True if the rows with a certain condition are stored. indices: holes of the rows -> the stored indices of each
    hole.
    """

    stored: bool
    indices: Mapping[tuple[str, ...], tuple[Span, ...]]


class Conditions(Struct):
    """The predicates of rows under the current values of a scope.

    present: whether the rows with each condition are stored, which decides without a config.
    """

    scope: Scope
    spelling: Spelling
    stored: Stored
    present: Mapping[tuple[Condition, ...], Presence] = {}

    def exists(self, slot: Slot) -> bool:
        """True if a row applies at the current indices of the scope."""
        if slot.whens and not self.scope.settings.known:
            return self._solved(slot) if self.scope.trace.open else self._is_stored(slot)
        return self.holds(slot)

    def holds(self, slot: Slot) -> bool:
        """True if the predicates of a row hold by the config. Without a config they may hold."""
        return not self.scope.settings.known or all(self._true(condition) for condition in slot.whens)

    def may_hold(self, slot: Slot) -> bool:
        """True if all predicates of a row that do not depend on an index hold. Without a config they may hold."""
        return not slot.whens or not self.scope.settings.known or all(map(self._true, outright(slot, self.scope)))

    def follows_holes(self, slot: Slot) -> bool:
        """True if a predicate of a row depends on the index."""
        return len(outright(slot, self.scope)) < len(slot.whens)

    def leaves_out(self, entry: OpaqueSlot) -> bool:
        """True if a prefix is left unchecked here. A conditional prefix is left unchecked only if there is a config."""
        return not entry.whens or (self.scope.settings.known and all(map(self._true, entry.whens)))

    def depends_on_names(self, slot: Slot) -> bool:
        """True if the stored names decide whether a row applies."""
        return bool(slot.whens) and not self.scope.settings.known

    def _true(self, condition: Condition) -> bool:
        return truth(self.scope.below(condition.scope).evaluate(condition.node))

    def _solved(self, slot: Slot) -> bool:
        """True if a row applies without a config: by its conditions if their values are solved, else by the stored
        names.
        """
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
        """True if most rows with this condition that have a name of their own are stored.

        If the condition depends on holes, the current indices count.
        """
        present = self.present.get(slot.whens)
        if present is None or not present.stored:
            key = template(self.spelling.spelled(slot, self.scope))[0]
            return bool(self.stored(key)) if present is None else False
        scope = scope_of(self.scope, slot)
        at = [scope.index(hole) for hole in slot.holes]
        spans = present.indices.get(slot.holes, ()) if self.follows_holes(slot) else ()
        return all(index is None or index in span for index, span in zip(at, spans, strict=False))


def _asks_presence(node: Node) -> bool:
    """True if a condition compares with null."""
    return (isinstance(node, Literal) and node.value is None) or any(map(_asks_presence, children(node)))


def stored_rows(
    scope: Scope, spelling: Spelling, stored: Stored, slots: Iterable[Slot], indices: Indices
) -> dict[tuple[Condition, ...], Presence]:
    """Conditions -> whether most of their rows are stored. Rows with a name that no other row has decide first."""
    named = [(slot, template(spelling.spelled(slot, scope))) for slot in slots]
    sides = {choice for slot, (key, _) in named if slot.choices and stored(key) for choice in slot.choices}
    users: dict[object, set[tuple[Condition, ...]]] = {}
    for slot, name in named:
        users.setdefault(_numbered(*name), set()).add(slot.whens)
    votes: dict[tuple[Condition, ...], dict[bool, list[bool]]] = {}
    found: dict[tuple[Condition, ...], dict[tuple[str, ...], tuple[Span, ...]]] = {}
    for slot, (key, axes) in named:
        if not slot.whens or slot.optional or slot.tied or _is_of_other_side(slot, sides):
            continue
        spans = indices(key)
        there = bool(stored(key)) and all(
            not isinstance(axis, int) or axis in span for axis, span in zip(axes, spans, strict=False)
        )
        votes.setdefault(slot.whens, {}).setdefault(len(users[_numbered(key, axes)]) == 1, []).append(there)
        at = tuple(span for axis, span in zip(axes, spans, strict=False) if isinstance(axis, str))
        if at:
            before = found.setdefault(slot.whens, {}).get(slot.holes, at)
            found[slot.whens][slot.holes] = tuple(one | other for one, other in zip(before, at, strict=True))
    present = {
        whens: Presence(_most(own.get(True) or own[False]), found.get(whens, {})) for whens, own in votes.items()
    }
    return _with_needed(scope, present)


def _with_needed(scope: Scope, present: dict[tuple[Condition, ...], Presence]) -> dict[tuple[Condition, ...], Presence]:
    """The same with the rows that stored rows need (`Architecture.needs`): if they are not stored, they are lost."""
    for needed, user in scope.definition.needs.items():
        first, second = ((Condition((), parse(text)),) for text in (needed, user))
        if first in present and second in present and present[second].stored:
            present[first] = replace(present[first], stored=True)
    return present


def _is_of_other_side(slot: Slot, stored: Collection[tuple[int, int]]) -> bool:
    """True if the other side of an `either` is stored and no tensor of this row's side is."""
    return any((number, side) not in stored and (number, 1 - side) in stored for number, side in slot.choices)


def _numbered(key: str, axes: Sequence[Axis]) -> tuple[str, tuple[int, ...]]:
    """A key together with the literal indices of a row."""
    return key, tuple(axis if isinstance(axis, int) else -1 for axis in axes)


def _most(votes: Sequence[bool]) -> bool:
    return 2 * sum(votes) >= len(votes)
