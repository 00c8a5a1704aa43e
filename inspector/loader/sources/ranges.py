"""Reads the header of a safetensors file by ranges: the size of the first request, and the check of the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.loader import strict_json
from inspector.loader.header import stated_length
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.source import Opening, Refusal
from inspector.loader.sources.web import Answer, Request, RequestFailure

SMALLEST_FIRST: Final = 1_024
"""Smallest first range, in bytes."""
UNKNOWN_FIRST: Final = 24_576
"""First range if nothing is known, in bytes: it covers two of three published single files."""
LARGEST_FIRST: Final = 2_000_000
_LARGE: Final = 1_000_000
_BEGINS: Final = (b"{", b" ", b"\n", b"\r", b"\t")
_ENTRY: Final = len('"":{"dtype":"F8_E4M3","shape":[],"data_offsets":[,]},')
_DIMS: Final = 11
"""Characters of a shape: "18432,7168" and a margin."""
_DIGITS: Final = 10
"""Digits of an offset in a shard of usual size."""
_METADATA: Final = 200
_CONTENT_RANGE: Final = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19}|\*)")


class ByteRange(Struct, frozen=True):
    """Bytes first to last of a file, both included, and its size if the server states it."""

    first: int
    last: int
    total: int | None


def content_range(stated: str | None) -> ByteRange | None:
    """Parses a Content-Range; None if it is invalid or contradicts itself."""
    found = None if stated is None else _CONTENT_RANGE.fullmatch(stated.strip())
    if found is None:
        return None
    first, last = int(found[1]), int(found[2])
    total = None if found[3] == "*" else int(found[3])
    if first > last or (total is not None and last >= total):
        return None
    return ByteRange(first, last, total)


def expected_headers(weight_map: Mapping[str, str], sizes: Mapping[str, int]) -> dict[str, int]:
    """File -> bytes that its header will hardly exceed, by the names that an index lists for it."""
    letters: dict[str, int] = dict.fromkeys(weight_map.values(), 0)
    each = _ENTRY + _DIMS + 2 * _DIGITS
    for name, file in weight_map.items():  # runs once per tensor: only one addition
        letters[file] += len(name) + each
    return {file: _header_bytes(text, sizes.get(file)) for file, text in letters.items()}


def expected_by_config(config: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, int]:
    """File -> bytes that its header will probably not exceed, from the numbers of layers and experts."""
    layers = _first(config, ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "encoder_layers", "n_blocks"))
    experts = _first(config, ("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"))
    if layers is None or not sizes:
        return {}
    tensors = min(layers, 1_000) * (16 + 3 * min(experts or 0, 1_000)) + 20
    each = -(-tensors // len(sizes))
    text = each * (48 + _ENTRY + _DIMS + 2 * _DIGITS)
    return {file: _header_bytes(text, size) for file, size in sizes.items()}


def likely_headers(expected: Mapping[str, int], config: bytes, sizes: Mapping[str, int]) -> Mapping[str, int]:
    """File -> estimated bytes of its header, by an index or else by the text of a config; {} if neither is known."""
    if expected or not config:
        return expected
    values = strict_json.decode_config(config)
    return expected_by_config(values, sizes) if isinstance(values, dict) else {}


def _header_bytes(text: int, size: int | None) -> int:
    """A first range for this many characters, with a margin."""
    wider = 0 if size is None or size < 10**_DIGITS else text // 32
    return 8 + _METADATA + text + text // 32 + wider


def _first(config: Mapping[str, object], keys: Iterable[str]) -> int | None:
    places = [config, *(value for key in ("text_config", "llm_config") if isinstance(value := config.get(key), dict))]
    found = [value for place in places for key in keys if type(value := place.get(key)) is int and value > 0]
    return found[0] if found else None


class HeaderRequest(Struct, frozen=True):
    """A file with a header to read. size: of the whole file, as the listing states it; expected: header bytes.

    begun: an earlier answer for the address: a redirect to a storage server, or a first range.
    """

    name: str
    url: str
    size: int | None
    expected: int | None
    begun: Answer | None = None


Get = Callable[[Request], Answer | RequestFailure]


def read_header(get: Get, head: HeaderRequest) -> Opening | Refusal:
    """Reads the header by one or two ranges; starts again if the answers do not fit together."""
    outcome = _read(get, head)
    if isinstance(outcome, Refusal) and outcome.reason in _ONCE_MORE:
        return _read(get, replace(head, begun=None))
    return outcome


_RAN_OUT: Final = frozenset({401, 403, 404, 410})
"""Statuses of a storage server for an expired link."""
_ONCE_MORE: Final = frozenset({"changed", "incomplete", "malformed"})
_CHANGED: Final = Refusal("changed", "the file changes while it is read")


def _read(get: Get, head: HeaderRequest) -> Opening | Refusal:
    if head.size == 0:
        return Opening(0, b"", None)
    want = max(SMALLEST_FIRST, min(head.expected or UNKNOWN_FIRST, LARGEST_FIRST))
    if head.size is not None:
        want = min(want, head.size)
    answer = _first_answer(get, head, want)
    if isinstance(answer, RequestFailure):
        return refusal_of(answer)
    size = _size(answer, head.size)
    if isinstance(size, Refusal):
        return size
    first = answer.body
    if head.begun is not None and head.begun.status != 302:
        want = min(want, head.begun.asked)
    if len(first) < min(want, want if size is None else size):
        return Refusal("incomplete", f"{len(first):,} of {want:,} bytes received", size)
    length = stated_length(first[:8], size)
    if length is None:
        return Opening(size, first[:SNIFF_BYTES], None)
    if length > _LARGE and first[8:9] not in _BEGINS:
        # the header length is impossible, so the rest is not fetched
        return Opening(size, first[:SNIFF_BYTES], first[8:])
    if 8 + length <= len(first):
        return Opening(size, first[:SNIFF_BYTES], first[8 : 8 + length])
    return _rest(get, head, answer, size, length)


def _first_answer(get: Get, head: HeaderRequest, want: int) -> Answer | RequestFailure:
    """The first range: from the known storage server, from an earlier answer, or by the address."""
    begun = head.begun
    if begun is not None and begun.status != 302:
        return begun
    answer: Answer | RequestFailure | None = None
    if begun is not None:
        answer = get(Request(begun.url, want, 0, want - 1, exact=False))
        if isinstance(answer, RequestFailure) and answer.status in _RAN_OUT:
            answer = None
    if answer is None:
        answer = get(Request(head.url, want, 0, want - 1, exact=False))
    if isinstance(answer, RequestFailure) and answer.status == 416:
        answer = get(Request(head.url, want, exact=False))
    return answer


def _rest(get: Get, head: HeaderRequest, before: Answer, size: int | None, length: int) -> Opening | Refusal:
    """The part of a header after the first range, from the same server."""
    begin, end = len(before.body), 8 + length
    etag = before.headers.get("etag", "")
    headers = {"If-Range": etag} if etag.startswith('"') else {}
    answer = get(Request(before.url, end - begin, begin, end - 1, headers, exact=False))
    if isinstance(answer, RequestFailure) and answer.status in _RAN_OUT and before.url != head.url:
        answer = get(Request(head.url, end - begin, begin, end - 1, headers, exact=False))  # an expired link
    if isinstance(answer, RequestFailure):
        return refusal_of(answer)
    if answer.status == 200 and headers:
        return _CHANGED if etag != answer.headers.get("etag") else _whole(get, head, size, length)
    if answer.status == 200:
        return _whole(get, head, size, length)
    span = content_range(answer.headers.get("content-range"))
    if span is None or span.first != begin:
        return Refusal("malformed", "the server sent the wrong part of the file", size)
    other = answer.headers.get("etag", "")
    if (etag and other and other != etag) or (size is not None and span.total not in (None, size)):
        return _CHANGED
    if len(answer.body) < end - begin:
        return Refusal("incomplete", f"{begin + len(answer.body):,} of {end:,} bytes received", size)
    header = before.body[8:] + answer.body
    return Opening(size, before.body[:SNIFF_BYTES], header)


def _whole(get: Get, head: HeaderRequest, size: int | None, length: int) -> Opening | Refusal:
    """The beginning in one piece, from a server without ranges."""
    answer = get(Request(head.url, 8 + length, exact=False))
    if isinstance(answer, RequestFailure):
        return refusal_of(answer)
    if len(answer.body) < 8 + length or int.from_bytes(answer.body[:8], "little") != length:
        return _CHANGED
    return Opening(size, answer.body[:SNIFF_BYTES], answer.body[8:])


def _size(answer: Answer, listed: int | None) -> int | Refusal | None:
    """Size of the file. The listing and the answer must agree on it before anything is kept."""
    if answer.status == 206:
        if "multipart/" in answer.headers.get("content-type", "").lower():
            return Refusal("malformed", "the server sent several parts instead of the requested range")
        span = content_range(answer.headers.get("content-range"))
        if span is None:
            return Refusal("malformed", "the server does not say which part of the file it sent")
        if span.first != 0:
            return Refusal("malformed", "the server sent the wrong part of the file")
        reported = span.total
    elif answer.status == 200:
        reported = answer.length
    else:
        return Refusal("malformed", f"the server answers {answer.status} to a range")
    if reported is None or listed is None:
        return listed if reported is None else reported
    if reported != listed:
        if recognised_page(answer.body):
            return reported
        return Refusal("changed", f"the listing says {listed:,} bytes, the server {reported:,}", reported)
    return reported


def recognised_page(first: bytes) -> bool:
    """True if the content is a web page or a server's message instead of a file."""
    return recognise(first[:SNIFF_BYTES], None) in ("html", "refusal", "json-error", "xml-error", "git-lfs-pointer")


def refusal_of(failure: RequestFailure) -> Refusal:
    """The refusal for a failure of the network."""
    reasons = {"large": "too-large", "short": "incomplete"}
    if failure.status in (404, 410):
        return Refusal("absent", failure.detail)
    return Refusal(reasons.get(failure.kind, "network"), failure.detail)


def whole_of(answer: Answer | RequestFailure, listed: int) -> bytes | Refusal:
    """The content of a small file, if it is all of the file. listed: the bytes of the file."""
    if isinstance(answer, RequestFailure):
        return refusal_of(answer)
    if len(answer.body) != listed and recognised_page(answer.body):
        return Refusal("malformed", "the server sent a web page or a message instead of the file", listed)
    if len(answer.body) < listed:
        return Refusal("incomplete", f"{len(answer.body):,} of {listed:,} bytes received", listed)
    return answer.body
