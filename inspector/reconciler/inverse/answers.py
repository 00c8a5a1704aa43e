"""Facts that the weights show about an absent config: values of single keys, and products and intervals of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from inspector.algebra.expression import Alternatives, Word, parse
from inspector.notation.holes import free_holes
from inspector.notation.scope import Scope
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.equations import rows_of, unclear_dims, value_at
from inspector.reconciler.inverse.keys import key_of_leaf, solved_keys
from inspector.reconciler.inverse.solve import default_of, on_trial, whole_solutions
from inspector.reconciler.inverse.system import system_of
from inspector.reconciler.inverse.unknown import lacking_leaves
from inspector.reconciler.reconcile import Reconciled

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9.]*", re.ASCII)


class Undetermined(msgspec.Struct, frozen=True):
    """A number from `low` to `high`: of a key, or of an expression of several keys of which only the
    result is known.
    """

    expression: str
    low: int
    high: int


class Answers(msgspec.Struct, frozen=True):
    """determined: config keys (dotted for sub-configs) with their values. Null entries of lists are unknown."""

    determined: Mapping[str, Any]
    undetermined: tuple[Undetermined, ...]


def answers_of(case: Reconciled) -> Answers:
    """The values of an absent config that the weights of a checkpoint determine."""
    scope = case.plan.scope
    determined: dict[str, Any] = {}
    for key, value in solved_keys(scope.trace.solved, lambda key: None).items():
        switch = isinstance(default_of(scope, key), bool) and value is not None
        if not isinstance(value, list) or any(item is not None for item in value):
            determined[".".join(map(str, key))] = bool(value) if switch else value
    products = [
        Undetermined(text, value, value)
        for (path, product), value in case.products.items()
        if (text := _in_keys(scope.below(path), product)) is not None
    ]
    return Answers(determined, (*dict.fromkeys(products), *_intervals(case)))


def _in_keys(scope: Scope, product: str) -> str | None:
    """An expression with config keys in place of symbols; None if a symbol is not simply a key."""
    names = {name: _key_of(scope, tuple(name.split("."))) for name in _NAME.findall(product)}
    if None in names.values() or not names or "(" in product or "{" in product:
        return None
    return _NAME.sub(lambda found: str(names[found[0]]), product)


def _key_of(scope: Scope, path: tuple[str, ...]) -> str | None:
    """The config key that a symbol equals, or that it reads first."""
    first, *rest = path
    if rest and first in scope.submodels:
        return _key_of(scope.submodels[first], tuple(rest))
    if rest or first not in scope.symbols:
        return ".".join(map(str, (*scope.prefix, *path)))
    if free_holes(scope.definition, first):
        return None
    node = parse(scope.symbols[first])
    node = node.options[0] if isinstance(node, Alternatives) else node
    return _key_of(scope, node.path) if isinstance(node, Word) else None


def _intervals(case: Reconciled) -> Iterator[Undetermined]:
    """Keys for which every number in an interval gives the stored tensors."""
    plan, families = case.plan, case.reading.families
    scope, slots = plan.scope, plan.unrolled.slots
    system = system_of(rows_of(scope, slots, plan.spelling, families), unclear_dims(scope, slots, plan.spelling))
    found: dict[Leaf, tuple[int, int]] = {}
    for equation in system.dims(scope):
        inner = scope.below(equation.path)
        with inner.at(equation.place):
            for leaf in lacking_leaves(inner, equation)[-1:]:
                if isinstance(equation.target, int):
                    at = on_trial(inner, leaf, partial(value_at, inner, equation))
                    first = next(whole_solutions(at, None, equation.target), None)
                    if first is not None and first.follows:
                        low, high = found.get(leaf, (first.value, first.last))
                        found[leaf] = max(low, first.value), min(high, first.last)
    for leaf, (low, high) in found.items():
        if low < high:
            key = key_of_leaf(leaf)
            yield Undetermined(".".join(map(str, key)) + "".join(f"[{step}]" for step in leaf[len(key) :]), low, high)
