"""Compares the symbols of two models: which widths differ, and which symbols make a role differ."""

from __future__ import annotations

from inspector.algebra.expression import words
from inspector.algebra.values import whole
from inspector.notation.binding import Plan
from inspector.notation.roles import group, label
from inspector.notation.slots import scope_of
from inspector.reconciler.reconcile import Reconciled

FREE = frozenset({"V", "L"})
"""Symbols that a conversion may change: padded vocabularies, dropped layers."""


def differing_sizes(one: Reconciled, other: Reconciled) -> dict[str, tuple[int, int]]:
    """The symbols with different values in the two configs: widths first, then layers and the vocabulary."""
    left, right = _said(one.plan), _said(other.plan)
    both = {name: (left[name], right[name]) for name in left if name in right and left[name] != right[name]}
    widths = differing_widths(one, other)
    return widths | {name: sizes for name, sizes in both.items() if name.rpartition(".")[2] in FREE}


def differing_widths(one: Reconciled, other: Reconciled) -> dict[str, tuple[int, int]]:
    """The symbols of width with different values in the two configs."""
    left, right = _said(one.plan), _said(other.plan)
    holes = {hole for case in (one, other) for slot in case.plan.unrolled.slots for hole in slot.holes}
    stacks = {path[0] for case in (one, other) for path in _stacks(case)}
    return {
        name: (left[name], right[name])
        for name in left
        if name in right
        and left[name] != right[name]
        and name.rpartition(".")[2] not in FREE
        and name.rpartition(".")[2] not in holes | stacks
    }


def _stacks(case: Reconciled) -> set[tuple[str, ...]]:
    return {path for slot in case.plan.unrolled.slots if slot.kind.each and slot.dims for path in words(slot.dims[0])}


def values(case: Reconciled) -> dict[str, int]:
    """Every symbol in the dims and extents of the model, with its value if it has one."""
    products = {".".join((*path, product)): value for (path, product), value in case.products.items()}
    return {**_said(case.corrected), **products}


def _said(plan: Plan) -> dict[str, int]:
    found: dict[str, int] = {}
    for block in plan.blocks:
        scope = scope_of(plan.scope, block.slot)
        prefix = ".".join((*block.slot.scope, ""))
        names = [*block.slot.holes, *(path[0] for node in block.slot.dims for path in words(node) if len(path) == 1)]
        for name in names:
            value = whole(scope.word((name,)))
            if value is not None:
                found[f"{prefix}{name}"] = value
    return found


def reasons(one: Reconciled | None, other: Reconciled | None) -> dict[str, list[str]]:
    """Role -> the differing symbols in its dims and extents."""
    if one is None or other is None:
        return {}
    left, right = values(one), values(other)
    used = _used(one)
    for role, names in _used(other).items():
        used.setdefault(role, set()).update(names)
    return {
        role: [
            f"{name} {left[name]:,} → {right[name]:,}"
            for name in sorted(names)
            if name in left and name in right and left[name] != right[name]
        ]
        for role, names in used.items()
    }


def row_of(role: str) -> str:
    """The row of the table for a role. All norms share one row."""
    return "norms" if group(role) == "norms" else label(role)


def _used(case: Reconciled) -> dict[str, set[str]]:
    used: dict[str, set[str]] = {}
    for block in case.corrected.blocks:
        prefix = ".".join((*block.slot.scope, ""))
        names = used.setdefault(row_of(block.slot.role), set())
        names.update(f"{prefix}{hole}" for hole in block.slot.holes)
        for node in block.slot.dims:
            names.update(f"{prefix}{path[0]}" for path in words(node) if len(path) == 1)
    return used
