"""Counts the traffic of reading over a network."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from msgspec import Struct

from inspector.findings.words import amount


class Traffic(Struct, frozen=True):
    """Bytes of content received, requests sent (redirects and repeated ones too), seconds from first to last.

    waits: seconds waited at the request of servers.
    """

    bytes: int
    requests: int
    seconds: float
    repeated: int = 0
    waits: float = 0.0

    def __str__(self) -> str:
        noun = "request" if self.requests == 1 else "requests"
        return f"read {amount(self.bytes)} in {self.requests:,} {noun}, {self.seconds:.1f} s"


class Progress(Protocol):
    """Called from the reading thread whenever something has arrived."""

    def __call__(self, done: int, total: int, bytes: int) -> None:
        """done of total files are read; bytes were received so far."""


class Meter:
    """The running count, shared by the threads of one reading."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._ended = self._began
        self._bytes = self._requests = self._repeated = 0
        self._waits = 0.0

    def request(self) -> None:
        """Counts a request."""
        with self._lock:
            self._requests += 1

    def again(self, waited: float = 0.0) -> None:
        """Counts a repeated request, and the wait that the server asked for."""
        with self._lock:
            self._repeated += 1
            self._waits += waited

    def received(self, count: int) -> None:
        """Counts received bytes of content."""
        with self._lock:
            self._bytes += count
            self._ended = time.monotonic()

    @property
    def bytes(self) -> int:
        """Bytes of content so far."""
        return self._bytes

    def traffic(self) -> Traffic:
        """The count so far."""
        with self._lock:
            seconds = round(self._ended - self._began, 3)
            return Traffic(self._bytes, self._requests, seconds, self._repeated, round(self._waits, 3))
