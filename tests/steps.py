"""Work counted in calls instead of seconds, so that a limit holds on any machine under any load."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooMuchWork(AssertionError):
    """More calls than the test allows."""


class Steps:
    """Calls of this thread: of Python functions, of generators for each value, and of C functions."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.made = 0

    def count(self, _frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" or event == "c_call":
            self.made += 1
            if self.made > self.most:
                self.check()

    def check(self) -> None:
        if self.made > self.most:
            raise TooMuchWork(f"more than {self.most:,} calls")


@contextmanager
def at_most(calls: int) -> Iterator[Steps]:
    """
    Lets the block make so many calls; stops it at the next one.

    The count is that of the interpreter's profiler, therefore it is the same on each machine; a limit allows three
    to five times what was measured. Quadratic work and endless loops exceed it.

    Raises
    ------
    TooMuchWork
        At the first call beyond the limit, and again at the end of the block where the block caught it.
    """
    steps = Steps(calls)
    before = sys.getprofile()
    sys.setprofile(steps.count)
    try:
        yield steps
    finally:
        sys.setprofile(before)
    steps.check()
