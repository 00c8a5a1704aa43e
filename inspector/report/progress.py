"""A progress bar on standard error: on a terminal only, and not before half a second."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Final, Self, TextIO

from inspector.findings.words import amount
from inspector.report.clean import takes_escapes

PATIENCE: Final = 0.5
"""Seconds before the first bar."""
PAUSE: Final = 0.1
"""Seconds between two bars."""
_WIDTH: Final = 24


class Bar:
    """Shows files done, files requested and bytes received. Callable as the loader's `progress`.

    Writes only to terminals. `end` removes the bar.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        what: str = "reading headers",
    ) -> None:
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._next = clock() + PATIENCE
        self._written = False
        self._shows = takes_escapes(self._stream)

    def __call__(self, done: int, total: int, bytes: int) -> None:
        """Draws the bar anew, at most ten times a second."""
        now = self._clock()
        if not self._shows or now < self._next:
            return
        self._next = now + PAUSE
        columns = _columns(self._stream)
        self._put("\r" + bar(done, total, bytes, self._what)[: columns - 1] + "\x1b[K")
        self._written = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Removes the bar."""
        if self._written:
            self._put("\r\x1b[K")
            self._written = False

    def _put(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._shows = False


def _columns(stream: TextIO) -> int:
    """Columns of a terminal; 80 if unknown."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def bar(done: int, total: int, bytes: int, what: str = "reading headers") -> str:
    """`reading headers  [######------------------]  41 of 163, 3.1 MB`."""
    if total <= 0:
        return f"reading  {amount(bytes)}"
    full = min(_WIDTH, _WIDTH * done // total)
    return f"{what}  [{'#' * full}{'-' * (_WIDTH - full)}]  {done:,} of {total:,}, {amount(bytes)}"
