"""The fast tier: a sample of the cases of each test; what is left out has the marker `complete`.

No test fails because the machine is busy: hypothesis has no deadline. Hundreds of tests start the command: bytecode is
written, also where the environment says otherwise, because each of them would compile the whole package. Garbage is
collected seldom: there are fourteen thousand cases to walk over each time, which took an eighth of the suite's time.
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
"""Cases of each parametrized test in the fast tier: those of the smallest checksum, which other cases do not change."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("complete"):
            continue
        cases[item.nodeid.partition("[")[0]].append(item)
    for each in cases.values():
        for item in sorted(each, key=lambda item: crc32(item.nodeid.encode()))[SAMPLE:]:
            item.add_marker("complete")
