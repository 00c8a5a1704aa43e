"""Chooses the stacks of mlx-lm for experts that are stored in a module of its kind at another place.

No name of any way to store the experts is then stored, and the first way would be expected: a checkpoint for MLX with
`layers.0.switch_mlp` would lack the joint projection that transformers 5 holds, which mlx-lm refuses, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from inspector.notation.binding import Plan
from inspector.reconciler.wording import family_name

STACKS: Final = frozenset({"switch_mlp", "switch_glu"})
"""The modules of mlx-lm with stacked experts (`SwitchGLU`), which no other program writes."""


def of_mlx(keys: Iterable[str]) -> bool:
    """True if a stored name has the module of stacked experts."""
    return any(not STACKS.isdisjoint(key.split(".")) for key in keys)


def sides_of_stacks(plan: Plan) -> dict[int, int] | None:
    """Number of an `either` -> the side with stacks of mlx-lm, for those of which no side is stored; None if there are
    none.
    """
    binder, slots = plan.binder, plan.unrolled.slots
    sides: dict[int, int] = {}
    stored: set[int] = set()
    for slot in slots:
        if not slot.choices:
            continue
        key = binder.key(slot)
        if binder.stored(key):
            stored.update(number for number, _ in slot.choices)
        elif not STACKS.isdisjoint(key.split(".")):
            sides.update(slot.choices)
    return {**binder.choose(slots), **sides} if sides and stored.isdisjoint(sides) else None


def experts_apart(plan: Plan) -> tuple[tuple[str, str], ...]:
    """(key of a stored stack, key of its experts in the first way to store them by themselves), for each stack."""
    slots, binder = plan.unrolled.slots, plan.binder
    keys = [(slot.role, binder.key(slot)) for slot in slots if slot.choices]
    pairs = []
    for role, key in keys:
        if not of_mlx((key,)) or not binder.stored(key):
            continue
        before = key.split(".")[: next(at for at, part in enumerate(key.split(".")) if part in STACKS)]
        beginning = ".".join(before) + "."
        apart = (
            other for own, other in keys
            if own == role and other.startswith(beginning) and other.count("#") == key.count("#") + 1
        )  # fmt: skip
        found = next(apart, None)
        if found is not None:
            pairs.append((family_name(key), family_name(found)))
    return tuple(dict.fromkeys(pairs))
