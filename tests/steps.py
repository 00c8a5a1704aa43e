"""Work counted in calls instead of seconds, so that a limit holds on any machine under any load."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from cProfile import Profile

LOOK = 1.0
"""Seconds between two looks at the count while work goes on: an endless loop must end."""


class TooMuchWork(AssertionError):
    """More calls than the test allows."""


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """
    Lets the block make so many calls: of Python functions, of generators for each value, and of C functions.

    The count is that of the interpreter's profiler, therefore it is the same on each machine; a limit allows three
    to five times what was measured. Quadratic work and endless loops exceed it.

    Raises
    ------
    TooMuchWork
        Soon after the limit, and again at the end of the block where the block caught it.
    """
    profile = Profile(builtins=True, subcalls=False)

    def look() -> None:
        made = sum(entry.callcount for entry in profile.getstats())
        if made > calls:
            raise TooMuchWork(f"{made:,} calls, more than {calls:,}")

    def look_aside(*_: object) -> None:
        profile.disable()  # looking is no work of the block: a busy machine looks more often
        try:
            look()
        finally:
            profile.enable()

    before = signal.signal(signal.SIGALRM, look_aside)
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    profile.enable()
    try:
        yield
    finally:
        profile.disable()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    look()
