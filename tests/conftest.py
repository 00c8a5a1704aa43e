"""The tiers of the suite, as markers of cases.

`complete`: all but two cases of each test; the fast tier leaves them out.
`thorough`: most cases of the tests and modules marked `thinned`; CI leaves them out; whoever
changes a package runs its tests with `-m "not slow"`, which includes them.

Hypothesis has no deadline, so that no test fails because the machine is busy. Bytecode is written even where the
environment turns that off: hundreds of tests start the command, and each would compile the whole package. Garbage is
collected rarely: each collection visits fourteen thousand cases, which took an eighth of the suite's time.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import defaultdict
from zlib import crc32

import hypothesis
import pytest

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
gc.set_threshold(50_000, 50, 50)
hypothesis.settings.register_profile("project", deadline=None)
hypothesis.settings.load_profile("project")
SAMPLE = 2
"""Cases of each parametrized test in the fast tier: those with the smallest checksums, whatever cases are added."""
THINNED = 16
"""CI runs one case of so many of a test marked `thinned`, again those with the smallest checksums, and `SAMPLE`."""


def pytest_sessionfinish() -> None:
    """pytest collects garbage five times at its end, which visits all fixtures that are in memory."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("complete"):
            continue
        cases[item.nodeid.partition("[")[0]].append(item)
    for each in cases.values():
        ordered = sorted(each, key=lambda item: crc32(item.nodeid.encode()))
        for place, item in enumerate(ordered):
            if place >= SAMPLE:
                item.add_marker("complete")
            if place >= max(SAMPLE, len(ordered) // THINNED) and item.get_closest_marker("thinned"):
                item.add_marker("thorough")
