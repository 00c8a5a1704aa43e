"""Getting bytes from web servers: kept connections, redirects, repetitions, and a token for one origin only.

A credential goes to the origin it was given for and to no other, never again after a redirect has led
elsewhere, and into no message. Redirects are few, never from https to http, never to an address of this
machine or network from a public one. Faults that pass are met by a repetition or two, all others end at
once in a `Failure`, which is data and says in words what happened.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from inspector.loader.sources.traffic import Meter
from inspector.loader.sources.wire import Broken, Connection, Head, Origin, connected

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of patience, in seconds, bytes per second, and numbers."""

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
    """Before the first repetition; four times as long before the next."""
    longest_wait: float = 20.0
    """Of what a server asks for by Retry-After."""
    spacing: float = 0.0008
    """Between two connections."""
    hops: int = 6
    whole: float = 55.0
    """Of everything, and what the bytes need at the slowest speed on top."""
    idle: int = 128
    """Connections kept for one origin."""


PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SHOWN: Final = 300
_ERROR_BODY: Final = 4_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer.

    kind: "status" (an answer that refuses), or one of "connect", "dns", "tls", "timeout", "dropped",
    "malformed", "redirect", "refused", "short", "large", "encoded", "busy". detail: the same in words, free
    of credentials. host: who was asked. headers and body: of an answer that refuses.
    """

    kind: str
    detail: str
    host: str = ""
    status: int = 0
    tries: int = 1
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the kind 2xx. body: as many bytes as were wanted, or all. url: the last of the redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    length: int | None
    """Bytes of the whole body, where the server announced them."""
    hops: tuple[str, ...] = ()
    asked: int = 0
    """Bytes that were wanted at most."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request. first and last: the range of bytes, both ends included; most: bytes of the body to read."""

    url: str
    most: int
    first: int | None = None
    last: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    exact: bool = True
    """Whether a body longer than `most` is a failure ("large") unless the request is for a range."""
    tries: int | None = None
    """How often at most; None for as often as the limits say."""
    route: bool = False
    """Whether only the first redirect is wanted: the answer is then of status 302, with its target as url."""


class Stopped(Exception):
    """The reading was abandoned: by the user, or because nobody waits for it any more."""


