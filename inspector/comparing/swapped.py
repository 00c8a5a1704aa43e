"""Finds tensors with the values of another tensor of the source, even if rounding or quantization changed their bytes.

Differing tensors of one shape are compared with each other's source, by the rules (order of rows, fit) of the tensor
that they may be. If the bytes are the same, digests show it without this comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.comparing.tally import Carried, LogicalTensor
from inspector.values.decoding import Array
from inspector.values.quantized import shape_of, values_of
from inspector.values.result import COMPUTED, EQUAL, QUANTIZED, REORDERED, ROUNDED, Values
from inspector.values.stored import Numbers, ReadStopped

MOST_TENSORS: Final = 256
"""Most tensors that are compared with each other."""
ALIKE: Final = 0.5
"""Least correlation of first rows for tensors to be compared completely."""
PROVEN: Final = frozenset({EQUAL, ROUNDED, REORDERED, QUANTIZED, COMPUTED})
"""Outcomes that mean the same values."""


class Unlike(Struct, frozen=True):
    """A tensor that differs. at: position of its verdict. source, target: its tensors, converted by the rules of
    `carried`.
    """

    at: int
    carried: Carried
    source: LogicalTensor
    target: LogicalTensor


Read = Callable[[Carried, int, LogicalTensor], Numbers | None]
"""Reads the numbers of a tensor of the source (0) or the target (1); None if they cannot be read."""
Outcome = Callable[[Carried, LogicalTensor, LogicalTensor], str]
"""The outcome of comparing a tensor of the source with one of the target, by the rules of the first."""


def hold_others(found: Values, unlike: Sequence[Unlike], read: Read, outcome: Outcome) -> None:
    """Records in the verdict of a differing tensor which tensor's values it contains, if that is proven."""
    groups: dict[tuple[int, ...], list[Unlike]] = {}
    for one in unlike:
        numbers = None if found.verdicts[one.at].relation else read(one.carried, 1, one.target)
        if numbers is not None and numbers.raw.ndim > 1:
            groups.setdefault(shape_of(numbers), []).append(one)
    for members in groups.values():
        if 1 < len(members) <= MOST_TENSORS:
            for one, other in _pairs(members, read, outcome):
                verdict = found.verdicts[one.at]
                found.verdicts[one.at] = replace(verdict, holds=found.verdicts[other.at].source)


def _pairs(members: Sequence[Unlike], read: Read, outcome: Outcome) -> Iterator[tuple[Unlike, Unlike]]:
    """(tensor, other tensor that had these values before the conversion)."""
    before, after = ([_first_row(one, side, read) for one in members] for side in (0, 1))
    for one, row in zip(members, after, strict=True):
        for other, begin in zip(members, before, strict=True):
            if other is one or not _are_alike(row, begin):
                continue
            try:
                same = outcome(other.carried, other.source, one.target) in PROVEN
            except ReadStopped:
                same = False
            if same:
                yield one, other
                break


def _first_row(one: Unlike, side: int, read: Read) -> Array | None:
    """The first row of a tensor, which no reordering of rows moves. None if it cannot be read."""
    numbers = read(one.carried, side, (one.source, one.target)[side])
    if numbers is None or numbers.raw.ndim != 2:
        return None
    try:
        found: Array = values_of(numbers.raw[:1], numbers.dtype)[0]
        return found
    except ReadStopped:
        return None


def _are_alike(row: Array | None, other: Array | None) -> bool:
    """True if two rows correlate, or if a row is unknown."""
    if row is None or other is None or row.shape != other.shape:
        return True
    size = float(np.linalg.norm(row)) * float(np.linalg.norm(other))
    return bool(np.isfinite(size)) and size > 0 and abs(float(row @ other)) >= ALIKE * size
