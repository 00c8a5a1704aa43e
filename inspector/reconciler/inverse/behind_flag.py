"""Finds a wrong flag that explains nothing alone: only with its other value a second key counts, which is wrong too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from inspector.notation.binding import Plan
from inspector.notation.scope import Scope
from inspector.notation.trace import Leaf
from inspector.reconciler.inverse.cause import Cause
from inspector.reconciler.inverse.differences import Differences, differences_of
from inspector.reconciler.place import Placement

Bind = Callable[[Scope], tuple[Plan, Placement]]
Search = Callable[[Differences, Bind], tuple[list[Cause], Differences]]
MOST_FLAGS = 8
"""Most flags that are tried."""


def behind_a_flag(differences: Differences, bind: Bind, search: Search) -> tuple[Cause, Differences] | None:
    """The flag, with the key beside it, that together explain every difference; None without exactly one such flag.

    An example is `share_encoder_decoder_embeddings` of Marian, without which `decoder_vocab_size` counts.
    """
    found = [
        one for leaf in _flags(differences)[:MOST_FLAGS] if (one := _with(leaf, differences, bind, search)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _flags(differences: Differences) -> Sequence[Leaf]:
    """The flags of the config that a mismatched tensor depends on."""
    keys = {one.block.key for one in differences.placement.mismatched}
    rows = [row for row in differences.plan.rows if not keys.isdisjoint(block.key for block in row.blocks)]
    read = {leaf for row in rows for leaf in row.reads}
    return sorted((leaf for leaf in read if isinstance(differences.plan.scope.leaf(leaf)[0], bool)), key=str)


def _with(leaf: Leaf, differences: Differences, bind: Bind, search: Search) -> tuple[Cause, Differences] | None:
    """The cause of a flag with its other value, if one more key then explains everything."""
    scope = differences.plan.scope
    stated, defaulted = scope.leaf(leaf)
    turned = differences_of(*bind(scope.with_value(leaf, not stated)), differences.weights)
    if not 0 < turned.total <= differences.total:
        return None
    causes, after = search(turned, bind)
    if len(causes) != 1 or after.total:
        return None
    (other,) = causes
    cause = msgspec.structs.replace(
        other, key=".".join(map(str, leaf)), config=stated, weights=not stated, defaulted=defaulted, interval=None,
        explains=differences.total, rivals=(), together=(), beside=(other.key, other.weights), lost=None,
        misshaped=None,
    )  # fmt: skip
    return cause, after