class Web:
    """Connections to any number of origins, shared by threads.

    token: goes to `home` only. agent: the User-Agent.
    """

    def __init__(self, home: Origin | None, token: str | None, agent: str, limits: Limits, meter: Meter) -> None:
        self._home, self._token, self._agent = home, token, agent
        self.limits, self.meter = limits, meter
        self._idle: dict[Origin, list[Connection]] = {}
        self._coming: dict[Origin, int] = {}  # connections that are being opened
        self._waiting: dict[Origin, int] = {}  # requests that wait for one of these
        self._lock = threading.Lock()
        self._arrivals: dict[Origin, threading.Condition] = {}
        self._stop = threading.Event()
        self._turn = 0.0  # moment of the latest connection
        self._resume = 0.0  # moment before which a server asked not to be asked again
        self._ends = time.monotonic() + limits.whole
        self._reach = "anywhere" if home is None else ""
        self._context: ssl.SSLContext | None = None
        self._proxies = _proxies()

    def extend(self, bytes: int) -> None:
        """More is to be read: the deadline of the whole moves as the slowest speed allows."""
        self._ends += bytes / self.limits.slowest

    def close(self) -> None:
        """Ends all waiting and closes the connections that are not in use."""
        self._stop.set()
        with self._lock:
            idle = [one for kept in self._idle.values() for one in kept]
            self._idle.clear()
            for arrival in self._arrivals.values():
                arrival.notify_all()
        for one in idle:
            one.close()

    def prepare(self, origin: Origin, count: int) -> None:
        """Opens connections in the background, for requests that are to follow."""

        def open_one() -> None:
            opened: Connection | None = None
            try:
                deadline = time.monotonic() + self.limits.connecting
                from_home = None if origin == self._home else self._home
                opened = self._connect(origin, deadline, from_home)
            except (Broken, _Refused, Stopped):
                pass  # told by the request that needs it
            with self._lock:
                self._coming[origin] -= 1
                if opened is not None and not self._stop.is_set():
                    self._idle.setdefault(origin, []).append(opened)
                    opened = None
                self._arrival(origin).notify()
            if opened is not None:
                opened.close()

        with self._lock:
            self._coming[origin] = self._coming.get(origin, 0) + count
        for _ in range(count):
            threading.Thread(target=open_one, daemon=True).start()

    def get(self, wanted: Wanted) -> Answer | Failure:
        """The answer to a request, after redirects and repetitions."""
        tries = 0
        while True:
            tries += 1
            outcome = self._once(wanted)
            if isinstance(outcome, Answer):
                return outcome
            patience = self._patience(outcome, tries)
            if patience is None or (wanted.tries is not None and tries >= wanted.tries):
                return _counted(outcome, tries)
            self._pause(patience)
            self.meter.again(patience if outcome.status == 429 else 0.0)

    def scrub(self, text: object) -> str:
        """A text of a server without the token, in one line and of bounded length."""
        cleaned = str(text)
        if self._token:
            cleaned = cleaned.replace(self._token, "***")
        cleaned = "".join(char if char.isprintable() else " " for char in cleaned[: 4 * _SHOWN])
        return re.sub(r"(?i)(bearer|basic)\s+\S+", r"\1 ***", " ".join(cleaned.split()))[:_SHOWN]

    def _patience(self, failure: Failure, tries: int) -> float | None:
        """Seconds before a repetition, None where it would not help or the time is over."""
        slow = failure.kind in ("timeout", "connect")
        passing = slow or failure.kind in ("dropped", "short") or failure.status in PASSING
        if not passing or tries >= (self.limits.slow_tries if slow else self.limits.tries):
            return None
        seconds: float = self.limits.pause * 4.0 ** (tries - 1)
        asked = _retry_after(failure.headers) if failure.status in (429, 503) else None
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

    def _once(self, wanted: Wanted) -> Answer | Failure:
        """One try, with all redirects. The time of the whole bounds it from above."""
        while (early := self._resume - time.monotonic()) > 0:
            self._pause(early)
        url, trusted = wanted.url, True
        hops: list[str] = []
        before: Origin | None = None
        while True:
            if self._stop.is_set():
                raise Stopped
            origin = origin_of(url)
            if origin is None:
                return Failure("redirect", f"it redirects to an address that is none: {plain(url)}", str(before))
            trusted = trusted and origin == self._home
            try:
                outcome = self._exchange(origin, url, wanted, trusted, before)
            except Broken as broken:
                return Failure(broken.kind, f"{origin.authority}: {self.scrub(broken.detail)}", origin.host)
            except _Refused as refused:
                return Failure("refused", str(refused), origin.host)
            if not isinstance(outcome, str):
                return outcome if isinstance(outcome, Failure) else _routed(outcome, url, tuple(hops))
            target = urljoin(url, outcome)
            problem = self._misled(origin, target, url in hops, len(hops))
            if problem:
                return Failure("redirect", problem, origin.host)
            if wanted.route:
                return Answer(302, {}, b"", target, None, (url,))
            hops.append(url)
            before, url = origin, target

    def _misled(self, origin: Origin, target: str, seen: bool, hops: int) -> str:
        """Why a redirect is not followed; empty where it is."""
        if hops + 1 >= self.limits.hops or seen:
            return f"{origin.authority} redirects without end"
        there = origin_of(target)
        if there is None:
            return f"{origin.authority} redirects to {plain(target)}, which is no web address"
        if origin.scheme == "https" and there.scheme != "https":
            return f"{origin.authority} redirects to {plain(target)}, out of the secure connection"
        if "@" in urlsplit(target).netloc:
            return f"{origin.authority} redirects to an address with a user name, {there.authority}"
        return ""

    def _exchange(
        self, origin: Origin, url: str, wanted: Wanted, trusted: bool, before: Origin | None
    ) -> Answer | Failure | str:
        """A request to one origin: its answer, its refusal, or the address that it redirects to."""
        deadline = min(time.monotonic() + self.limits.head, self._ends)
        request = self._request(origin, url, wanted, trusted)
        stale = False
        while True:
            kept = None if stale else self._take(origin)
            connection = kept or self._connect(origin, time.monotonic() + self.limits.connecting, before)
            try:
                self.meter.request()
                head = connection.ask(request, deadline)
                outcome, reusable = self._answered(connection, head, wanted, origin)
            except Broken as broken:
                connection.close()
                if kept is not None and not broken.fresh:
                    stale = True  # the other side had closed what was kept: once more, on a new connection
                    continue
                raise
            except BaseException:
                connection.close()
                raise
            if reusable:
                self._give(origin, connection)
            else:
                connection.close()
            return outcome

    def _answered(
        self, connection: Connection, head: Head, wanted: Wanted, origin: Origin
    ) -> tuple[Answer | Failure | str, bool]:
        body = connection.body(head)
        location = head.headers.get("location")
        if head.status in _REDIRECTS and location:
            self._drain(body, 65_536)
            return location, body.reusable
        if not 200 <= head.status < 300:
            words = self._drain(body, _ERROR_BODY)
            reported = self.scrub(head.headers.get("x-error-message", "")) or self.scrub(head.reason)
            detail = f"{origin.authority} answers {head.status}" + (f": {reported}" if reported else "")
            asked = _retry_after(head.headers) if head.status in (429, 503) else None
            if asked is not None:
                detail += f"; it asks to wait {asked:,.0f} s"
            return Failure("status", detail, origin.host, head.status, 1, head.headers, words), body.reusable
        coding = head.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            shown = self.scrub(coding)
            return Failure("encoded", f"{origin.authority} sends it encoded as {shown}", origin.host), False
        ranged = wanted.first is not None
        most = wanted.most
        if body.length is not None and body.length > most and wanted.exact and not ranged:
            return Failure("large", f"{body.length:,} bytes, the limit is {most:,}", origin.host), False
        coming = most if body.length is None else min(most, body.length)
        deadline = min(time.monotonic() + self.limits.silence + coming / self.limits.slowest, self._ends)
        read = body.read(most, deadline)
        self.meter.received(len(read))
        if len(read) >= most and not body.finished and wanted.exact and not ranged and not body.reusable:
            more = body.read(1, deadline)
            if more:
                return Failure("large", f"more than the limit of {most:,} bytes", origin.host), False
        return Answer(head.status, head.headers, read, "", body.length, (), most), body.reusable

    def _drain(self, body: object, most: int) -> bytes:
        """The body of an answer that matters for its words only, as far as it comes at once."""
        from inspector.loader.sources.wire import Body

        assert isinstance(body, Body)
        try:
            return body.read(most, time.monotonic() + min(2.0, self.limits.silence))
        except Broken:
            return b""

    def _request(self, origin: Origin, url: str, wanted: Wanted, trusted: bool) -> bytes:
        split = urlsplit(url)
        target = (split.path or "/") + (f"?{split.query}" if split.query else "")
        proxy = self._proxy(origin)
        lines = {"Host": origin.authority, "User-Agent": self._agent, "Accept": "*/*", "Accept-Encoding": "identity"}
        lines.update(wanted.headers)
        if wanted.first is not None:
            lines["Range"] = f"bytes={wanted.first}-{'' if wanted.last is None else wanted.last}"
        if trusted and self._token:
            lines["Authorization"] = f"Bearer {self._token}"
        if proxy is not None and origin.scheme == "http":
            target = f"{origin}{target}"
            if proxy.credential:
                lines["Proxy-Authorization"] = proxy.credential
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"GET {_ascii(target)} HTTP/1.1\r\n{text}\r\n".encode("latin-1", "replace")

    def _take(self, origin: Origin) -> Connection | None:
        """A kept connection, or one that is being opened already; None where there is neither."""
        with self._lock:
            kept = self._idle.setdefault(origin, [])
            if not kept and self._coming.get(origin, 0) > self._waiting.get(origin, 0):
                self._waiting[origin] = self._waiting.get(origin, 0) + 1
                self._arrival(origin).wait_for(lambda: kept or not self._coming[origin], self.limits.connecting)
                self._waiting[origin] -= 1
            return kept.pop() if kept and not self._stop.is_set() else None

    def _arrival(self, origin: Origin) -> threading.Condition:
        return self._arrivals.setdefault(origin, threading.Condition(self._lock))

    def _give(self, origin: Origin, connection: Connection) -> None:
        with self._lock:
            kept = self._idle.setdefault(origin, [])
            if len(kept) < self.limits.idle and not self._stop.is_set():
                kept.append(connection)
                if self._waiting.get(origin):
                    self._arrival(origin).notify()
                return
        connection.close()

    def _connect(self, origin: Origin, deadline: float, leads_from: Origin | None) -> Connection:
        proxy = self._proxy(origin)
        check: Callable[[str], None] | None = None
        if proxy is None:
            check = self._within_reach(origin)
            address = (origin.host, origin.port)
        else:
            address = (proxy.host, proxy.port)
            if leads_from is not None:
                self._literal_within_reach(origin)
        self._in_turn()
        try:
            made = connected(address, self.limits.connecting, deadline, check)
        except Broken as broken:
            if proxy is not None:
                raise Broken(broken.kind, f"the proxy {proxy.host}:{proxy.port}: {broken.detail}") from None
            raise
        connection = Connection(made, self.limits.silence)
        if origin.scheme == "https":
            if proxy is not None:
                self._tunnel(connection, origin, proxy, deadline)
            connection = Connection(self._secured(made, origin, deadline), self.limits.silence)
        return connection

    def _in_turn(self) -> None:
        """Lets a moment pass between two connections: a burst of them overflows the queue of a small server."""
        with self._lock:
            now = time.monotonic()
            turn = self._turn = max(now, self._turn + self.limits.spacing)
        if turn > now:
            time.sleep(turn - now)

    def _tunnel(self, connection: Connection, origin: Origin, proxy: Proxy, deadline: float) -> None:
        host = f"[{origin.host}]" if ":" in origin.host else origin.host
        credential = f"Proxy-Authorization: {proxy.credential}\r\n" if proxy.credential else ""
        line = f"CONNECT {host}:{origin.port} HTTP/1.1\r\nHost: {host}:{origin.port}\r\n{credential}\r\n"
        head = connection.ask(line.encode("latin-1", "replace"), deadline)
        if head.status != 200:
            connection.close()
            raise Broken("proxy", f"the proxy {proxy.host}:{proxy.port} answers {head.status}")

    def _secured(self, made: object, origin: Origin, deadline: float) -> ssl.SSLSocket:
        import socket as sockets

        from inspector.loader.sources.wire import _broken

        assert isinstance(made, sockets.socket)
        with self._lock:
            if self._context is None:
                self._context = _context()
            context = self._context
        try:
            made.settimeout(max(0.05, min(self.limits.connecting, deadline - time.monotonic())))
            return context.wrap_socket(made, server_hostname=origin.host)
        except OSError as error:
            made.close()
            raise _broken(error, kind="" if "SSL" in type(error).__name__ else "connect") from None

    def _within_reach(self, origin: Origin) -> Callable[[str], None]:
        """A check of numeric addresses: the home's first one sets how near to this machine others may be."""

        def check(numeric: str) -> None:
            near = nearness(numeric)
            if origin == self._home or self._home is None:
                if not self._reach:
                    self._reach = near
                return
            allowed = _REACHES.get(self._reach or "public", ("public",))
            if near not in allowed:
                raise _Refused(f"{origin.authority} is an address of this {_PLACES[near]}: not followed there")

        return check

    def _literal_within_reach(self, origin: Origin) -> None:
        """Behind a proxy only figures and well-known names can be judged: the proxy finds the address."""
        figures = re.fullmatch(r"[0-9.]+|[0-9a-fA-F:]+|0[xX][0-9a-fA-F]+", origin.host)
        local = origin.host == "localhost" or origin.host.endswith((".localhost", ".internal", ".local"))
        near = nearness(origin.host) if figures else "machine" if local else "public"
        if near != "public" and origin != self._home:
            raise _Refused(f"{origin.authority} is an address of this {_PLACES[near]}: not followed there")

    def _proxy(self, origin: Origin) -> Proxy | None:
        return self._proxies(origin) if self._proxies is not None else None


