"""Finds several wrong keys at once: solves the equations without the config and compares the solution with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from inspector.algebra.expression import Word
from inspector.algebra.span import Span
from inspector.algebra.values import extent
from inspector.matcher.reading import switches
from inspector.notation.binding import Plan
from inspector.notation.holes import bases, free_holes
from inspector.notation.scope import Scope
from inspector.notation.slots import unroll
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.differences import Weights
from inspector.reconciler.inverse.equations import KeyedRow, rows_of
from inspector.reconciler.inverse.keys import solved_keys
from inspector.reconciler.inverse.lists import word_list
from inspector.reconciler.inverse.solve import default_of, literals, on_trial
from inspector.reconciler.inverse.unknown import solve


def solved_values(plan: Plan, weights: Weights) -> dict[Leaf, Any]:
    """Config keys -> the values that the weights give, for keys that have other values in the config."""
    scope, settings = plan.scope, plan.scope.settings
    blank = replace(settings, values=_types(settings.values), defaults=switches(settings.defaults), known=False)
    unknown = Scope(scope.definition, blank, scope.lookup)
    slots = unroll(unknown, plan.head).slots
    unknown = solve(unknown, slots, plan.spelling, weights.families)
    changed: dict[Leaf, Any] = {}
    for key, value in solved_keys(unknown.trace.solved, lambda key: plan.scope.leaf(key)[0]).items():
        if value != scope.leaf(key)[0]:
            changed[key] = value
            scope = scope.with_value(key, value)
    return changed | _words(scope, unknown, rows_of(unknown, slots, plan.spelling, weights.families))


def _types(values: Mapping[str, Any]) -> dict[str, Any]:
    """A config that is reduced to the model types of its sub-configs."""
    found: dict[str, Any] = {key: _types(part) for key, part in values.items() if isinstance(part, Mapping)}
    return {**found, "model_type": values["model_type"]} if "model_type" in values else found


def _words(scope: Scope, unknown: Scope, rows: Sequence[KeyedRow]) -> dict[Leaf, Any]:
    """Lists with one word per stage or layer, for which filters give the stored index sets."""
    stored: dict[tuple[tuple[str, ...], str], Span | None] = {}
    for row in rows:
        for hole in row.slot.holes:
            inner = unknown.below(row.slot.scope)
            if hole in inner.symbols and not free_holes(inner.definition, hole):
                span = extent(inner.word((hole,)))
                if span is not None or row.family is not None:
                    stored[row.slot.scope, hole] = span
                stored.setdefault((row.slot.scope, hole), Span())
    readers: dict[Leaf, list[tuple[Scope, str, Span]]] = {}
    for (path, hole), span in stored.items():
        scope.trace.reads = set()
        inner = scope.below(path)
        inner.word((hole,))
        if span is None:
            continue
        for leaf in scope.trace.reads:
            value = scope.leaf(leaf)[0]
            if isinstance(value, list) and any(isinstance(item, str) for item in value):
                readers.setdefault(leaf, []).append((inner, hole, span))
    found = {leaf: _worded(scope, leaf, holes) for leaf, holes in readers.items()}
    return {leaf: words for leaf, words in found.items() if words not in (None, scope.leaf(leaf)[0])}


def _worded(scope: Scope, leaf: Leaf, holes: Sequence[tuple[Scope, str, Span]]) -> list[str] | None:
    """A list with one word for each index of the extents that its filters select from."""
    inner = holes[0][0]
    outer = [name for _, hole, _ in holes for name in bases(inner.definition, hole)]
    length = max((span.size for name in outer if (span := extent(inner.word((name,)))) is not None), default=0)
    stated = scope.leaf(leaf)[0][:length]
    listed = (*scope.leaf(leaf)[0], *(default_of(scope, leaf) or ()))
    words = [word for word in listed if isinstance(word, str | int | float)]
    words += [word for one, hole, _ in holes for word in literals(one, [Word((hole,))])]
    filters = [(on_trial(one, leaf, partial(one.word, (hole,))), target) for one, hole, target in holes]
    return word_list(filters, [*stated, *[None] * (length - len(stated))], words)
