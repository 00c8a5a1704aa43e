"""The headers of many files at once, each in a thread of its own as far as that is allowed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from msgspec.structs import replace

from inspector.loader.sources.ranges import Head, read_header
from inspector.loader.sources.routes import Routes
from inspector.loader.sources.source import Opening, Refusal
from inspector.loader.sources.web import Web


class ManyHeaders:
    """Begins to read when it is made; `take` waits for one file.

    told is called with the number of files that have arrived, from the thread that takes.
    """

    def __init__(
        self, web: Web, heads: Sequence[Head], at_once: int, routes: Routes | None, reported: Callable[[int], None]
    ) -> None:
        self._web, self._routes, self._reported = web, routes, reported
        self._asked: SimpleQueue[Head] = SimpleQueue()
        self._arrived: SimpleQueue[tuple[str, Opening | Refusal | BaseException]] = SimpleQueue()
        self._there: dict[str, Opening | Refusal] = {}
        self._done = 0
        web.extend(sum(head.expected or 0 for head in heads))
        for head in heads:
            self._asked.put(head)
        for _ in range(min(at_once, len(heads))):
            threading.Thread(target=self._work, daemon=True).start()

    def take(self, name: str) -> Opening | Refusal:
        """The beginning of a file, each once."""
        while name not in self._there:
            arrived, outcome = self._arrived.get()
            if isinstance(outcome, BaseException):
                raise outcome
            self._there[arrived] = outcome
            self._done += 1
            self._reported(self._done)
        return self._there.pop(name)

    def _work(self) -> None:
        while True:
            try:
                head = self._asked.get_nowait()
            except Empty:
                return
            try:
                if self._routes is not None:
                    head = replace(head, begun=self._routes.take(head.url))
                self._arrived.put((head.name, read_header(self._web.get, head)))
            except BaseException as problem:
                self._arrived.put((head.name, problem))
                return
