"""Requests to the Hub over the session of huggingface_hub: redirects, retries, limits, and a token for one origin only.

The session is an HTTP client with its own connections, proxies, certificates and hooks; users of
huggingface_hub replace it with `set_client_factory`. Decided here: a credential goes to the origin it was
given for and to no other, never again after a redirect has led elsewhere, and into no message. Redirects
are few, never from https to http, never to an address of this machine or network from a public one.
Transient faults are retried once or twice; all others end at once in a `RequestFailure`, which is data.
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
    error_of,
    length_of,
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
"""Statuses of answers that a later request may well not get."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SHOWN: Final = 300
_ERROR_BODY: Final = 4_000
_GRACE: Final = 1.0
"""Seconds behind its deadline after which the wait for an exchange is given up."""


class Limits(Struct, frozen=True):
    """Bounds in seconds, bytes per second, and numbers."""

    connecting: float = 6.0
    silence: float = 10.0
    head: float = 12.0
    """From the request to the last header line."""
    slowest: float = 30_000.0
    """Bytes per second below which a body is given up."""
    tries: int = 3
    slow_tries: int = 2
    """Of a request that ran out of time, or of a host that cannot be reached."""
    pause: float = 0.3
    """Before the first retry; four times as long before the next."""
    longest_wait: float = 20.0
    """Of what a server asks for by Retry-After."""
    hops: int = 6
    whole: float = 55.0
    """Of everything; the time that the bytes need at the slowest speed is added."""
    at_once: int = 32
    """Connections to one origin."""


_reaches: Final[WeakKeyDictionary[Any, dict[Origin, str]]] = WeakKeyDictionary()
"""Session -> distance of the origins that it was the home of, for connections that are used again."""


class RequestFailure(Struct, frozen=True):
    """Why a request failed.

    kind: "status" (an answer that refuses), or one of "connect", "dns", "tls", "proxy", "timeout", "dropped",
    "malformed", "redirect", "refused", "large", "encoded", "offline". detail: the same in words, free of
    credentials. host: the server that was asked. headers and body: of an answer that refuses. error: the class
    of error that huggingface_hub raises for it.
    """

    kind: str
    detail: str
    host: str = ""
    status: int = 0
    tries: int = 1
    headers: Mapping[str, str] = {}
    body: bytes = b""
    error: str = ""


