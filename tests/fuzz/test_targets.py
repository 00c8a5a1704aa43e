"""The targets of the fuzzer accept their seeds, and seeds with a few changed bytes."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.targets import TARGETS, run

CHANGED = 8
"""Number of changed inputs for each seed."""


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name: str) -> None:
    chance = random.Random(name)
    for seed in TARGETS[name][1]:
        run(name, seed)
        for _ in range(CHANGED):
            data = bytearray(seed)
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            run(name, bytes(data[: chance.randint(1, len(data))]))
