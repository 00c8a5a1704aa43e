"""The tensors that AdaMSS stores for a module: small matrices for groups of its rows, which a clustering of the weights
forms.

Source: `update_layer` of PEFT's `tuners/adamss/layer.py`. The config states the number of groups; the number of rows in
each depends on the values of the weights and is read from the adapter. Together the groups contain all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.adapters.methods import Shape, Target
from inspector.adapters.targets import MODULES, Boxes
from inspector.algebra.boxes import boxes_of, count, tuples
from inspector.algebra.names import Index
from inspector.budget import spend
from inspector.matcher.families import Families

FIRST: Final = ".adamss_A.#"
SECOND: Final = ".adamss_B.#"
DIRECTIONS: Final = ".adamss_newB"
"""The directions onto which all groups of a module project the weights; saved and not trained."""
MOST_GROUPS: Final = 10_000
Piece = tuple[str, Shape, Boxes]
"""(ending, shape, indices that end with the group)."""


def subspaces(
    target: Target, key: str, boxes: Boxes, values: Mapping[str, Any], families: Families
) -> Iterator[Piece] | None:
    """The tensors of a module at some indices; None if the config does not determine their number."""
    groups, rank = values.get("num_subspaces"), values.get("subspace_rank")
    if type(groups) is not int or type(rank) is not int or not 0 < groups < MOST_GROUPS or rank < 1:
        return None
    if target.outputs is not None:
        groups = min(groups, target.outputs)
    return _pieces(target, key, boxes, groups, rank, values.get("use_dynamic_rank") is True, families)


def _pieces(
    target: Target, key: str, boxes: Boxes, groups: int, rank: int, dynamic: bool, families: Families
) -> Iterator[Piece]:
    inputs = None if target.inputs is None else target.inputs + target.biased
    widths = [one for one in (target.rank, inputs, target.outputs) if one is not None]
    directions = min(widths) if len(widths) == 3 else None
    if inputs is not None:
        yield DIRECTIONS, (directions, inputs), boxes
    stored = _stored(key + SECOND, families)
    alike: dict[tuple[str, Shape], list[Index]] = {}
    spend(count(boxes) * groups, MODULES)
    for index in (index for box in boxes for index in tuples(box)):
        own = [stored.get((*index, group)) for group in range(groups)]
        for group, rows in enumerate(_rows(own, target.outputs)):
            shape = own[group]
            kept = None if rows is None else min(rows, rank)
            if dynamic and kept is not None and shape is not None and 0 < shape[1] <= kept:
                kept = shape[1]
            elif dynamic and shape is None:
                kept = None
            place = (*index, group)
            low = kept if kept is None or directions is None else min(kept, directions)
            alike.setdefault((FIRST, (low, directions)), []).append(place)
            alike.setdefault((SECOND, (rows, kept)), []).append(place)
    for (ending, dims), places in alike.items():
        yield ending, dims, boxes_of(places)


def _stored(key: str, families: Families) -> Mapping[Index, tuple[int, int]]:
    """Index -> the shape of a stored matrix."""
    found: dict[Index, tuple[int, int]] = {}
    for part in families[key].stored if key in families else ():
        shape = part.layout.shape
        if len(shape) == 2:
            spend(count(part.boxes), MODULES)
            found.update((index, (shape[0], shape[1])) for box in part.boxes for index in tuples(box))
    return found


def _rows(stored: Sequence[tuple[int, int] | None], outputs: int | None) -> Iterator[int | None]:
    """The rows of each group: the stored number, chosen such that all groups together have the rows of the module."""
    known = [one[0] for one in stored if one is not None]
    left = None if outputs is None else outputs - sum(known)
    for one in stored:
        if one is not None:
            yield one[0] if left is None or len(known) < len(stored) else max(one[0] + left, 0)
        else:
            yield left if left is not None and left > 0 and len(known) == len(stored) - 1 else None
