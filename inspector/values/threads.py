"""Runs functions in parallel that read files and reduce arrays; both release Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")


def _processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


MOST: Final = 8
"""Most threads: enough to use a fast disk or the memory of a large machine. Each has its own memory to read into."""
THREADS: Final = min(MOST, max(1, _processors() // 2)) if hasattr(os, "preadv") else 1
"""Threads that read one tensor: one for each core, which usually means two processors. Both processors of a core wait
for the same memory, so that two threads would be slower than one. Only one thread if reads move the position of a file,
which only `preadv` does not.
"""


def at_once(functions: Sequence[Callable[[], T]]) -> list[T]:
    """Runs functions, the first one in this thread; returns their results in order. Raises the first exception."""
    if len(functions) == 1:
        return [functions[0]()]
    from concurrent.futures import wait

    others = [_threads(os.getpid()).submit(function) for function in functions[1:]]
    try:
        first = functions[0]()
    finally:
        wait(others)
    return [first, *(other.result() for other in others)]


@cache
def _threads(process: int) -> ThreadPoolExecutor:
    """The threads of a process, started when first needed: a forked process has none of its parent's threads."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(MOST - 1, f"values of {process}")
