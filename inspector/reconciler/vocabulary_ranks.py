"""Recognises tables of tokens saved from the ranks of a parallel run: the part of one rank, or a table of each.

Megatron pads the vocabulary to a multiple of 128 for each rank, Colossal-AI to one of 64, before they split it; torch
splits it unpadded. The rest of the model may be gathered all the same.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.gguf import WRITER as LLAMA_CPP
from inspector.findings.finding import Finding
from inspector.reconciler.place import Placed
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name

ROLES: Final = ("embed.token", "head.token", "embed.shared")
RANKS: Final = (2, 4, 8, 16, 32, 64)
PADDINGS: Final = (1, 64, 128)
"""Each rank's rows are a multiple of one of these."""
FEWEST_ROWS: Final = 2048
"""Shorter tables are often a simple fraction of another by chance."""
ROUND: Final = (1000, 1024)
"""Vocabularies are often multiples of these, so that one is a part of another by chance."""
FEWEST_COPIES: Final = 4
"""A table of twice the rows may have as many new tokens."""


def vocabulary_of_one_rank(case: Reconciled) -> tuple[Finding, tuple[Placed, ...]] | None:
    """The finding if nothing differs but the tables of tokens, which have the rows of one of several ranks."""
    from inspector.findings.single_causes import OneRankOfSeveral

    before = case.as_configured
    cut = before.mismatched
    if case.claim.writer == LLAMA_CPP:
        return None  # its converter writes whole models, so a number of the metadata is wrong
    if not cut or before.unexpected or any(not gap.block.slot.tied for gap in before.missing):
        return None
    if any(one.packed is not None or one.block.slot.role not in ROLES or not _fits_but_rows(one) for one in cut):
        return None
    sizes = {(one.layout.shape[0], one.block.shape[0]) for one in cut}
    if len(sizes) != 1:
        return None
    ((rows, configured),) = sizes
    if configured is None or (ranks := ranks_of(rows, configured)) is None:
        return None
    finding = OneRankOfSeveral(
        ranks=ranks,
        families=tuple(dict.fromkeys(family_name(one.block.key) for one in cut)),
        tensors=len(cut),
        whole=len({one.block.key for one in before.placed if one.fits}),
        stored=cut[0].layout.shape,
        expected=cut[0].block.shape,
        padded=rows * ranks if rows * ranks > configured else None,
        tables=True,
    )
    return finding, cut


def ranks_of(rows: int, configured: int) -> int | None:
    """The number of ranks, each of which has these rows of a vocabulary of the configured size; None for others."""
    if not FEWEST_ROWS <= rows < configured:
        return None
    for ranks in RANKS:
        if ranks * rows == configured:
            return None if any(rows % step == 0 for step in ROUND) else ranks
        if any(-(-configured // (ranks * step)) * step == rows for step in PADDINGS):
            return ranks
    return None


def copies_in(rows: int, configured: int, usual: object) -> tuple[int, int] | None:
    """(copies, rows of each) if a longer table is several tables of the configured vocabulary, or of the usual one of
    the class, before tokens were added, after each other.
    """
    for one in dict.fromkeys((configured, usual if type(usual) is int else 0)):
        copies, rest = divmod(rows, one) if one else (0, 1)
        if not rest and copies in RANKS and copies >= FEWEST_COPIES and one >= FEWEST_ROWS:
            return copies, one
    return None


def _fits_but_rows(one: Placed) -> bool:
    stored, expected = one.layout.shape, one.block.shape
    return len(stored) == len(expected) == 2 and stored[1] == expected[1]
