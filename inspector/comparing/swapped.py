"""Tensors that hold the values of another tensor of the source, where rounding or quantization changed their bytes.

Of the tensors that differ, those of one shape are compared with each other's source, by the rules of the tensor that
they may be: its order of rows, its fit. Where the files of both sides have the same bytes, their digests tell it.
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
"""Correlation of first rows from which on tensors are compared whole."""
PROVEN: Final = frozenset({EQUAL, ROUNDED, REORDERED, QUANTIZED, COMPUTED})
"""Outcomes of the same values."""


class Unlike(Struct, frozen=True):
    """A tensor that differs. at: its verdict; source, target: its tensors, of which `carried` has the rules."""

    at: int
    carried: Carried
    source: LogicalTensor
    target: LogicalTensor


Read = Callable[[Carried, int, LogicalTensor], Numbers | None]
"""The numbers of a tensor of the source (0) or the target (1); None where they are not read."""
Outcome = Callable[[Carried, LogicalTensor, LogicalTensor], str]
"""What becomes of a tensor of the source in one of the target, by the rules of the first."""


def hold_others(found: Values, unlike: Sequence[Unlike], read: Read, outcome: Outcome) -> None:
    """Notes in the verdicts of tensors that differ whose values they hold, where this is proven."""
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
    """Tensors with those whose values they hold."""
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
    """The first row of a tensor: no order of rows of a head moves it. None where it is not read."""
    numbers = read(one.carried, side, (one.source, one.target)[side])
    if numbers is None or numbers.raw.ndim != 2:
        return None
    try:
        found: Array = values_of(numbers.raw[:1], numbers.dtype)[0]
        return found
    except ReadStopped:
        return None


def _are_alike(row: Array | None, other: Array | None) -> bool:
    """True if two rows correlate; rows that are not known may."""
    if row is None or other is None or row.shape != other.shape:
        return True
    size = float(np.linalg.norm(row)) * float(np.linalg.norm(other))
    return bool(np.isfinite(size)) and size > 0 and abs(float(row @ other)) >= ALIKE * size
