"""Compares two tensors, or corresponding slices of them, element by element in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

import numpy as np
from msgspec import Struct

from inspector.values.decoding import WIDE, Array, decoded, rounded, truncated
from inspector.values.stored import Elements

CHUNK: Final = 1 << 21
"""Elements that are decoded at a time: 8 MB per side in float32."""


class Numbers(Struct, frozen=True):
    """Raw elements, in memory or in a file, with the dtype to decode them as."""

    raw: Elements
    dtype: str


class Difference(Struct):
    """How two tensors differ.

    elements: compared. differing: elements that differ. largest: the largest difference, with its index
    and both values. rounding: "rounded" or "cut" where the target has the source's values in its narrower
    dtype, "finer" where the source has the target's values rounded, "" otherwise. beyond: whether values that are
    only rounded are left out of `differing`.
    """

    elements: int = 0
    differing: int = 0
    largest: float = 0.0
    place: tuple[int, ...] = ()
    source: float = 0.0
    target: float = 0.0
    rounding: str = ""
    beyond: bool = False

    @property
    def equal(self) -> bool:
        """Whether all elements are equal."""
        return not self.differing


def difference(source: Numbers, target: Numbers) -> Difference:
    """Compares two arrays of the same shape."""
    found, damage = Difference(), Difference(beyond=True)
    same = source.dtype == target.dtype
    wide = source.dtype in WIDE or target.dtype in WIDE
    ways = {"rounded": True, "cut": True, "finer": True}
    for place, (one, other) in _chunks(source.raw, target.raw):
        found.elements += one.size
        if same and np.array_equal(one, other):
            continue
        left, right = decoded(one, source.dtype, wide), decoded(other, target.dtype, wide)
        apart = ~((left == right) | (np.isnan(left) & np.isnan(right)))
        if same and one.dtype.kind in "iu" and source.dtype[0] in "IU":  # float64 cannot represent all 64-bit integers
            apart = one != other
        if not apart.any():
            continue
        _note(found, place, left, right, apart)
        narrowed = None if same else rounded(left, target.dtype)
        if narrowed is not None:
            _note(damage, place, left, right, apart & (narrowed != right))
        for way, narrow in (("rounded", rounded), ("cut", truncated)):
            ways[way] = ways[way] and _is_narrowed(narrow(left, target.dtype), right)
        ways["finer"] = ways["finer"] and _is_narrowed(rounded(right, source.dtype), left)
    if found.differing:
        found.rounding = next((way for way, holds in ways.items() if holds and not same), "")
    if found.differing and not found.rounding and 0 < 2 * damage.differing < found.differing:
        damage.elements = found.elements
        return damage
    return found


def _is_narrowed(expected: Array | None, found: Array) -> bool:
    return expected is not None and bool(((expected == found) | (np.isnan(expected) & np.isnan(found))).all())


def _note(found: Difference, place: tuple[int, ...], left: Array, right: Array, apart: Array) -> None:
    """Counts elements that differ, and keeps the largest difference."""
    if not apart.any():
        return
    found.differing += int(apart.sum())
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(left.astype(np.float64) - right.astype(np.float64))
    gap = np.where(apart, np.where(np.isnan(gap), np.inf, gap), 0)
    at = np.unravel_index(int(gap.argmax()), gap.shape)
    if gap[at] > found.largest or not found.place:
        found.largest = float(gap[at])
        inside = tuple(int(index) for index in at)
        found.place = (*place[:-1], place[-1] + inside[0], *inside[1:]) if place else inside
        found.source, found.target = float(left[at]), float(right[at])


def _chunks(*arrays: Elements) -> Iterator[tuple[tuple[int, ...], list[Array]]]:
    """Corresponding slices of arrays of the same shape, small enough to decode, and the start indices of each."""
    first = arrays[0]
    if first.ndim == 0 or first.size <= CHUNK:
        yield (0,) * min(first.ndim, 1), [np.asarray(array) for array in arrays]
        return
    row = prod(first.shape[1:])
    if row > CHUNK:
        for index in range(first.shape[0]):
            for place, parts in _chunks(*(array[index] for array in arrays)):
                yield (index, *place), parts
        return
    step = max(1, CHUNK // max(row, 1))
    for start in range(0, first.shape[0], step):
        yield (start,), [np.asarray(array[start : start + step]) for array in arrays]


class AbnormalCounts(Struct):
    """Abnormal values of one tensor: how many are NaN or infinite, and its only value if it is constant."""

    elements: int = 0
    nan: int = 0
    infinite: int = 0
    constant: float | None = None


def oddities(numbers: Numbers) -> AbnormalCounts:
    """Scans all elements once."""
    found = AbnormalCounts()
    low, high = np.inf, -np.inf
    for _, (raw,) in _chunks(numbers.raw):
        found.elements += raw.size
        if not raw.size:
            continue
        values = decoded(raw, numbers.dtype)
        found.nan += int(np.isnan(values).sum())
        found.infinite += int(np.isinf(values).sum())
        low, high = min(low, float(values.min())), max(high, float(values.max()))
    if found.elements > 1 and not found.nan and low == high:
        found.constant = low
    return found
