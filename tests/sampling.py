"""Samples of long lists of cases: the complete suite runs some of each kind, `-m slow` runs the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sampled(names: Iterable[str], every: int, kind: Callable[[str], object] = lambda name: "") -> list[Any]:
    """Cases by name: the first and then every so many of each kind, the others marked `slow`."""
    seen: defaultdict[object, int] = defaultdict(int)
    cases: list[Any] = []
    for name in names:
        of_kind = kind(name)
        cases.append(pytest.param(name, marks=[pytest.mark.slow] if seen[of_kind] % every else []))
        seen[of_kind] += 1
    return cases
