"""The session of huggingface_hub: steps of its connections, and the meaning of its responses and errors.

huggingface_hub is imported when the first request is made: that takes a third of a second.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, AnyStr, Final

from inspector.loader.sources.redirects import Origin

_DECISIVE: Final = (b"x-error-code", b"x-error-message")


def session() -> Any:
    """The HTTP client of huggingface_hub, or the one that the user has set instead."""
    from huggingface_hub import get_session

    return get_session()


class AnswerInPieces(Exception):
    """Raised if a server sends its answers in so many pieces that reading them takes too much work."""


class Pieces:
    """The number of small pieces in which the answers of one reading may still arrive, over all its exchanges."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _PIECES

    def count(self, piece: bytes) -> None:
        """Counts a piece if it is small. Raises AnswerInPieces if there were too many."""
        if len(piece) < _SMALL:
            self.take(1)

    def take(self, number: int) -> None:
        """Counts several pieces."""
        self.left -= number
        if self.left < 0:
            raise AnswerInPieces


_PIECES: Final = 50_000
"""Most small pieces over all answers of a reading; each takes up to 50 microseconds."""
_SMALL: Final = 256
"""Pieces below this number of bytes count as small; no server sends them without need."""
_INTERIM: Final = b"HTTP/1."
"""Beginning of an answer; a server may send any number of interim answers before the final one."""
_INTERIM_PIECES, _MOST_INTERIM = 5, 100
"""Number of pieces that an interim answer counts for; most interim answers of one exchange."""
_HEAD, _MOST_HEAD = 131_072, 524_288
"""Bytes until the headers are complete: an answer's allowance, and the most of one exchange."""
_HEADERS, _HEADERS_A_PIECE, _BYTES_A_PIECE = 200, 5, 64
"""Headers that an answer may have; what counts as a piece beyond that."""
_exchange: Final[ContextVar[Connecting | None]] = ContextVar("exchange", default=None)
"""The exchange of the thread until its headers are complete."""


def _counting(stream: Any) -> None:
    """Makes a connection count what it reads, since the HTTP client does not limit interim answers (100 Continue)."""
    read = stream.read

    def counted(*arguments: Any, **named: Any) -> bytes:
        piece: bytes = read(*arguments, **named)
        exchange = _exchange.get()
        if exchange is not None:
            exchange.count(piece)
        return piece

    with suppress(AttributeError):  # a stream of another client, with fixed attributes
        stream.read = counted


