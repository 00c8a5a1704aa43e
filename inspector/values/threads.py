"""Runs functions at the same time that read files and reduce arrays: both leave Python's lock to other threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")


def _processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


MOST: Final = 8
"""Threads that keep a fast disk or the memory of a large machine busy; each has its own memory to read into."""
THREADS: Final = min(MOST, max(1, _processors() // 2)) if hasattr(os, "preadv") else 1
"""Threads that read one tensor: one a core, which is mostly two processors. Both of a core wait for the same memory:
two threads are slower there than one. One where reads move the position of a file: only `preadv` leaves it alone."""


def at_once(functions: Sequence[Callable[[], T]]) -> list[T]:
    """Runs functions, the first one in this thread: their results in their order. Raises the first exception."""
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
    """The threads of a process, started when they are first needed: a forked process has none of its parent's."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(MOST - 1, f"values of {process}")
