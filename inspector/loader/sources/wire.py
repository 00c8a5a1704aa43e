"""HTTP/1.1 over one kept connection: a request out, an answer in, within limits and before a deadline.

Every wait is bounded twice: by the silence that is tolerated between two arrivals, and by the moment at
which the whole answer must be there, so that a server that sends one byte a second holds nobody up. All
sizes are bounded before anything is kept. No redirects, no retries, no credentials: `inspector.loader.sources.web`
decides on these. The standard `http.client` has no deadlines, reads any number of interim answers, and
costs more time to import and to parse an answer than the rest of a small exchange.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import ssl

HEAD_LIMIT: Final = 65_536
"""Bytes of a status line with all its header lines."""
LINES_LIMIT: Final = 200
INTERIM_LIMIT: Final = 8
"""Answers of the kind 1xx that may precede the true one."""
_CHUNK_LINE_LIMIT: Final = 1_000
_RECEIVE: Final = 262_144
_STATUS: Final = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: ([^\r\n]*))?")
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Broken(Exception):
    """An exchange that failed. kind: "connect", "tls", "dns", "timeout", "dropped", "malformed"."""

    def __init__(self, kind: str, detail: str, *, fresh: bool = True) -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail
        self.fresh = fresh  # False: a kept connection that the other side had closed meanwhile


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer; names in lower case, values of repeated ones joined by ", "."""

    status: int
    reason: str
    headers: Mapping[str, str]
    keeps: bool
    """Whether the other side keeps the connection open behind a body that was read to its end."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port: what a credential belongs to."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        usual = self.port == (443 if self.scheme == "https" else 80)
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if usual else f":{self.port}")

    @property
    def authority(self) -> str:
        """What a Host header says."""
        return str(self).partition("://")[2]


@dataclass(slots=True)
class Connection:
    """A socket with one exchange after the other on it."""

    socket: socket.socket | ssl.SSLSocket
    silence: float
    """Seconds without a byte that are tolerated."""
    used: bool = False
    _held: bytearray = field(default_factory=bytearray)

    def ask(self, request: bytes, deadline: float) -> Head:
        """Sends a request and reads the head of its answer."""
        try:
            self._wait(deadline)
            self.socket.sendall(request)
            for _ in range(INTERIM_LIMIT + 1):
                head = self._head(deadline)
                if head.status >= 200:
                    return head
            raise Broken("malformed", "the server sends interim answers without end")
        except OSError as error:
            raise _broken(error, fresh=not self.used) from None
        finally:
            self.used = True

    def body(self, head: Head) -> Body:
        """The body that follows a head. Its framing is checked before a byte of it is read."""
        return Body(self, head)

    def close(self) -> None:
        """Ends the connection."""
        with suppress(OSError):
            self.socket.close()

    def _head(self, deadline: float) -> Head:
        while True:
            found = self._held.find(b"\r\n\r\n")
            end = found + 4
            if found < 0 and (found := self._held.find(b"\n\n")) >= 0:
                end = found + 2
            if found >= 0:
                break
            if len(self._held) > HEAD_LIMIT:
                raise Broken("malformed", f"the headers are longer than {HEAD_LIMIT:,} bytes")
            if not self._more(deadline):
                reused = self.used and not self._held
                raise Broken("dropped", "the connection was closed before an answer came", fresh=not reused)
        if found > HEAD_LIMIT:
            raise Broken("malformed", f"the headers are longer than {HEAD_LIMIT:,} bytes")
        raw = bytes(self._held[:found])
        del self._held[:end]
        return _parsed(raw)

    def _more(self, deadline: float) -> int:
        """Receives something; 0 where the other side has closed."""
        self._wait(deadline)
        try:
            part = self.socket.recv(_RECEIVE)
        except OSError as error:
            raise _broken(error) from None
        self._held += part
        return len(part)

    def take(self, count: int, deadline: float) -> bytes:
        """Up to count bytes, at least one; b"" at the end of the connection."""
        if not self._held and not self._more(deadline):
            return b""
        part = bytes(self._held[:count])
        del self._held[:count]
        return part

    def line(self, deadline: float) -> bytes:
        """A line of the chunked framing."""
        while (end := self._held.find(b"\n")) < 0:
            if len(self._held) > _CHUNK_LINE_LIMIT:
                raise Broken("malformed", "a chunk begins with a line without end")
            if not self._more(deadline):
                raise Broken("dropped", "the connection was closed in the middle of the answer")
        found = bytes(self._held[:end])
        del self._held[: end + 1]
        return found.rstrip(b"\r")

    def _wait(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise Broken("timeout", "the answer did not come in time")
        self.socket.settimeout(min(self.silence, left))


class Body:
    """The bytes behind a head, framed by a length, by chunks, or by the end of the connection."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self._connection = connection
        self._keeps = head.keeps
        self.length: int | None = None
        """Bytes announced, None where the framing does not tell."""
        self.finished = False
        """Whether it was read to its end."""
        self._chunked = False
        self._left = 0
        headers = head.headers
        coding = headers.get("transfer-encoding", "").lower()
        if head.status in (204, 304):
            self.length, self.finished = 0, True
        elif coding:
            if coding != "chunked":
                raise Broken("malformed", f"the server sends a transfer encoding that is not understood: {coding}")
            self._chunked = True
            self._keeps = self._keeps and "content-length" not in headers
        elif "content-length" in headers:
            self.length = self._left = _length(headers["content-length"])
            self.finished = self.length == 0
        else:
            self._keeps = False

    @property
    def reusable(self) -> bool:
        """Whether the connection may carry another exchange."""
        return self.finished and self._keeps

    def read(self, most: int, deadline: float) -> bytes:
        """The first `most` bytes, fewer where the body ends earlier; a body cut short raises Broken.

        What exceeds `most` is left on the connection, which is then of no further use.
        """
        parts: list[bytes] = []
        have = 0
        while have < most and not self.finished:
            part = self._part(most - have, deadline)
            parts.append(part)
            have += len(part)
        if not self.finished and self._chunked and have >= most:
            self._at_end(deadline)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _part(self, most: int, deadline: float) -> bytes:
        if self._chunked:
            if self._left == 0 and not self._next_chunk(deadline):
                return b""
            most = min(most, self._left)
        elif self.length is not None:
            most = min(most, self._left)
        part = self._connection.take(most, deadline)
        if not part:
            if not self._chunked and self.length is None:
                self.finished = True
                return b""
            raise Broken("dropped", "the connection was closed in the middle of the answer")
        if self._chunked or self.length is not None:
            self._left -= len(part)
        if self._chunked and self._left == 0:
            self._connection.line(deadline)
        elif self.length is not None and self._left == 0:
            self.finished = True
        return part

    def _next_chunk(self, deadline: float) -> bool:
        stated = self._connection.line(deadline).partition(b";")[0].strip()
        if re.fullmatch(rb"[0-9A-Fa-f]{1,15}", stated) is None:
            raise Broken("malformed", "a chunk of the answer has no length")
        self._left = int(stated, 16)
        if self._left:
            return True
        for _ in range(LINES_LIMIT):
            if not self._connection.line(deadline):
                self.finished = True
                return False
        raise Broken("malformed", "the answer ends in trailers without end")

    def _at_end(self, deadline: float) -> None:
        """Whether the next chunk is the last: only then can the connection be kept."""
        if self._left == 0 and self._connection._held:
            self._next_chunk(deadline)


