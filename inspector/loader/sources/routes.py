"""Where a store keeps the files of a repository: asked for before it is known how much of each is wanted.

A repository answers the request for a large file by a redirect to a store. These redirects are taken while
the tree and the index are still on their way; a server that sends the file itself has then sent its
beginning, which is of use too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import Final

from inspector.loader.sources.web import Answer, Failure, Wanted, Web, origin_of

BEGINNING: Final = 16_384
"""Bytes of a file that are asked for together with the redirect."""


class Routes:
    """The first answers to requests for files, by their addresses; asked for in order, at_once at a time."""

    def __init__(self, web: Web, urls: Iterable[str], at_once: int) -> None:
        self._web = web
        self._answers: dict[str, Answer | Failure | None] = {}
        self._there = {url: threading.Event() for url in urls}
        self._waiting: SimpleQueue[str] = SimpleQueue()
        self._opened = threading.Lock()
        self._connections = min(at_once, len(self._there))
        for url in self._there:
            self._waiting.put(url)
        for _ in range(self._connections):
            threading.Thread(target=self._work, daemon=True).start()

    def __contains__(self, url: str) -> bool:
        return url in self._there

    def take(self, url: str) -> Answer | None:
        """The first answer for an address, once it is there: a redirect (302) or the beginning of the file.

        None where it is unknown or failed: the request is then made anew, with all its repetitions.
        """
        there = self._there.get(url)
        if there is None:
            return None
        there.wait()
        answer = self._answers.get(url)
        return answer if isinstance(answer, Answer) else None

    def _work(self) -> None:
        while True:
            try:
                url = self._waiting.get_nowait()
            except Empty:
                return
            try:
                answer = self._web.get(Wanted(url, BEGINNING, 0, BEGINNING - 1, exact=False, tries=1, route=True))
                self._answers[url] = answer
                if isinstance(answer, Answer) and answer.status == 302:
                    self._prepare(answer.url)
            finally:
                self._there[url].set()

    def _prepare(self, target: str) -> None:
        """Opens the connections to the store, once its host is known."""
        if self._opened.acquire(blocking=False):
            origin = origin_of(target)
            if origin is not None:
                self._web.prepare(origin, self._connections)
