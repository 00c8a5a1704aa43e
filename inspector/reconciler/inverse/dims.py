"""Equations of dims: a mismatched dim requests another value of each leaf that it reads."""

from __future__ import annotations

import re

from inspector.algebra.expression import Node
from inspector.algebra.values import whole
from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE
from inspector.notation.spelling import template
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.ballots import Ballots
from inspector.reconciler.inverse.differences import Differences, same_rank
from inspector.reconciler.inverse.flags import is_flag, only_a_list
from inspector.reconciler.inverse.solve import (
    LARGEST,
    SMALL,
    default_of,
    depth_of,
    in_order,
    on_trial,
    solutions,
    words_of,
)
from inspector.reconciler.place import Placed

Place = tuple[tuple[str, int], ...]
"""Hole -> its index."""


def ask_dims(differences: Differences, ballots: Ballots) -> None:
    """Adds the votes of every mismatched dim; equal equations are solved once."""
    tensors: dict[tuple[tuple[str, ...], Node, int, Place], int] = {}
    own = {id(row.slot) for row in differences.rows}
    for one in differences.placement.mismatched:
        slot = one.block.slot
        if id(slot) not in own or not same_rank(one):
            continue
        place = place_of(differences, one)
        for node, expected, stored in zip(slot.dims, one.block.shape, one.layout.shape, strict=True):
            if expected != stored:
                equation = (slot.scope, node, stored, place)
                tensors[equation] = tensors.get(equation, 0) + one.tensors
    for (path, node, stored, place), votes in tensors.items():
        _ask(differences, differences.plan.scope.below(path), node, stored, place, votes, ballots)


def _ask(
    differences: Differences,
    scope: Scope,
    node: Node,
    stored: int,
    place: Place,
    votes: int,
    ballots: Ballots,
) -> None:
    outer = differences.plan.scope
    counts = _counts(outer, scope, place)
    with scope.at(place):
        outer.trace.reads = set()
        scope.evaluate(node)
        for leaf in in_order(scope, [node], outer.trace.reads):
            current = outer.leaf(leaf)[0]
            if (current is None and only_a_list(scope, leaf[-1])) or is_flag(outer, leaf):
                continue
            words = words_of(outer, scope, leaf, [node]) if current is None or isinstance(current, str) else ()
            at = on_trial(scope, leaf, lambda: whole(scope.evaluate(node)))
            most = max(SMALL, 2 * (whole(current) or 0)) if leaf in counts else LARGEST
            for solution in solutions(at, current, default_of(outer, leaf), stored, words, most):
                ballots.add(leaf, solution, "dim", votes, depth_of(scope, [node], leaf))


def _counts(outer: Scope, scope: Scope, place: Place) -> frozenset[Leaf]:
    """The leaves that give the number of layers or experts. The stored layers determine it; a dim must not request
    another.

    The dim of a layer may depend on which layers exist, so that every number tried would cost as many steps.
    """
    outer.trace.reads = set()
    for hole, _ in place:
        scope.word((hole,))
    return frozenset(outer.trace.reads)


def place_of(differences: Differences, one: Placed) -> Place:
    """The first index of a mismatched tensor at each hole of its row, including holes inside segments."""
    slot = one.block.slot
    key, axes = template(differences.plan.spelling.spelled(slot, differences.plan.scope))
    boxes = one.boxes[0]
    place = tuple((axis, span.first) for axis, span in zip(axes, boxes, strict=False) if isinstance(axis, str))
    return (*place, *indices_inside(key, one.block.key))


def indices_inside(path: str, key: str) -> Place:
    """The indices inside the segments of a key, by hole: 6 in the stored `token_type_embeddings_6`."""
    holes = HOLE.findall(path)
    if not holes:
        return ()
    pattern = "([0-9]{1,6})".join(re.escape(text) for text in HOLE.split(path)[::2])
    found = re.fullmatch(pattern, key, re.ASCII)
    return tuple((hole, int(index)) for hole, index in zip(holes, found.groups(), strict=True)) if found else ()