def connected(
    address: tuple[str, int], silence: float, deadline: float, check: Callable[[str], None] | None = None
) -> socket.socket:
    """A socket to a host and port: its addresses one after the other, each with its part of the time left.

    check is given every address in figures before anything is sent to it, and raises what it refuses.
    """
    found = _resolved(address, deadline)
    problem = Broken("connect", "there is no address to connect to")
    for position, (family, target) in enumerate(found):
        if check is not None:
            check(target[0])
        made = socket.socket(family, socket.SOCK_STREAM)
        left = deadline - time.monotonic()
        made.settimeout(max(0.05, min(silence, left / (len(found) - position))))
        try:
            made.connect(target)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
        except OSError as error:
            made.close()
            problem = _broken(error, kind="connect")
    raise problem


def _resolved(address: tuple[str, int], deadline: float) -> list[tuple[int, tuple[str, int]]]:
    """Asks for the addresses of a host in a thread of its own: the system's resolver knows no deadline."""
    import threading

    answers: list[list[tuple[int, tuple[str, int]]] | OSError | UnicodeError] = []
    done = threading.Event()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
            answers.append([(int(one[0]), (str(one[4][0]), address[1])) for one in found])
        except (OSError, UnicodeError) as error:
            answers.append(error)
        done.set()

    if re.fullmatch(r"[0-9.]+|\[?[0-9a-fA-F:]+\]?", address[0]):
        ask()
    else:
        threading.Thread(target=ask, daemon=True).start()
        done.wait(max(0.05, deadline - time.monotonic()))
    if not answers:
        raise Broken("dns", "its address could not be found in time")
    if not isinstance(answers[0], list):
        raise Broken("dns", "no such host is known")
    return list(dict.fromkeys(answers[0]))


