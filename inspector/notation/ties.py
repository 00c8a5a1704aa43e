"""Tied tensors: which tensors are copies of others by the config."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from inspector.algebra.expression import parse
from inspector.algebra.values import truth
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, scope_of

ALWAYS: Final = "true"
"""The predicate of a class that always ties, whatever its config states."""


class Ties:
    """Finds the slot that a tied slot is a copy of, by role or path, while the predicate holds."""

    __slots__ = ("_paths", "_roles", "_scope")

    def __init__(self, scope: Scope, slots: Iterable[Slot]) -> None:
        self._scope = scope
        self._roles: dict[str, list[Slot]] = {}
        self._paths: dict[str, list[Slot]] = {}
        for slot in sorted(slots, key=lambda one: len(one.scope)):
            always = slot.ties is not None and truth(scope.evaluate(slot.ties)) and slot.tied
            if not always and slot.tensor.suffix not in (".bias", "_bias"):
                self._roles.setdefault(slot.role, []).append(slot)
            self._paths.setdefault(slot.path, []).append(slot)

    def target(self, slot: Slot, stored: bool) -> Slot | None:
        """The slot that this slot is a copy of by the config; None if it is not tied."""
        return self.named(slot) if slot.tied and self.hold(slot, not stored) else None

    def named(self, slot: Slot) -> Slot | None:
        """The slot that a tied slot is a copy of as long as the tie holds."""
        return next(iter(self.alternatives(slot)), None)

    def alternatives(self, slot: Slot) -> Sequence[Slot]:
        """The slot that a tied slot is a copy of, and the slots with its path that replace it in other versions.

        A slot of its own submodel goes before one of another submodel that does not contain it.
        """
        kind, _, name = slot.tied.partition(":")
        found = (self._roles if kind == "role" else self._paths).get(name, ())
        if found and found[0].scope != slot.scope[: len(found[0].scope)]:
            found = [one for one in found if one.scope == slot.scope] or found
        return () if not found or found[0] is slot else [slot for slot in found if slot.path == found[0].path]

    def hold(self, slot: Slot, seems: bool) -> bool:
        """True if the config ties a slot. seems: what the files suggest, which decides without a config.

        Without a config a tensor counts as tied if it is not stored, if it is stored and its original, which may be
        left out, is not, or if the file states that both share their storage. A class that always ties leaves no
        choice.
        """
        scope = scope_of(self._scope, slot)
        if not scope.settings.known and slot.ties is None and slot.definition.ties != ALWAYS:
            return seems
        return truth(scope.evaluate(slot.ties if slot.ties is not None else parse(slot.definition.ties)))