class Answer(Struct, frozen=True):
    """An answer of the kind 2xx. body: as many bytes as were wanted, or all. url: the last of the redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    length: int | None
    """Bytes of the whole body, where the server announced them."""
    asked: int = 0
    """Bytes that were wanted at most."""


class Request(Struct, frozen=True):
    """A request. first and last: the range of bytes, both ends included; most: bytes of the body to read."""

    url: str
    most: int
    first: int | None = None
    last: int | None = None
    headers: Mapping[str, str] = {}
    exact: bool = True
    """Whether a body longer than `most` is a failure ("large") unless the request is for a range."""
    tries: int | None = None
    """How often at most; None for as often as the limits say."""
    route: bool = False
    """Whether only the first redirect is wanted: the answer is then of status 302, with its target as url."""
    compressed: bool = False
    """Whether the body may come compressed by gzip."""


class Stopped(Exception):
    """The reading was abandoned: by the user, or because its result is no longer needed."""


class _RedirectRefused(Exception):
    """A place that a redirect may not lead to."""


class Web:
    """Requests of one reading, made by any number of threads.

    headers: of every request; Authorization among them goes to `home` only.
    """

    def __init__(self, home: Origin, headers: Mapping[str, str], limits: Limits, meter: Meter) -> None:
        self._home = home
        self._headers = {name.lower(): value for name, value in headers.items()}
        self._secret = self._headers.get("authorization", "").rpartition(" ")[2]
        self.limits, self.meter = limits, meter
        self._reach = _reaches.get(session(), {}).get(home, "")  # distance of the home, once it is connected
        self._slots: dict[Origin, threading.Semaphore] = {}
        self._deadlines: dict[int, tuple[float, Origin]] = {}  # thread -> until when its exchange may last
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._resume = 0.0  # moment before which a server asked not to be asked again
        self._ends = time.monotonic() + limits.whole

    def extend(self, bytes: int) -> None:
        """More is to be read: the deadline of the whole moves as the slowest speed allows."""
        self._ends += bytes / self.limits.slowest

    def close(self) -> None:
        """Ends all waiting. The session stays open: it belongs to huggingface_hub."""
        self._stop.set()

    def begin(self, functions: Iterable[Callable[[], T]], instead: Callable[[RequestFailure], T]) -> list[Task[T]]:
        """Runs functions that make requests, in threads; `instead` makes their result of a failure to end in time."""

        def overdue(thread: int) -> T | None:
            failure = self._overdue(thread)
            return None if failure is None else instead(failure)

        return begin(functions, self.limits.at_once, overdue)

    def ask(self, wanted: Request) -> Task[Answer | RequestFailure]:
        """Makes a request in a separate thread."""
        return self.begin([lambda: self.get(wanted)], lambda failure: failure)[0]

    def get(self, wanted: Request) -> Answer | RequestFailure:
        """The answer to a request, after redirects and retries.

        A server that sends its headers byte by byte holds up the thread that calls this; `ask` does not wait for it.
        """
        tries = 0
        while True:
            tries += 1
            outcome = self._once(wanted)
            if isinstance(outcome, Answer):
                return outcome
            patience = self._patience(outcome, tries)
            if patience is None or (wanted.tries is not None and tries >= wanted.tries):
                detail = outcome.detail if tries == 1 else f"{outcome.detail} ({tries} tries)"
                return replace(outcome, detail=detail, tries=tries)
            self._pause(patience)
            self.meter.again(patience if outcome.status == 429 else 0.0)

    def scrub(self, text: object) -> str:
        """A text of a server without the token, in one line and of bounded length."""
        cleaned = str(text)
        if self._secret:
            cleaned = cleaned.replace(self._secret, "***")
        cleaned = "".join(char if char.isprintable() else " " for char in cleaned[: 4 * _SHOWN])
        return re.sub(r"(?i)(bearer|basic)\s+\S+", r"\1 ***", " ".join(cleaned.split()))[:_SHOWN]

    # --- time ---

    def _overdue(self, thread: int) -> RequestFailure | None:
        """A failure where the exchange of a thread has not kept its deadline, or everything takes too long."""
        deadline, origin = self._deadlines.get(thread, (self._ends, self._home))
        if time.monotonic() < min(deadline, self._ends) + _GRACE:
            return None
        return RequestFailure("timeout", f"{origin.authority}: the request timed out", origin.host)

    def _patience(self, failure: RequestFailure, tries: int) -> float | None:
        """Seconds before a retry, None where it would not help or the time is over."""
        slow = failure.kind in ("timeout", "connect")
        transient = slow or failure.kind == "dropped" or failure.status in TRANSIENT
        if not transient or tries >= (self.limits.slow_tries if slow else self.limits.tries):
            return None
        seconds: float = self.limits.pause * 4.0 ** (tries - 1)
        asked = retry_after(failure.headers) if failure.status in (429, 503) else None
        if asked is not None:
            if asked > self.limits.longest_wait and tries > 1:
                return None  # one wait that is shorter than asked for is enough
            seconds = min(asked, self.limits.longest_wait)
        if time.monotonic() + seconds >= self._ends:
            return None
        if failure.status == 429:
            self._resume = max(self._resume, time.monotonic() + seconds)
        return seconds

    def _pause(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise Stopped

    # --- one try ---

    def _once(self, wanted: Request) -> Answer | RequestFailure:
        """One try, with all redirects."""
        while (early := self._resume - time.monotonic()) > 0:
            self._pause(early)
        url, trusted = wanted.url, True
        seen: list[str] = []
        while True:
            if self._stop.is_set():
                raise Stopped
            origin = origin_of(url)
            if origin is None:
                return RequestFailure("redirect", f"it redirects to an invalid address: {plain(url)}")
            trusted = trusted and origin == self._home
            outcome = self._exchange(origin, url, wanted, trusted)
            if not isinstance(outcome, str):
                return outcome
            seen.append(url)
            target = target_of(url, outcome)
            endless = len(seen) >= self.limits.hops or target in seen
            problem = f"{origin.authority} redirects too many times" if endless else why_not_followed(origin, target)
            if problem:
                return RequestFailure("redirect", problem, origin.host)
            if wanted.route:
                return Answer(302, {}, b"", target, None)
            url = target

    def _exchange(self, origin: Origin, url: str, wanted: Request, trusted: bool) -> Answer | RequestFailure | str:
        """A request to one origin: its answer, its refusal, or the address that it redirects to."""
        slot = self._slot(origin)
        now = time.monotonic()
        if not slot.acquire(timeout=max(0.0, self._ends - now)):
            return RequestFailure("timeout", f"{origin.authority}: the request timed out", origin.host)
        connecting = Connecting(origin, self._judge)
        self._deadlines[threading.get_ident()] = (now + self.limits.connecting + self.limits.head, origin)
        try:
            self.meter.request()
            response = self._sent(url, wanted, trusted, connecting)
            try:
                peer = None if self._reach else peer_of(response.extensions.get("network_stream"))
                if peer is not None:  # of a connection that was there before
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
        """What a response says, with as much of its body as is wanted."""
        headers = {name.lower(): value for name, value in response.headers.items()}
        location = str(headers.get("location", ""))
        if response.status_code in _REDIRECTS and location:
            self._drain(response, 65_536)
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
        return Answer(response.status_code, headers, body[:most], url, length, most)

    def _refusal(self, response: Any, headers: Mapping[str, str], origin: Origin) -> RequestFailure:
        """An answer of the kind 4xx or 5xx, with what it says."""
        body = self._drain(response, _ERROR_BODY)
        said = self.scrub(headers.get("x-error-message", "")) or self.scrub(response.reason_phrase)
        detail = f"{origin.authority} answers {response.status_code}" + (f": {said}" if said else "")
        asked = retry_after(headers) if response.status_code in (429, 503) else None
        if asked is not None:
            detail += f"; retry after {asked:,.0f} s"
        return RequestFailure("status", detail, origin.host, response.status_code, 1, headers, body, error_of(response))

    def _drain(self, response: Any, most: int) -> bytes:
        """A body that matters for its words only, or for the connection behind it, as far as it comes at once."""
        try:
            return self._read(response, most, min(2.0, self.limits.silence))
        except Exception:
            return b""

    def _read(self, response: Any, most: int, seconds: float) -> bytes:
        """The first `most` bytes of a body, fewer where it ends earlier. What follows is left, with its connection."""
        if response.is_stream_consumed:  # by a hook of the session
            return bytes(response.content[:most])
        deadline = min(time.monotonic() + seconds, self._ends)
        thread = threading.get_ident()
        self._deadlines[thread] = (deadline + self.limits.silence, self._deadlines[thread][1])
        parts: list[bytes] = []
        left = most
        for part in response.iter_raw():
            parts.append(part[:left])
            left -= len(part)
            if left < 0 or (left == 0 and length_of(response.headers) != most):
                break
            if time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(parts)

    # --- where a connection may go ---

    def _judge(self, origin: Origin, numeric: str | None) -> None:
        """Raises where a redirect may not lead.

        numeric: the IP address that is connected to, None where a proxy finds it. The first address of the home
        decides how near to this machine others may be.
        """
        if origin == self._home:
            self._reach = self._reach or ("public" if numeric is None else distance(numeric))
            _reaches.setdefault(session(), {})[origin] = self._reach
            return
        near = distance_by_name(origin.host) if numeric is None else distance(numeric)
        allowed = REACHES["public" if numeric is None else self._reach or "public"]
        if near not in allowed:
            raise _RedirectRefused(f"{origin.authority} is an address of this {PLACES[near]}: not followed")