class _Refused(Exception):
    """A place that a redirect may not lead to."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy for HTTP; credential: the value of its authorization header."""

    host: str
    port: int
    credential: str = field(default="", repr=False)


_PLACES: Final = {"machine": "machine", "link": "machine's own network", "private": "local network"}
_REACHES: Final = {
    "public": ("public",),
    "private": ("public", "private"),
    "machine": ("public", "private", "machine"),
    "link": ("public", "private", "machine", "link"),
    "anywhere": ("public", "private", "machine", "link"),
}
"""From where a home is -> where it may lead to."""


def nearness(numeric: str) -> str:
    """How near an address in figures is: "machine", "link" (cloud metadata is there), "private", "public"."""
    import ipaddress

    try:
        address: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(numeric.partition("%")[0])
    except ValueError:
        try:
            address = ipaddress.ip_address(int(numeric, 0))
        except ValueError:
            return "machine"
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_loopback or address.is_unspecified:
        return "machine"
    if address.is_link_local or address.is_multicast:
        return "link"
    return "public" if address.is_global else "private"


def origin_of(url: str) -> Origin | None:
    """The origin of a web address, None for any other kind of address."""
    found = _ORIGIN.match(url)
    return None if found is None else _origin(found[0])


_ORIGIN: Final = re.compile(r"https?://[^/?#]+", re.ASCII | re.IGNORECASE)


