"""Work counted in calls instead of seconds, so that a limit holds on any machine under any load."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from cProfile import Profile

CHECK_INTERVAL = 1.0
"""Seconds between two checks of the count during the block, so that an endless loop is stopped."""


class TooMuchWork(AssertionError):
    """The block made more calls than the test allows."""


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """
    Limit the calls that the block makes: of Python functions, of generators for each value, and of C functions.

    The interpreter's profiler counts, so the count is the same on each machine; a limit allows three to five
    times what was measured. Quadratic work and endless loops exceed it.

    Raises
    ------
    TooMuchWork
        Soon after the limit, and again at the end of the block if the block caught it.
    """
    profile = Profile(builtins=True, subcalls=False)

    def check() -> None:
        made = sum(entry.callcount for entry in profile.getstats())
        if made > calls:
            raise TooMuchWork(f"{made:,} calls, more than {calls:,}")

    def check_uncounted(*_: object) -> None:
        profile.disable()  # the check itself does not count: on a busy machine it runs more often
        try:
            check()
        finally:
            profile.enable()

    before = signal.signal(signal.SIGALRM, check_uncounted)
    signal.setitimer(signal.ITIMER_REAL, CHECK_INTERVAL, CHECK_INTERVAL)
    profile.enable()
    try:
        yield
    finally:
        profile.disable()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    check()
