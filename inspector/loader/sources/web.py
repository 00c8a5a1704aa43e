"""Requests to the Hub over the session of huggingface_hub: redirects, retries, limits, and a token for one origin only.

The session is an HTTP client with connections, proxies, certificates and hooks; users of huggingface_hub can replace it
with `set_client_factory`. This module decides: a credential goes only to the origin it was given for, never again after
a redirect to another origin, and never into a message. Redirects are limited, never from https to http, never from a
public address to a local one. Transient faults are retried once or twice; all others return a `RequestFailure` at once.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from inspector import budget
from inspector.loader.sources.redirects import (
    PLACES,
    REACHES,
    Origin,
    distance,
    distance_by_name,
    origin_of,
    plain,
    target_of,
    why_not_followed,
)
from inspector.loader.sources.session import (
    Connecting,
    Pieces,
    error_of,
    length_of,
    masked,
    peer_of,
    problem_of,
    retry_after,
    session,
    unzipped,
)
from inspector.loader.sources.tasks import Task, begin
from inspector.loader.sources.traffic import Meter

T = TypeVar("T")
TRANSIENT: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Transient statuses, worth a retry."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SHOWN, _ERROR_BODY = 300, 4_000
_GRACE: Final = 1.0
"""Seconds after its deadline at which the wait for an exchange ends."""


class Limits(Struct, frozen=True):
    """Limits in seconds, bytes per second, and numbers."""

    connecting: float = 6.0
    silence: float = 10.0
    head: float = 12.0
    """Seconds from the request to the last header line."""
    slowest: float = 30_000.0
    """Slowest accepted body, in bytes per second."""
    tries: int = 3
    slow_tries: int = 2
    """Tries for a request that timed out, or a host that cannot be reached."""
    pause: float = 0.3
    """Seconds before the first retry; four times as long before the next."""
    longest_wait: float = 20.0
    """Most seconds of a wait that a server requests by Retry-After."""
    hops: int = 6
    whole: float = 55.0
    """Total seconds; the time for the bytes at the slowest speed is added."""
    at_once: int = 32
    """Most connections to one origin."""


_reaches: Final[WeakKeyDictionary[Any, dict[Origin, str]]] = WeakKeyDictionary()
"""Session -> distance of its home origins, for connections that are reused."""


class RequestFailure(Struct, frozen=True):
    """Why a request failed.

    kind: "status" (a refusing answer), or one of "connect", "dns", "tls", "proxy", "timeout", "dropped", "malformed",
    "redirect", "refused", "large", "encoded", "offline". detail: the same in words, without credentials. host: the
    requested server. headers and body: of a refusing answer. error: the class of error that huggingface_hub raises for
    it.
    """

    kind: str
    detail: str
    host: str = ""
    status: int = 0
    tries: int = 1
    headers: Mapping[str, str] = {}
    body: bytes = b""
    error: str = ""


NO_REQUEST: Final = RequestFailure("spent", "more requests than one audit may make")


class Answer(Struct, frozen=True):
    """A 2xx answer. body: as many bytes as requested, or all. url: the last of the redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    length: int | None
    """Bytes of the whole body, if the server stated them."""
    asked: int = 0
    """Most bytes to read."""


class Request(Struct, frozen=True):
    """A request. first and last: the range of bytes, both ends included; most: bytes of the body to read."""

    url: str
    most: int
    first: int | None = None
    last: int | None = None
    headers: Mapping[str, str] = {}
    exact: bool = True
    """True if a body longer than `most` is a failure ("large"), unless the request is for a range."""
    tries: int | None = None
    """Most attempts; None for the number in the limits."""
    route: bool = False
    """True to stop at the first redirect: the answer then has status 302 and the target as url."""
    compressed: bool = False
    """True if the body may be compressed by gzip."""


class Stopped(Exception):
    """Raised if the user cancelled the reading, or if its result is not needed any more."""