def _parsed(raw: bytes) -> Head:
    lines = raw.replace(b"\r\n", b"\n").split(b"\n")
    found = _STATUS.fullmatch(lines[0])
    if found is None:
        raise Broken("malformed", "the answer is not HTTP")
    if len(lines) > LINES_LIMIT:
        raise Broken("malformed", f"the answer has more than {LINES_LIMIT} headers")
    headers: dict[str, str] = {}
    last = ""
    for line in lines[1:]:
        text = line.decode("latin-1")
        if text[:1] in (" ", "\t") and last:
            headers[last] += " " + text.strip()
            continue
        name, colon, value = text.partition(":")
        if not colon or _TOKEN.fullmatch(name) is None:
            raise Broken("malformed", "the answer has a header line that is none")
        last = name.lower()
        value = value.strip(" \t")
        headers[last] = f"{headers[last]}, {value}" if last in headers else value
    connection = headers.get("connection", "").lower()
    keeps = "close" not in connection and (found[1] == b"1" or "keep-alive" in connection)
    return Head(int(found[2]), (found[3] or b"").decode("latin-1"), headers, keeps)


def _length(stated: str) -> int:
    """A Content-Length; the same value twice is one, two values are none."""
    values = {part.strip() for part in stated.split(",")}
    value = values.pop()
    if values or re.fullmatch(r"[0-9]{1,18}", value) is None:
        raise Broken("malformed", "the answer announces a length that is no number of bytes")
    return int(value)


def _broken(error: OSError, kind: str = "", fresh: bool = True) -> Broken:
    name = type(error).__name__
    if name == "SSLCertVerificationError":
        reported = getattr(error, "verify_message", "") or "it is not valid"
        return Broken("tls", f"its certificate is refused: {reported}")
    if name.startswith("SSL") and name not in ("SSLEOFError", "SSLZeroReturnError"):
        return Broken("tls", f"no secure connection: {getattr(error, 'reason', '') or 'it does not speak TLS'}")
    if isinstance(error, TimeoutError):
        what = "no connection" if kind == "connect" else "no answer"
        return Broken(kind or "timeout", f"{what} in time", fresh=fresh)
    if isinstance(error, ConnectionRefusedError):
        return Broken("connect", "the connection was refused")
    if isinstance(error, ConnectionError) or name in ("SSLEOFError", "SSLZeroReturnError"):
        return Broken(kind or "dropped", "the connection was dropped", fresh=fresh)
    return Broken(kind or "dropped", error.strerror or name, fresh=fresh)
