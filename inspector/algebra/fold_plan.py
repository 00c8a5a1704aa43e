"""The widths of an encoder that folds a patch of pixels into one vector, step by step.

The grids that a patch can be folded to grow by the prime factors of its side, largest first, then by those of its
duration; channels are rounded up to 64 while the side grows and are times 64 later. Each step takes the grid whose
number of pixels is nearest to an even growth on a logarithmic scale: any grid where there are enough steps, else each
step gets a different grid, at the least sum of distances. If two choices are equally near, the plan is absent, since
the choice would depend on the rounding of the program.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

from inspector.algebra.values import LISTS, Value
from inspector.budget import spend

CHANNELS = 64
MOST_STEPS = 64
MOST_GRIDS = 12
LARGEST_PATCH = 4_096
SAME = 1e-4
"""Distances that differ by less than this are equal in 32-bit arithmetic."""
Grid = tuple[int, int, int]


def fold_widths(sizes: list[int]) -> Value:
    """The input and output width of each step, in order: `folds(duration, side, steps, channels)`."""
    if len(sizes) != 4:
        return None
    duration, side, steps, channels = sizes
    if min(duration, side, steps, channels) < 1 or max(duration, side, channels) > LARGEST_PATCH or steps > MOST_STEPS:
        return None
    spend(steps, LISTS)
    grids = _plan(duration, side, steps, channels)
    if grids is None:
        return None
    found: list[Any] = []
    for (earlier, low, inside), (later, high, outside) in pairwise(grids):
        found += [inside * (later // earlier) * (high // low) ** 2, outside]
    return found


@lru_cache(maxsize=64)
def _plan(duration: int, side: int, steps: int, channels: int) -> tuple[Grid, ...] | None:
    grids: list[Grid] = [
        (1, 1, channels),
        *((1, reached, _rounded(reached**2 * channels)) for reached in _growing(side)),
        *((reached, side, side**2 * channels * reached * CHANNELS) for reached in _growing(duration)),
    ]
    whole = math.log(side**2 * duration * channels)
    sizes = [math.log(time * width**2) for time, width, _ in grids]
    cost = [[abs(whole * step / steps - size) for size in sizes] for step in range(steps + 1)]
    chosen = _nearest(cost) if steps >= len(grids) else _assigned(cost)
    return None if chosen is None else (grids[0], *(grids[at] for at in chosen[1:-1]), grids[-1])


def _rounded(channels: int) -> int:
    return -(-channels // CHANNELS) * CHANNELS


def _growing(number: int) -> list[int]:
    """The products of the prime factors, largest first."""
    factors: list[int] = []
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    found: list[int] = []
    for factor in reversed(factors):
        found.append(factor * (found[-1] if found else 1))
    return found


def _nearest(cost: list[list[float]]) -> tuple[int, ...] | None:
    """The nearest grid of every step; None if another grid is equally near."""
    found = tuple(min(range(len(row)), key=row.__getitem__) for row in cost)
    tied = any(
        distance - row[at] < SAME
        for row, at in zip(cost[1:-1], found[1:-1], strict=True)
        for other, distance in enumerate(row)
        if other != at
    )
    return None if tied else found


def _assigned(cost: list[list[float]]) -> tuple[int, ...] | None:
    """A different grid for every step, with the least sum of distances; None if another choice costs as little."""
    if len(cost[0]) > MOST_GRIDS:
        return None
    least, found = _cheapest(cost)
    for row, at in list(enumerate(found))[1:-1]:
        without = [[math.inf if (step, grid) == (row, at) else one for grid, one in enumerate(line)]
                   for step, line in enumerate(cost)]  # fmt: skip
        if _cheapest(without)[0] - least < SAME:
            return None
    return found


def _cheapest(cost: list[list[float]]) -> tuple[float, tuple[int, ...]]:
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
    for row in cost:
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        for taken, (total, chosen) in best.items():
            for at, one in enumerate(row):
                if not taken >> at & 1:
                    key, candidate = taken | 1 << at, (total + one, (*chosen, at))
                    if key not in following or candidate < following[key]:
                        following[key] = candidate
        best = following
    return min(best.values())