class _RedirectRefused(Exception):
    """Raised for a forbidden target of a redirect."""


class Web:
    """The requests of one reading, from any number of threads.

    headers: of every request; Authorization is sent only to `home`.
    """

    def __init__(self, home: Origin, headers: Mapping[str, str], limits: Limits, meter: Meter) -> None:
        self._home, self._budget = home, budget.current()
        self._headers = {name.lower(): value for name, value in headers.items()}
        self._secret = self._headers.get("authorization", "").rpartition(" ")[2]
        self.limits, self.meter = limits, meter
        self._reach = _reaches.get(session(), {}).get(home, "")  # distance of the home, once connected
        self._slots: dict[Origin, threading.Semaphore] = {}
        self._deadlines: dict[int, tuple[float, Origin]] = {}  # thread -> deadline of its exchange
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._resume = 0.0  # time before which a server must not be contacted again
        self._ends = time.monotonic() + limits.whole
        self._pieces = Pieces()

    def extend(self, bytes: int) -> None:
        """Extends the total deadline for more bytes, by the slowest accepted speed."""
        self._ends += bytes / self.limits.slowest

    def close(self) -> None:
        """Ends all waiting. The session stays open: it belongs to huggingface_hub."""
        self._stop.set()

    def begin(self, functions: Iterable[Callable[[], T]], instead: Callable[[RequestFailure], T]) -> list[Task[T]]:
        """Runs functions that make requests in threads; `instead` creates the result of those that time out."""

        def overdue(thread: int) -> T | None:
            failure = self._overdue(thread)
            return None if failure is None else instead(failure)

        return begin(functions, self.limits.at_once, overdue)

    def ask(self, wanted: Request) -> Task[Answer | RequestFailure]:
        """Makes a request in a separate thread."""
        return self.begin([lambda: self.get(wanted)], lambda failure: failure)[0]

    def get(self, wanted: Request) -> Answer | RequestFailure:
        """The answer to a request, after redirects and retries.

        A server that sends its headers byte by byte blocks the calling thread; `ask` does not wait for it.
        """
        tries = 0
        while True:
            tries += 1
            outcome = self._once(wanted) if self._budget is None or self._budget.takes_request() else NO_REQUEST
            if isinstance(outcome, Answer):
                return outcome
            patience = self._patience(outcome, tries)
            if patience is None or (wanted.tries is not None and tries >= wanted.tries):
                detail = outcome.detail if tries == 1 else f"{outcome.detail} ({tries} tries)"
                return replace(outcome, detail=detail, tries=tries)
            self._pause(patience)
            self.meter.again(patience if outcome.status == 429 else 0.0)

    def scrub(self, text: object) -> str:
        """A server's text without the token, in one line of limited length."""
        cleaned = str(text)
        if self._secret:
            cleaned = cleaned.replace(self._secret, "***")
        cleaned = "".join(char if char.isprintable() else " " for char in cleaned[: 4 * _SHOWN])
        return re.sub(r"(?i)(bearer|basic)\s+\S+", r"\1 ***", " ".join(cleaned.split()))[:_SHOWN]

    # --- time ---

    def _overdue(self, thread: int) -> RequestFailure | None:
        """The failure if the exchange of a thread, or the whole reading, exceeded its deadline."""
        deadline, origin = self._deadlines.get(thread, (self._ends, self._home))
        if time.monotonic() < min(deadline, self._ends) + _GRACE:
            return None
        return RequestFailure("timeout", f"{origin.authority}: the request timed out", origin.host)

    def _patience(self, failure: RequestFailure, tries: int) -> float | None:
        """Seconds before a retry; None if a retry would not help or the time is over."""
        slow = failure.kind in ("timeout", "connect")
        transient = slow or failure.kind == "dropped" or failure.status in TRANSIENT
        if not transient or tries >= (self.limits.slow_tries if slow else self.limits.tries):
            return None
        seconds: float = self.limits.pause * 4.0 ** (tries - 1)
        asked = retry_after(failure.headers) if failure.status in (429, 503) else None
        if asked is not None:
            if asked > self.limits.longest_wait and tries > 1:
                return None  # one wait that is shorter than requested is enough
            seconds = min(asked, self.limits.longest_wait)
        if time.monotonic() + seconds >= self._ends:
            return None
        if failure.status == 429:
            self._resume = max(self._resume, time.monotonic() + seconds)
        return seconds

    def _pause(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise Stopped

    def _once(self, wanted: Request) -> Answer | RequestFailure:
        """One attempt, with all redirects."""
        while (early := self._resume - time.monotonic()) > 0:
            self._pause(early)
        url, trusted = wanted.url, True
        seen: list[str] = []
        while True:
            if self._stop.is_set():
                raise Stopped
            origin = origin_of(url)
            if origin is None:
                return RequestFailure("redirect", f"it redirects to an invalid address: {self.scrub(plain(url))}")
            trusted = trusted and origin == self._home
            outcome = self._exchange(origin, url, wanted, trusted)
            if not isinstance(outcome, str):
                return outcome
            seen.append(url)
            target = target_of(url, outcome)
            endless = len(seen) >= self.limits.hops or target in seen
            problem = f"{origin.authority} redirects too many times" if endless else why_not_followed(origin, target)
            if problem:
                return RequestFailure("redirect", self.scrub(problem), origin.host)
            if wanted.route:
                return Answer(302, {}, b"", target, None)
            url = target

    def _exchange(self, origin: Origin, url: str, wanted: Request, trusted: bool) -> Answer | RequestFailure | str:
        """A request to one origin: the answer, the refusal, or the target of a redirect."""
        slot = self._slot(origin)
        now = time.monotonic()
        if not slot.acquire(timeout=max(0.0, self._ends - now)):
            return RequestFailure("timeout", f"{origin.authority}: the request timed out", origin.host)
        connecting = Connecting(origin, self._judge, self._pieces)
        self._deadlines[threading.get_ident()] = (now + self.limits.connecting + self.limits.head, origin)
        try:
            self.meter.request()
            response = self._sent(url, wanted, trusted, connecting)
            try:
                peer = None if self._reach else peer_of(response.extensions.get("network_stream"))
                if peer is not None:  # of a reused connection
                    self._judge(origin, peer)
                return self._answered(response, wanted, origin, url)
            finally:
                response.close()
        except _RedirectRefused as refused:
            return RequestFailure("refused", str(refused), origin.host)
        except Exception as error:
            kind, words = problem_of(error)
            if not kind:
                raise
            proxy = f"the proxy {connecting.proxy}: " if connecting.proxy and kind in ("connect", "dns", "tls") else ""
            kind = "proxy" if proxy and kind != "tls" else kind
            return RequestFailure(kind, f"{origin.authority}: {proxy}{self.scrub(words)}", origin.host)
        finally:
            self._deadlines.pop(threading.get_ident(), None)
            slot.release()

    def _slot(self, origin: Origin) -> threading.Semaphore:
        with self._lock:
            return self._slots.setdefault(origin, threading.Semaphore(self.limits.at_once))

    def _sent(self, url: str, wanted: Request, trusted: bool, connecting: Connecting) -> Any:
        """The response of the session, with an unread body."""
        client, limits = session(), self.limits
        headers = {**self._headers, "accept-encoding": "gzip" if wanted.compressed else "identity", **wanted.headers}
        if wanted.first is not None:
            headers["range"] = f"bytes={wanted.first}-{'' if wanted.last is None else wanted.last}"
        request = client.build_request(
            "GET",
            url,
            headers=headers,
            timeout=(limits.connecting, limits.silence, limits.silence, max(0.1, self._ends - time.monotonic())),
            extensions={"trace": connecting},
        )
        if trusted:
            return client.send(request, stream=True, follow_redirects=False)
        for name in ("authorization", "cookie"):
            request.headers.pop(name, None)
        return client.send(request, stream=True, follow_redirects=False, auth=None)

    def _answered(self, response: Any, wanted: Request, origin: Origin, url: str) -> Answer | RequestFailure | str:
        """The answer from a response, with the requested part of its body."""
        headers = {name.lower(): masked(value, self._secret) for name, value in response.headers.items()}
        if response.status_code in _REDIRECTS and (location := str(response.headers.get("location", ""))):
            self._drain(response, _ERROR_BODY)
            return location
        if not 200 <= response.status_code < 300:
            return self._refusal(response, headers, origin)
        coding = headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity") and not (wanted.compressed and coding == "gzip"):
            return RequestFailure(
                "encoded", f"{origin.authority} sends unsupported encoding {self.scrub(coding)}", origin.host
            )
        length = length_of(headers)
        most, whole = wanted.most, wanted.exact and wanted.first is None
        if whole and length is not None and length > most:
            return RequestFailure("large", f"{length:,} bytes, the limit is {most:,}", origin.host)
        coming = most if length is None else min(most, length)
        body = self._read(response, most + whole, self.limits.silence + coming / self.limits.slowest)
        self.meter.received(min(len(body), most))
        if coding == "gzip":
            body = unzipped(body, most + 1)
        if whole and len(body) > most:
            return RequestFailure("large", f"more than the limit of {most:,} bytes", origin.host)
        return Answer(response.status_code, headers, masked(body[:most], self._secret), url, length, most)

    def _refusal(self, response: Any, headers: Mapping[str, str], origin: Origin) -> RequestFailure:
        """The failure for a 4xx or 5xx answer, with its message."""
        body = self._drain(response, _ERROR_BODY)
        said = self.scrub(headers.get("x-error-message", "")) or self.scrub(response.reason_phrase)
        detail = f"{origin.authority} answers {response.status_code}" + (f": {said}" if said else "")
        asked = retry_after(headers) if response.status_code in (429, 503) else None
        if asked is not None:
            detail += f"; retry after {asked:,.0f} s"
        return RequestFailure("status", detail, origin.host, response.status_code, 1, headers, body, error_of(response))

    def _drain(self, response: Any, most: int) -> bytes:
        """Reads the start of a body that matters only for its message. A longer body ends its connection."""
        try:
            return self._read(response, most, min(2.0, self.limits.silence))
        except Exception:
            return b""

    def _read(self, response: Any, most: int, seconds: float) -> bytes:
        """The first `most` bytes of a body, fewer if it ends earlier. The rest is dropped with its connection."""
        if response.is_stream_consumed:  # read by a hook of the session
            return bytes(response.content[:most])
        deadline = min(time.monotonic() + seconds, self._ends)
        thread = threading.get_ident()
        self._deadlines[thread] = (deadline + self.limits.silence, self._deadlines[thread][1])
        parts: list[bytes] = []
        left = most
        for part in response.iter_raw():
            self._pieces.count(part)
            parts.append(part[:left])
            left -= len(part)
            if left < 0 or (left == 0 and length_of(response.headers) != most):
                break
            if time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(parts)

    def _judge(self, origin: Origin, numeric: str | None) -> None:
        """Raises for a forbidden target of a redirect.

        numeric: the connected IP address, None if a proxy resolves it. The first address of the home decides how near
        to this machine other addresses may be.
        """
        if origin == self._home:
            self._reach = self._reach or ("public" if numeric is None else distance(numeric))
            _reaches.setdefault(session(), {})[origin] = self._reach
            return
        near = distance_by_name(origin.host) if numeric is None else distance(numeric)
        allowed = REACHES["public" if numeric is None else self._reach or "public"]
        if near not in allowed:
            raise _RedirectRefused(f"{origin.authority} is an address of this {PLACES[near]}: not followed")