class Connecting:
    """Called by the session at each step of an exchange; checks the address before anything is sent to it."""

    def __init__(self, origin: Origin, judge: Callable[[Origin, str | None], None], pieces: Pieces) -> None:
        self._origin, self._judge, self._pieces = origin, judge, pieces
        self._head = self._interim = 0  # bytes and interim answers until the headers are complete
        self.proxy = ""
        """Host and port of the connected proxy."""

    def __call__(self, step: str, facts: Mapping[str, Any]) -> None:
        if step.endswith("connect_tcp.started"):
            host, port = str(facts.get("host")), facts.get("port")
            if (host, port) != (self._origin.host, self._origin.port):
                self.proxy = f"{host}:{port}"
                self._judge(self._origin, None)
        elif step.endswith("connect_tcp.complete") and not self.proxy:
            stream = facts["return_value"]
            try:
                self._judge(self._origin, peer_of(stream))
            except BaseException:
                stream.close()
                raise
        if step.endswith(("connect_tcp.complete", "start_tls.complete")):
            _counting(facts["return_value"])
        elif step.endswith("receive_response_headers.started"):
            _exchange.set(self)
        elif step.endswith("receive_response_headers.failed"):
            _exchange.set(None)
        elif step.endswith("receive_response_headers.complete"):
            _exchange.set(None)
            self._pieces.take(max(0, len(facts["return_value"][3]) - _HEADERS) // _HEADERS_A_PIECE)

    def count(self, piece: bytes) -> None:
        """Counts the bytes read of the headers. Raises AnswerInPieces."""
        interim = max(0, piece.count(_INTERIM) - 1)
        self._head, self._interim = self._head + len(piece), self._interim + interim
        if self._head > _MOST_HEAD or self._interim > _MOST_INTERIM:
            raise AnswerInPieces
        self._pieces.count(piece)
        self._pieces.take(_INTERIM_PIECES * interim)
        if self._head > _HEAD:
            self._pieces.take(len(piece) // _BYTES_A_PIECE)


def peer_of(stream: Any) -> str | None:
    """The IP address at the other end of a connection; None if unknown."""
    address = None if stream is None else stream.get_extra_info("server_addr")
    return str(address[0]) if isinstance(address, tuple) and address else None


def error_of(response: Any) -> str:
    """The name of the error class that huggingface_hub raises for a response; "" for none.

    Only the two headers that decide the class are used: neither other text nor the body is read.
    """
    from huggingface_hub import hf_raise_for_status
    from huggingface_hub.errors import HfHubHTTPError

    headers = [(name, value) for name, value in response.headers.raw if name.lower() in _DECISIVE]
    try:
        hf_raise_for_status(
            type(response)(response.status_code, headers=headers, content=b"", request=response.request)
        )
    except HfHubHTTPError as error:
        return type(error).__name__
    return ""


def problem_of(error: Exception) -> tuple[str, str]:
    """(kind, words) of an error of the session; ("", "") if it is not a connection error.

    Decided by the names of classes: depending on its version huggingface_hub uses httpx or httpx2.
    """
    chain = list(_chain(error))
    names = {name.__name__ for one in chain for name in type(one).__mro__}
    words = str(error)
    if "AnswerInPieces" in names:
        return "malformed", "its answers come in too many pieces"
    if "SSLCertVerificationError" in names:
        return "tls", f"certificate rejected: {_attribute(chain, 'verify_message') or 'it is not valid'}"
    if "SSLError" in names and not names & {"SSLEOFError", "SSLZeroReturnError"}:
        return "tls", f"no secure connection: {_attribute(chain, 'reason') or 'it does not speak TLS'}"
    if "gaierror" in names:
        return "dns", "unknown host"
    if "ConnectTimeout" in names:
        return "connect", "connection timed out"
    if "ConnectError" in names:
        refused = "ConnectionRefusedError" in names
        return "connect", "the connection was refused" if refused else _attribute(chain, "strerror") or words
    if "ProxyError" in names:
        return "proxy", f"the proxy answers {words}"
    if "TimeoutException" in names or "TimeoutError" in names:
        return "timeout", "request timed out"
    if names & {"NetworkError", "EOFError"} or "disconnected" in words or "closed connection" in words:
        return "dropped", "the connection was dropped"
    if "InvalidURL" in names or "location header" in words:  # checked even if it is not followed
        return "redirect", "it redirects to an invalid address"
    if "OfflineModeIsEnabled" in names:
        return "offline", "offline mode: HF_HUB_OFFLINE is set"
    if "LocalProtocolError" in names:
        return "malformed", "invalid characters in a request header: check HF_TOKEN"
    if names & {"RequestError", "StreamError"}:
        return "malformed", f"not an HTTP response: {words}"
    return "", ""


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and its causes."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _attribute(chain: Iterable[BaseException], name: str) -> str:
    return next((str(value) for one in chain if (value := getattr(one, name, None))), "")


_LEAST_SECRET: Final = 8
"""Least characters of a text that counts as a secret: shorter texts occur by chance."""


def masked(sent: AnyStr, secret: str) -> AnyStr:
    """A text that a server sent, with the token replaced by asterisks of the same length."""
    if len(secret) < _LEAST_SECRET:
        return sent
    if isinstance(sent, bytes):
        return sent.replace(secret.encode(), b"*" * len(secret.encode()))
    return sent.replace(secret, "*" * len(secret))


def length_of(headers: Mapping[str, str]) -> int | None:
    """Bytes of a body as sent, if the headers state them."""
    stated = headers.get("content-length", "")
    return int(stated) if "transfer-encoding" not in headers and re.fullmatch("[0-9]{1,20}", stated) else None


def unzipped(body: bytes, most: int) -> bytes:
    """The first bytes of a gzip-compressed body. Raises EOFError if it is truncated or not gzip."""
    import zlib

    unzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        whole = unzip.decompress(body, most)
    except zlib.error:
        raise EOFError from None
    if len(whole) < most and not unzip.eof:
        raise EOFError
    return whole


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server requests to wait, from a number or a date; None if neither is valid."""
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
