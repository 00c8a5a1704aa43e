"""The rows of values for which llama.cpp's quantizers were recorded, and their weights, exact on every machine."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

WIDTH: Final = 512
WEIGHTS: Final = ("equal", "uneven")


def uniform(size: int, seed: int) -> NDArray[Any]:
    """Numbers between 0 and 1 from a linear congruential generator."""
    found, state = np.empty(size), seed
    for at in range(size):
        state = (6_364_136_223_846_793_005 * state + 1_442_695_040_888_963_407) % 2**64
        found[at] = (state >> 33) / 2**31
    return found


def rows(number: int = 2) -> NDArray[Any]:
    """Rows of approximately normal numbers: sums of twelve uniform ones."""
    sums = uniform(12 * number * WIDTH, 7).reshape(number, WIDTH, 12).sum(axis=-1) - 6
    return np.ascontiguousarray(sums / 50, np.float32)


def weights(which: str) -> NDArray[Any]:
    """Weights of the columns: all 1, or over four orders of magnitude."""
    found = np.ones(WIDTH) if which == "equal" else 10 ** (4 * uniform(WIDTH, 3) - 2)
    return np.ascontiguousarray(found, np.float32)
