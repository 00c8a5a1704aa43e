"""The other reading of missing layers: the model has fewer of them than the config states.

Layers may have been removed from the model on purpose. The reading is confirmed by binding the definition again with
the smaller number: every remaining layer must have the same tensors as before, whatever its new number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.algebra.boxes import Box
from inspector.algebra.span import Span
from inspector.findings.names.layers import FewerLayers
from inspector.notation.binding import Plan, bind
from inspector.notation.expansion import Shape
from inspector.notation.spelling import template
from inspector.notation.trace import Leaf
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import indices_in_words

Tensors = dict[tuple[str, int], frozenset[tuple[Box, Shape]]]
"""(family, layer) -> the further indices and the shape of its tensors."""
ELSEWHERE = -1
"""The layer of tensors outside the numbered stack."""
MOST_REMOVED = 1000
"""No model has lost more layers than this; a config may state any number."""


def fewer_layers(case: Reconciled, prefix: str, missing: Span, stored: Span) -> tuple[FewerLayers, ...]:
    """The configs under which no layer of a stack is missing.

    prefix: the stack, with a single `#` at its end. missing, stored: its numbers. Layers in the middle count as
    removed only if nothing else is missing: an incomplete save lacks other tensors too.
    """
    if not stored or missing.size > MOST_REMOVED or not case.plan.scope.settings.known:
        return ()
    last = Span.range(stored.last + 1, stored.last + 1 + missing.size) & missing
    readings = [last] if missing == last else []
    if missing != last and all(gap.block.key.startswith(f"{prefix}.") for gap in case.placement.missing):
        readings.append(missing)
    return tuple(one for removed in readings if (one := _without(case, prefix, removed)) is not None)


def _without(case: Reconciled, prefix: str, removed: Span) -> FewerLayers | None:
    plan = case.corrected
    expected = Span.union(block.axes[0] for block in plan.blocks if block.key.startswith(f"{prefix}."))
    kept = expected - removed
    numbers = {old: new for new, old in enumerate(kept, expected.first)}
    wanted = _tensors(plan, prefix, numbers)
    for leaf, stated in _counts(plan, prefix):
        value = _shortened(stated, expected, removed)
        if value is None or not all(isinstance(step, str) for step in leaf):
            continue
        for lists in ({}, _lists_beside(plan, leaf, expected, removed)):
            scope = plan.scope.with_value(leaf, value)
            for other, entries in lists.items():
                scope = scope.with_value(other, entries)
            shorter = bind(scope, plan.head, plan.spelling)
            if _tensors(shorter, prefix, {number: number for number in numbers.values()}) == wanted:
                return FewerLayers(
                    key=".".join(map(str, leaf)),
                    layers=value,
                    removed=indices_in_words(prefix, ((removed,),)),
                    numbers=tuple(removed),
                    lists=tuple(str(other[-1]) for other in lists),
                    renumbered=tuple((old, new) for old, new in numbers.items() if old != new),
                )
    return None


def _counts(plan: Plan, prefix: str) -> Iterator[tuple[Leaf, Any]]:
    """The config keys on which the numbers at a prefix depend, and their values."""
    seen: set[Leaf] = set()
    for row in plan.rows:
        key, holes = template(plan.spelling.spelled(row.slot, plan.scope))
        if not key.startswith(f"{prefix}.") or not holes or not isinstance(holes[0], str):
            continue
        scope = plan.scope.below(row.slot.scope)
        scope.trace.reads = set()
        scope.word((holes[0],))
        for leaf in sorted(scope.trace.reads - seen, key=lambda leaf: tuple(map(str, leaf))):
            seen.add(leaf)
            yield leaf, plan.scope.leaf(leaf)[0]


def _shortened(stated: Any, expected: Span, removed: Span) -> Any:
    """A number or a list of layers without the removed ones; None if it is neither."""
    if type(stated) is int:
        return stated - removed.size if stated == expected.size else None
    if isinstance(stated, list) and len(stated) == expected.size:
        return [entry for number, entry in zip(expected, stated, strict=True) if number not in removed]
    return None


def _lists_beside(plan: Plan, leaf: Leaf, expected: Span, removed: Span) -> dict[Leaf, Any]:
    """The lists of a key's config with one entry for each layer, without the entries of the removed layers."""
    values: Any = plan.scope.settings.values
    for step in leaf[:-1]:
        values = values.get(step) if isinstance(values, Mapping) else None
    listed = values.items() if isinstance(values, Mapping) else ()
    found = {(*leaf[:-1], key): _shortened(one, expected, removed) for key, one in listed if isinstance(one, list)}
    return {path: one for path, one in found.items() if one is not None and path != leaf}


def _tensors(plan: Plan, prefix: str, numbers: Mapping[int, int]) -> Tensors:
    """The tensors of a plan, those of the stack under new numbers and only for the given layers."""
    found: dict[tuple[str, int], set[tuple[Box, Shape]]] = {}
    for block in plan.blocks:
        inside = block.key.startswith(f"{prefix}.")
        for layer, box in _by_layer(block.axes, numbers) if inside else [(ELSEWHERE, block.axes)]:
            found.setdefault((block.key, layer), set()).add((box, block.shape))
    return {place: frozenset(boxes) for place, boxes in found.items()}


def _by_layer(axes: Sequence[Span], numbers: Mapping[int, int]) -> Iterator[tuple[int, Box]]:
    for old, new in numbers.items():
        if old in axes[0]:
            yield new, tuple(axes[1:])
