"""Background work in daemon threads: a caller can stop waiting for a result, and no thread delays the exit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeVar

T = TypeVar("T")
_POLL: Final = 0.25
"""Seconds between two checks whether a task is overdue."""


class Task(Generic[T]):
    """A function that runs in another thread, created by `begin`.

    overdue: called with the identifier of that thread (0 while the task waits for one); it returns a substitute for
    the result after the deadline, and None before.
    """

    def __init__(self, function: Callable[[], T], overdue: Callable[[int], T | None]) -> None:
        self._function, self._overdue = function, overdue
        self._done = threading.Event()
        self._thread = 0
        self._results: list[T] = []
        self._problem: BaseException | None = None

    def run(self) -> None:
        """Runs the function in this thread; an exception is kept for the caller of `result`."""
        self._thread = threading.get_ident()
        try:
            self._results.append(self._function())
        except BaseException as problem:
            self._problem = problem
        self._done.set()

    def result(self) -> T:
        """Waits for the result, or until the task is overdue; raises the exception of the function."""
        while not self._done.wait(_POLL):
            instead = self._overdue(self._thread)
            if instead is not None:
                return instead
        if self._problem is not None:
            raise self._problem
        return self._results[0]


def begin(
    functions: Iterable[Callable[[], T]], at_once: int, overdue: Callable[[int], T | None] = lambda _: None
) -> list[Task[T]]:
    """Runs functions in order, at most `at_once` at a time, and returns immediately."""
    tasks = [Task(function, overdue) for function in functions]
    waiting: SimpleQueue[Task[T]] = SimpleQueue()
    for task in tasks:
        waiting.put(task)

    def work() -> None:
        while True:
            try:
                waiting.get_nowait().run()
            except Empty:
                return

    for _ in range(min(at_once, len(tasks))):
        threading.Thread(target=work, daemon=True).start()
    return tasks
