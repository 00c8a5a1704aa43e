"""Which tensors are copies of others while the config ties them."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.algebra.expression import parse
from inspector.algebra.values import truth
from inspector.notation.scope import Scope
from inspector.notation.slots import Slot, scope_of


class Ties:
    """Which slot's copy a slot is, by role or path, while the predicate holds."""

    __slots__ = ("_paths", "_roles", "_scope")

    def __init__(self, scope: Scope, slots: Iterable[Slot]) -> None:
        self._scope = scope
        self._roles: dict[str, Slot] = {}
        self._paths: dict[str, Slot] = {}
        for slot in sorted(slots, key=lambda one: len(one.scope)):
            always = slot.ties is not None and truth(scope.evaluate(slot.ties)) and slot.tied
            if not always and slot.tensor.suffix not in (".bias", "_bias"):
                self._roles.setdefault(slot.role, slot)
            self._paths.setdefault(slot.path, slot)

    def target(self, slot: Slot, stored: bool) -> Slot | None:
        """The slot that this one is a copy of under the config's ties; None where it is its own."""
        return self.named(slot) if slot.tied and self.hold(slot, not stored) else None

    def named(self, slot: Slot) -> Slot | None:
        """The slot that a tied one is a copy of wherever the ties hold."""
        kind, _, name = slot.tied.partition(":")
        found = self._roles.get(name) if kind == "role" else self._paths.get(name)
        return found if found is not slot else None

    def hold(self, slot: Slot, seems: bool) -> bool:
        """Whether the config ties a slot. seems: what the files say, which decides where there is no config.

        Without a config a tensor counts as tied that is not stored, that is where its original is not
        stored and may itself be left out, or that the file says is its original's storage.
        """
        scope = scope_of(self._scope, slot)
        if not scope.settings.known and slot.ties is None:
            return seems
        return truth(scope.evaluate(slot.ties if slot.ties is not None else parse(slot.definition.ties)))
