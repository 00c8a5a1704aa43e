"""Recognises an adapter of which one process of a sharded training run saved its own part of each tensor.

FSDP2 divides the first dim of each parameter among the processes (`torch.chunk`: all but the last have the rounded-up
part). If the whole state is requested without gathering it, the first process writes its own part: the first factor of
a pair then lacks rows of the rank, the second one outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

MOST_PROCESSES: Final = 4096
"""Most processes that are tried."""


class Factor(Struct, frozen=True):
    """A matrix of a pair: its shape, the wanted shape with None for an unknown dim, and the axis of the rank."""

    stored: tuple[int, ...]
    wanted: tuple[int | None, ...]
    rank_axis: int


def processes_of_slice(factors: Sequence[Factor]) -> Sequence[int]:
    """The possible numbers of processes if one part is stored; empty if the shapes are not those of such parts."""
    firsts = [one for one in factors if one.rank_axis == 0]
    seconds = [one for one in factors if one.rank_axis == 1]
    if not firsts or not seconds or any(len(one.stored) != len(one.wanted) for one in factors):
        return ()
    if any(one.stored[0] == one.wanted[0] or not _alike_behind(one) for one in factors):
        return ()
    ranks = [rank for one in firsts if (rank := one.wanted[0]) is not None]
    if len(ranks) < len(firsts):
        return ()
    most = min([MOST_PROCESSES, *ranks])
    return [parts for parts in range(2, most + 1) if all(_is_part(one, parts) for one in factors)]


def _alike_behind(factor: Factor) -> bool:
    """True if all dims but the first are as wanted."""
    pairs = zip(factor.stored[1:], factor.wanted[1:], strict=True)
    return all(wanted in (own, None) for own, wanted in pairs)


def _is_part(factor: Factor, parts: int) -> bool:
    """True if the first dim is the part of the first of this many processes."""
    whole = factor.wanted[0]
    return whole is None or -(-whole // parts) == factor.stored[0]
