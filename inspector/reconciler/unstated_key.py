"""A config key that is not stated, in place of which an expression with a remainder is computed: `head_dim | d/h`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from inspector.algebra.expression import Alternatives, Node, Word, parse, show, words
from inspector.algebra.values import whole
from inspector.notation.binding import bind
from inspector.notation.expansion import Shape
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.solve import search
from inspector.reconciler.place import Placed
from inspector.reconciler.reconcile import Reconciled


def unstated_key(case: Reconciled, scope: Scope, expression: str) -> tuple[str, int] | None:
    """(key, value) with which every stored tensor has the expected shape; None if there is none.

    scope: that of the submodel whose config lacks the key. expression: the text of the one with the remainder.
    """
    for symbol, text in scope.symbols.items():
        node = parse(text)
        if not isinstance(node, Alternatives) or show(node.options[-1]) != expression:
            continue
        first = node.options[0]
        if isinstance(first, Word) and len(first.path) == 1 and scope.settings.read(first.path)[0] is None:
            return _fitting(case, scope, symbol, (*scope.prefix, *first.path))
    return None


def _fitting(case: Reconciled, scope: Scope, symbol: str, leaf: Leaf) -> tuple[str, int] | None:
    for placed, node, stored in _dims(case, scope, symbol):
        value = search(partial(_at, case.plan.scope, leaf, placed, node), stored)
        if value is not None:
            return (".".join(map(str, leaf)), value) if _fits(case, leaf, value) else None
    return None


def _dims(case: Reconciled, scope: Scope, symbol: str) -> Iterator[tuple[Placed, Node, int]]:
    """The dims that depend on a symbol: the tensors, the expression, and the stored size."""
    for placed in case.placement.placed:
        slot = placed.block.slot
        if slot.scope != scope.path or placed.packed is not None or len(slot.dims) != len(placed.layout.shape):
            continue
        for node, stored in zip(slot.dims, placed.layout.shape, strict=True):
            if (symbol,) in words(node):
                yield placed, node, stored


def _at(scope: Scope, leaf: Leaf, placed: Placed, node: Node, value: int) -> int | None:
    return whole(scope_of(scope.with_value(leaf, value), placed.block.slot).evaluate(node))


def _fits(case: Reconciled, leaf: Leaf, value: int) -> bool:
    """True if all stored tensors have the shape that they should have with a value of a key."""
    plan = bind(case.plan.scope.with_value(leaf, value), case.plan.head, case.plan.spelling)
    shapes: dict[str, set[Shape]] = {}
    for block in plan.blocks:
        shapes.setdefault(block.key, set()).add(block.shape)
    return all(one.layout.shape in shapes.get(one.block.key, ()) for one in case.placement.placed)
