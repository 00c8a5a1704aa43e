"""Dims for which the weights show only a product of symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inspector.algebra.boxes import count, within
from inspector.algebra.expression import Node, Word
from inspector.algebra.polynomial import Polynomial, constant, polynomial
from inspector.algebra.values import whole
from inspector.budget import spend
from inspector.matcher.families import Families
from inspector.notation.binding import Block
from inspector.notation.scope import Scope
from inspector.notation.slots import scope_of
from inspector.notation.spelling import template

Product = tuple[tuple[str, ...], str]
"""The path of a submodel, and a polynomial in its symbols."""
MAJORITY = 0.75
"""Least share of tensors that must agree on a value; with less agreement it stays unknown."""

STEPS_A_PRODUCT = 4


def unknown_product(scope: Scope, node: Node) -> Polynomial:
    """A dim with its known words replaced by numbers. Dims with equal products must be equal."""

    def naming(part: Node) -> Polynomial | None:
        if isinstance(part, Word):
            value = whole(scope.word(part.path))
            return constant(value) if value is not None else None
        value = whole(scope.evaluate(part))
        return constant(value) if value is not None else None

    return polynomial(node, naming)


def fill(scope: Scope, blocks: Sequence[Block], families: Families) -> dict[Product, int]:
    """Sets unknown dims to the size of most tensors, the same for equal products; returns the products.

    Returns product -> value, such as {((), "dh*h"): 4096}.
    """
    votes: dict[Product, Counter[int]] = {}
    open_dims: list[tuple[Block, int, Product]] = []
    for block in blocks:
        if None not in block.shape or block.key not in families:
            continue
        inner = scope_of(scope, block.slot)
        for position, dim in enumerate(block.shape):
            if dim is not None:
                continue
            spend(STEPS_A_PRODUCT, "the shapes of the tensors")
            with inner.at(_first_place(block)):
                product = unknown_product(inner, block.slot.dims[position])
            name = (block.slot.scope, str(product))
            open_dims.append((block, position, name))
            for part in families[block.key].stored:
                inside = count(within(part.boxes, block.axes))
                if inside and len(part.layout.shape) == len(block.shape):
                    votes.setdefault(name, Counter())[part.layout.shape[position]] += inside
    products: dict[Product, int] = {}
    for block, position, name in open_dims:
        value = elected(votes[name]) if name in votes else None
        if value is not None:
            block.shape = (*block.shape[:position], value, *block.shape[position + 1 :])
            products[name] = value
    return products


def elected(votes: Counter[int]) -> int | None:
    """The value of a clear majority; None if there is none."""
    value, count = votes.most_common(1)[0]
    return value if count >= MAJORITY * votes.total() else None


def _first_place(block: Block) -> list[tuple[str, int]]:
    """The first index of a block at each hole of its path."""
    axes = template(block.slot.path)[1]
    return [(axis, span.first) for span, axis in zip(block.axes, axes, strict=False) if isinstance(axis, str) and span]