@lru_cache(maxsize=256)
def _origin(url: str) -> Origin | None:
    try:
        split = urlsplit(url)
        host, port = split.hostname, split.port
    except ValueError:
        return None
    if split.scheme not in ("http", "https") or not host or not re.fullmatch(r"[A-Za-z0-9._:-]+", host):
        return None
    return Origin(split.scheme, host.lower(), port or (443 if split.scheme == "https" else 80))


def plain(url: str) -> str:
    """An address without what may be a secret: no user, no query; printable, and short."""
    try:
        split = urlsplit(url)
        shown = f"{split.scheme}://{split.netloc.rpartition('@')[2]}{split.path}" if split.netloc else split.path
    except ValueError:
        shown = "an address"
    return "".join(char if char.isprintable() else "?" for char in shown)[:120]


def _routed(answer: Answer, url: str, hops: tuple[str, ...]) -> Answer:
    return replace(answer, url=url, hops=hops)


def _counted(failure: Failure, tries: int) -> Failure:
    detail = failure.detail if tries == 1 else f"{failure.detail} ({tries} tries)"
    return Failure(failure.kind, detail, failure.host, failure.status, tries, failure.headers, failure.body)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: a number or a date; None where it says nothing usable."""
    stated = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,12}", stated):
        return float(stated)
    if re.match(r"[A-Z][a-z]{2}", stated):
        from email.utils import parsedate_to_datetime

        try:
            return max(0.0, parsedate_to_datetime(stated).timestamp() - time.time())
        except (ValueError, TypeError, OverflowError):
            return None
    return None


def _ascii(target: str) -> str:
    """A request target in the characters that a request line may hold; what is escaped already stays so."""
    from urllib.parse import quote

    return target if target.isascii() and " " not in target else quote(target, safe="/?&=%:;@+$,!~*'()[]#")


def _context() -> ssl.SSLContext:
    """What certificates are judged by: the system's authorities, or the file that the environment names."""
    import ssl

    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        path = os.environ.get(name)
        if path and os.path.isfile(path):
            return ssl.create_default_context(cafile=path)
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"] and not os.environ.get("SSL_CERT_DIR"):
        try:
            import certifi
        except ImportError:
            return context
        context.load_verify_locations(certifi.where())
    return context


def _proxies() -> Callable[[Origin], Proxy | None] | None:
    """Which proxy an origin is reached through, as the environment says; None where it names none."""
    if not any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") and os.environ[name] for name in os.environ):
        return None
    import base64
    from urllib.parse import unquote
    from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

    named = getproxies_environment()

    def choose(origin: Origin) -> Proxy | None:
        if proxy_bypass_environment(origin.host, named):
            return None
        text = named.get(origin.scheme) or named.get("all")
        if not text:
            return None
        split = urlsplit(text if "://" in text else f"http://{text}")
        if split.scheme not in ("http", "https") or not split.hostname:
            raise Broken("proxy", f"a proxy of the kind {split.scheme or 'unknown'} is not supported")
        secret = ""
        if split.username is not None:
            pair = f"{unquote(split.username)}:{unquote(split.password or '')}"
            secret = "Basic " + base64.b64encode(pair.encode()).decode()
        return Proxy(split.hostname, split.port or 80, secret)

    return choose
