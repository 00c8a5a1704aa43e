"""Recognises tensors that were joined from the ranks of FSDP without what a merger has to cut: padding and copies.

Each rank holds a chunk of ceil(rows / ranks) rows; torch pads the last chunks to that size. Joined with the padding,
the rows are the next multiple of the number of ranks. Buffers are not split: each rank holds the whole one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.budget import spend
from inspector.findings.finding import Finding
from inspector.loader.layout import Layout
from inspector.reconciler.place import Placed, Placement
from inspector.reconciler.shard_dtypes import FLOATS
from inspector.reconciler.wording import family_name

FAMILIES_SHOWN: Final = 20
MOST_RANKS: Final = 1024
"""Most ranks that are tried."""
FEWEST_FAMILIES: Final = 3
"""Fewest padded families, with other numbers of rows, that show the number of ranks."""
FEWEST_NUMBERS: Final = 2
WORK: Final = "the ranks of a merged save"

Merged = tuple[Finding, tuple[Placed, ...]]
"""A finding, and the mismatched tensors that it explains."""


def ranks_merged(placement: Placement) -> Merged | None:
    """The finding on rows that a merger of ranks left in the tensors."""
    wrong = placement.mismatched
    if not wrong or any(one.packed is not None or one.layout.dtype not in FLOATS for one in wrong):
        return None
    if (ranks := _ranks_of_padding(placement)) is not None:
        return _finding(wrong, placement, ranks, copied=False), wrong
    buffers = tuple(one for one in wrong if not (one.block.slot.tensor.counted or one.computed))
    if not {*map(_module, buffers)}.isdisjoint(_module(one) for one in wrong if one not in buffers):
        return None  # parameters of the same module have another size too: that of another config
    numbers = {_copies(one.block.shape, one.layout) for one in buffers}
    if len(numbers) == 1 and (ranks := numbers.pop()) is not None:
        return _finding(buffers, placement, ranks, copied=True), buffers
    return None


def _module(placed: Placed) -> str:
    return placed.block.key.rpartition(".")[0]


def _ranks_of_padding(placement: Placement) -> int | None:
    """The smallest number of which all rows are the next multiple; the ranks may be more."""
    rows: set[tuple[int, int]] = set()
    for one in placement.placed:
        stored, expected = one.layout.shape, one.block.shape
        if len(stored) != len(expected) or stored[1:] != expected[1:]:
            return None
        if stored and expected[0]:
            rows.add((stored[0], expected[0]))
    padded = {pair for pair in rows if pair[0] != pair[1]}
    families = {one.block.key for one in placement.mismatched}
    if len(padded) < FEWEST_NUMBERS or len(families) < FEWEST_FAMILIES:
        return None
    least = max(stored - expected for stored, expected in padded) + 1
    for ranks in range(max(least, 2), MOST_RANKS + 1):
        spend(1, WORK)
        if all(-(-expected // ranks) * ranks == stored for stored, expected in rows):
            return ranks
    return None


def _copies(expected: Sequence[int | None], layout: Layout) -> int | None:
    """The number of copies of a vector that follow each other in the stored one."""
    if len(expected) != 1 or len(layout.shape) != 1 or not expected[0] or expected[0] == 1:
        return None
    copies, rest = divmod(layout.shape[0], expected[0])
    return copies if not rest and 1 < copies <= MOST_RANKS else None


def _finding(wrong: Sequence[Placed], placement: Placement, ranks: int, copied: bool) -> Finding:
    from inspector.findings.merged_ranks import RowsOfRanks

    first = next((one for one in wrong if len(one.layout.shape) > 1), wrong[0])
    return RowsOfRanks(
        ranks=ranks,
        copied=copied,
        families=tuple(dict.fromkeys(family_name(one.block.key) for one in (first, *wrong)))[:FAMILIES_SHOWN],
        tensors=sum(one.tensors for one in wrong),
        of=sum(one.tensors for one in placement.placed),
        stored=first.layout.shape,
        expected=first.block.shape,
    )
