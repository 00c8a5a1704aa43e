"""Network faults: the findings, the requests that are made, and the bytes that are read."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace

import pytest

from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare_audits
from inspector.loader.checkpoint import Checkpoint, load
from inspector.loader.sources import hub as hub_room
from inspector.loader.sources import hub_api, ranges, redirects, web
from inspector.loader.sources.redirects import Origin
from inspector.loader.sources.traffic import Meter
from inspector.loader.sources.web import Limits, Request, RequestFailure, Web
from inspector.report.compare_text import compare_text
from tests.attacks.test_edited_folders import FOLDERS
from tests.checkpoints import header, write
from tests.hub.conftest import SHARDS, equal, reported, rules
from tests.hub.stand_in import Piece, Reply, Seen, StandIn, commit_of
from tests.sparse_models import TINY, header_bytes, llama
from tests.steps import at_most

pytestmark = pytest.mark.thinned

ShortenLimits = Callable[..., None]
BLOBS = r"^/blobs/"
LAST = f"model-0000{SHARDS}-of-0000{SHARDS}.safetensors"
CLEAN: list[str] = []
SLOW_TRIES = Limits().slow_tries * SHARDS


def read(name: str = "org/tiny", **options: str) -> Checkpoint:
    return load(name, **options)  # type: ignore[arg-type]


def shard_sent(hub: StandIn) -> int:
    return hub.sent["store"]


@pytest.fixture
def short_first(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set the bytes of every first range, so that a second one is needed."""

    def shorten(count: int) -> None:
        monkeypatch.setattr(ranges, "SMALLEST_FIRST", count)
        monkeypatch.setattr(ranges, "UNKNOWN_FIRST", count)
        monkeypatch.setattr(hub_room, "likely_headers", lambda *_: {})
        monkeypatch.setattr(hub_room, "expected_headers", lambda *_: {})

    return shorten


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of all pauses between tries; the clock is advanced instead of waiting."""
    waited: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + sum(waited), sleep=time.sleep, time=time.time)
    monkeypatch.setattr(web, "time", clock)
    monkeypatch.setattr(Web, "_pause", lambda _, seconds: waited.append(seconds))
    return waited


# --- server errors ---


@pytest.mark.parametrize("path", ["/api/models/org/tiny$", "/tree/", "config.json", "index.json", "00002-of", BLOBS])
@pytest.mark.parametrize("status", [500, 502, 503, 504, 429])
def test_one_error_costs_two_requests_at_most(hub: StandIn, truth: Checkpoint, path: str, status: int) -> None:
    read()
    without = len(hub.seen)
    hub.forget()
    hub.fail(path, Reply(status), times=1)
    checkpoint = read()
    assert rules(checkpoint) == CLEAN
    assert equal(checkpoint, truth)
    assert len(hub.seen) <= without + 2


def test_a_permanent_error_names_file_and_status(hub: StandIn) -> None:
    hub.fail("00003-of", Reply(503))
    checkpoint = read()
    assert rules(checkpoint) == ["read-failed"]
    assert len(checkpoint.files) == SHARDS - 1
    assert len(hub.requests("00003-of")) <= 4
    words = reported(checkpoint)
    assert "model-00003-of-00004.safetensors" in words
    assert "503" in words
    assert f"not read: shard 3 of {SHARDS}" in words


def test_an_api_that_is_down(hub: StandIn) -> None:
    hub.fail(".", Reply(503))
    checkpoint = read()
    assert rules(checkpoint) == ["hub-unreachable"]
    assert not checkpoint.readable
    assert len(hub.seen) <= 4
    assert "503" in reported(checkpoint)


@pytest.mark.parametrize("stated", ["1", "date", "-1", "999999", "soon"])
def test_retry_after(
    hub: StandIn, shorten_limits: ShortenLimits, truth: Checkpoint, pauses: list[float], stated: str
) -> None:
    shorten_limits(longest_wait=40.0, whole=1000.0)
    value = formatdate(time.time() + 30, usegmt=True) if stated == "date" else stated
    hub.fail(BLOBS, Reply(429, (("Retry-After", value),)), times=1)
    checkpoint = read()
    assert rules(checkpoint) == CLEAN
    assert equal(checkpoint, truth)
    low, high = {"1": (1.0, 1.0), "date": (15.0, 30.0), "999999": (40.0, 40.0)}.get(stated, (0.0, 0.02))
    assert low <= max(pauses) <= high
    assert sum(pauses) < 2 * high + 0.1
    assert checkpoint.traffic is not None
    assert (checkpoint.traffic.waits >= low) or low == 0.0


def test_a_permanent_rate_limit_is_reported(hub: StandIn, shorten_limits: ShortenLimits) -> None:
    shorten_limits(longest_wait=0.2)
    hub.fail("/api/", Reply(429, (("Retry-After", "999999"),)))
    words = reported(read())
    assert "429" in words
    assert "999,999 s" in words
    assert "hub-unreachable" in words


# --- ranges ---


@pytest.mark.parametrize("cut", [0, 4, 8, 300])
@pytest.mark.parametrize("times", [1, None])
def test_dropped_connections(hub: StandIn, truth: Checkpoint, cut: int, times: int | None) -> None:
    read()
    without = len(hub.seen)
    hub.forget()
    one = hub.requests  # the first requested blob fails
    hub.fail(BLOBS, lambda seen, right: replace(right, cut=cut), times=times)
    checkpoint = read()
    if times == 1:
        assert rules(checkpoint) == CLEAN
        assert equal(checkpoint, truth)
        assert len(one()) <= without + 2
    else:
        assert set(rules(checkpoint)) == {"read-failed"}
        assert not checkpoint.tensors
        assert "dropped" in reported(checkpoint) or "closed" in reported(checkpoint)


def test_a_server_without_ranges(hub: StandIn, tmp_path: Path) -> None:
    large = write(tmp_path / "large", {"w": ("F32", (1024, 1024, 1250))}, {"model_type": "llama"})
    hub.add("org/large", large)
    path = large / "model.safetensors"
    size = path.stat().st_size
    assert size > 5_000_000_000
    whole = Reply(200, (("ETag", '"x"'),), Piece(path, 0, size))
    hub.fail(BLOBS, lambda seen, right: whole)
    checkpoint = read("org/large")
    assert equal(checkpoint, load(str(large)))
    assert checkpoint.traffic is not None
    assert checkpoint.traffic.bytes < 200_000
    assert shard_sent(hub) <= 16_000_000  # bytes in system buffers before the close is noticed


@pytest.mark.parametrize("status", [200, 206])
def test_a_body_shorter_than_requested(hub: StandIn, truth: Checkpoint, status: int) -> None:
    def shorter(seen: Seen, right: Reply) -> Reply:
        return replace(right, status=status, body=right.content()[:20])

    hub.fail(BLOBS, shorter, times=1)
    assert equal(read(), truth)
    hub.fail(BLOBS, shorter)
    checkpoint = read()
    assert set(rules(checkpoint)) == {"read-failed"}
    words = reported(checkpoint)
    assert "bytes received" in words or "the listing says" in words


@pytest.mark.parametrize(
    "stated",
    [
        "bytes 8-999/{size}", "bytes 1-{last}/{size}", "bytes 0-{last}/99", "bytes 0-{last}/0", "text", "",
        "bytes -5-{last}/{size}", "bytes {last}-0/{size}", "bytes 0-{last}/999999999999", None,
    ],
)  # fmt: skip
def test_wrong_content_ranges_never_shift_a_header(hub: StandIn, stated: str | None) -> None:
    def wrong(seen: Seen, right: Reply) -> Reply:
        size = right.header("content-range").rpartition("/")[2]
        last = len(right.content()) - 1
        return right.having(content_range=stated and stated.format(size=size, last=last))

    hub.fail(BLOBS, wrong)
    checkpoint = read()
    assert set(rules(checkpoint)) == {"read-failed"}
    assert not checkpoint.tensors
    assert shard_sent(hub) <= 3 * 5_000 * SHARDS


@pytest.mark.parametrize("stated", ["bytes 0-{last}/*", "bytes 0-{less}/{size}"])
def test_a_correct_start_of_the_range_is_enough(hub: StandIn, truth: Checkpoint, stated: str) -> None:
    def vague(seen: Seen, right: Reply) -> Reply:
        size = right.header("content-range").rpartition("/")[2]
        last = len(right.content()) - 1
        return right.having(content_range=stated.format(size=size, last=last, less=last - 1))

    hub.fail(BLOBS, vague)
    assert equal(read(), truth)


def test_a_body_longer_than_requested(hub: StandIn, truth: Checkpoint, folder: Path) -> None:
    def more(seen: Seen, right: Reply) -> Reply:
        assert isinstance(right.body, Piece)
        return replace(right.having(content_length=str(10**9)), body=right.content() + b"x" * 500_000)

    hub.fail(BLOBS, more)
    checkpoint = read()
    assert equal(checkpoint, truth)
    assert checkpoint.traffic is not None
    assert checkpoint.traffic.bytes < 40_000


def test_a_multipart_response(hub: StandIn) -> None:
    parts = Reply(206, (("Content-Type", "multipart/byteranges; boundary=x"),), b"--x\r\n" + b"y" * 5_000)
    hub.fail(BLOBS, parts)
    checkpoint = read()
    assert set(rules(checkpoint)) == {"read-failed"}
    assert "several parts" in reported(checkpoint)


def test_range_not_satisfiable(hub: StandIn, truth: Checkpoint) -> None:
    def refused(seen: Seen, right: Reply) -> Reply:
        return Reply(416, (("Content-Range", "bytes */9"),)) if "range" in seen.headers else right

    hub.fail(BLOBS, refused)
    assert equal(read(), truth)


def test_a_file_smaller_than_the_first_range(hub: StandIn, tmp_path: Path) -> None:
    small = write(tmp_path / "small", {"w": ("F32", (1,))})
    hub.add("org/small", small)
    checkpoint = read("org/small")
    assert equal(checkpoint, load(str(small)))
    assert len(hub.requests(BLOBS)) == 1


@pytest.mark.parametrize("distance", range(-9, 10))
def test_headers_around_the_first_range(
    hub: StandIn, short_first: Callable[[int], None], tmp_path: Path, distance: int
) -> None:
    short_first(600)
    raw, _ = header({"a": ("F32", (2, 2)), "b": ("F32", (4,))})
    text = raw[8:].rstrip()
    length = 600 + distance - 8
    (tmp_path / "model.safetensors").write_bytes(length.to_bytes(8, "little") + text.ljust(length) + bytes(32))
    hub.add("org/edge", tmp_path)
    checkpoint = read("org/edge")
    assert equal(checkpoint, load(str(tmp_path)))
    assert checkpoint.readable
    assert len(hub.requests(BLOBS)) == (1 if distance <= 0 else 2)


# --- redirects, and the hosts that receive the token ---


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HF_TOKEN", StandIn.token)
    return StandIn.token


def leaked(hub: StandIn) -> list[Seen]:
    return [one for one in hub.seen if one.server == "store" and {"authorization", "cookie"} & one.headers.keys()]


def test_only_the_hub_receives_the_token(hub: StandIn, truth: Checkpoint, token: str) -> None:
    assert equal(read(), truth)
    assert hub.requests(BLOBS, "store")
    assert not leaked(hub)
    assert all(one.headers["authorization"] == f"Bearer {token}" for one in hub.seen if one.server == "hub")


@pytest.mark.parametrize(
    "target", ["{store}/x", "http://user:secret@127.0.0.1:{port}/x", "http://127.0.0.1.example.invalid/x"]
)
def test_other_origins_get_no_token(hub: StandIn, token: str, target: str) -> None:
    place = target.format(store=hub.store, port=hub.ports["store"])
    hub.fail("resolve", Reply(302, (("Location", place),)))
    checkpoint = read()
    assert not leaked(hub)
    assert not checkpoint.readable
    assert token not in reported(checkpoint)
    assert "secret" not in reported(checkpoint)


def test_another_name_of_the_same_machine_gets_no_token(hub: StandIn, token: str) -> None:
    hub.fail(
        "resolve",
        lambda seen, right: (
            right.having(location=right.header("location").replace("127.0.0.1", "2130706433"))
            if right.status == 302
            else right
        ),
    )
    checkpoint = read()
    assert checkpoint.readable  # the same machine under another name is another origin and gets no token
    assert not leaked(hub)


def test_redirects_from_https_to_http_are_not_followed() -> None:
    problem = redirects.why_not_followed(Origin("https", "hub.example", 443), "http://cdn.example/x?key=secret")
    assert "not encrypted" in problem
    assert "key" not in problem


def test_no_token_after_a_redirect_through_another_host(hub: StandIn, token: str) -> None:
    def back(seen: Seen, right: Reply) -> Reply:
        return Reply(302, (("Location", f"{hub.endpoint}/back{seen.path}"),))

    hub.fail(BLOBS, back, server="store")
    read()
    returned = hub.requests("^/back", "hub")
    assert returned
    assert not any("authorization" in one.headers for one in returned)
    assert not leaked(hub)


@pytest.mark.parametrize("kind", ["relative", "absolute", "two hosts", "long"])
def test_the_number_of_redirects_is_limited(hub: StandIn, kind: str) -> None:
    count = [0]

    def around(seen: Seen, right: Reply) -> Reply:
        count[0] += 1
        there = {
            "relative": seen.target,
            "absolute": f"{hub.endpoint}{seen.target}",
            "two hosts": (hub.store if seen.server == "hub" else hub.endpoint) + seen.path,
            "long": f"/hop/{count[0]}",
        }[kind]
        return Reply(302, (("Location", there),))

    hub.fail("config.json|/hop/", around)
    checkpoint = read()
    assert count[0] <= 10
    assert rules(checkpoint) == ["config-unreadable"]
    assert "redirects too many times" in reported(checkpoint)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,{}", "//", "http://"])
def test_other_schemes(hub: StandIn, target: str) -> None:
    hub.fail("resolve", Reply(302, (("Location", target),)))
    checkpoint = read()
    assert not checkpoint.readable
    assert "redirects" in reported(checkpoint)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "2130706433:{port}", "169.254.169.254", "[::1]:{port}"]
)
def test_no_redirect_from_a_public_host_to_this_machine(
    hub: StandIn, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.example")
    monkeypatch.setenv("http_proxy", hub.endpoint)
    place = "http://" + host.format(port=hub.ports["store"])
    hub.fail("resolve", Reply(302, (("Location", f"{place}/x"),)))
    checkpoint = read()
    assert not checkpoint.readable
    assert not hub.requests("^/x")
    assert "not followed" in reported(checkpoint)


def test_classes_of_addresses() -> None:
    near = {
        "127.0.0.1": "machine", "::1": "machine", "0.0.0.0": "machine", "::ffff:127.0.0.1": "machine",
        "169.254.169.254": "link", "fe80::1%eth0": "link", "10.0.0.1": "private", "192.168.1.1": "private",
        "1.1.1.1": "public", "2606:4700::1111": "public",
    }  # fmt: skip
    assert {one: redirects.distance(one) for one in near} == near
    room = Web(Origin("https", "hub.example", 443), {}, Limits(), Meter())
    room._judge(Origin("https", "hub.example", 443), "1.1.1.1")
    room._judge(Origin("https", "cdn.example", 443), "1.0.0.1")
    for numeric in ("127.0.0.1", "169.254.169.254", "10.0.0.1", "::1"):
        with pytest.raises(web._RedirectRefused):
            room._judge(Origin("https", "cdn.example", 443), numeric)


def test_a_renamed_repository(hub: StandIn, truth: Checkpoint, token: str) -> None:
    hub.renamed["org/old"] = "org/tiny"
    checkpoint = read("org/old")
    assert rules(checkpoint) == ["repository-renamed"]
    assert equal(checkpoint, truth)
    assert "org/tiny" in reported(checkpoint)
    assert len(hub.requests("org/old")) == 1
    assert all("authorization" in one.headers for one in hub.seen if one.server == "hub")


# --- refusals and tokens ---


def test_each_refusal_has_its_own_message(hub: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.add("org/private", folder, private=True)
    hub.add("org/gated", folder, gated=True)
    hub.add("org/closed", folder, disabled=True)
    hub.add("org/spotty", folder)
    hub.fail("org/spotty/resolve/.*config.json", Reply(404, (("X-Error-Code", "EntryNotFound"),)))
    seen = {
        "missing without token": read("org/none"),
        "private": read("org/private"),
        "gated": read("org/gated"),
        "disabled": read("org/closed"),
        "revision": read("org/tiny@v9"),
        "folder": read("hf://org/tiny/nowhere"),
    }
    found = {name: rules(checkpoint) for name, checkpoint in seen.items()}
    assert found == {
        "missing without token": ["repository-private"],
        "private": ["repository-private"],
        "gated": ["repository-gated"],
        "disabled": ["repository-disabled"],
        "revision": ["revision-not-found"],
        "folder": ["inside-not-found"],
    }
    assert rules(read("org/spotty")) == ["config-unreadable"]
    monkeypatch.setenv("HF_TOKEN", StandIn.token)
    seen["missing"] = read("org/none")
    assert rules(seen["missing"]) == ["repository-not-found"]
    assert rules(read("org/private")) == CLEAN
    assert rules(read("org/gated")) == ["repository-gated"]
    printed = [reported(checkpoint).partition("error[")[2] for checkpoint in seen.values()]
    messages = {words.replace("org/none", "org/private") for words in printed}
    assert len(messages) == 6
    assert "HF_TOKEN" in reported(seen["private"])
    assert "accept the terms" in reported(seen["gated"])


def test_a_bad_token(hub: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_bad")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "token").write_text(StandIn.token)
    checkpoint = read()
    assert rules(checkpoint) == ["token-refused"]
    assert {one.headers["authorization"] for one in hub.seen} == {"Bearer hf_bad"}
    assert "hf_bad" not in reported(checkpoint)


# --- changes while reading ---


def test_all_files_are_of_one_commit(hub: StandIn, single: Path, truth: Checkpoint) -> None:
    served = hub.repositories["org/tiny"]
    first = served.branches["main"]
    second = commit_of("org/tiny", "second")
    served.commits[second] = single

    def moved(seen: Seen, right: Reply) -> Reply:
        served.branches["main"] = second
        return right

    hub.fail("^/api/models/org/tiny$", moved)
    checkpoint = read()
    assert equal(checkpoint, truth)
    assert checkpoint.commit == first
    unpinned = [one.path for one in hub.seen if one.server == "hub" and first not in one.path]
    assert unpinned == [
        "/api/models/org/tiny",
        "/api/models/org/tiny/safetensors-metadata/model.safetensors.index.json",
    ]


def test_a_response_with_the_headers_of_another_commit_is_not_used(
    hub: StandIn, tmp_path: Path, truth: Checkpoint
) -> None:
    hub.one_answer = True
    served = hub.repositories["org/tiny"]
    other = write(tmp_path / "other", dict(llama({**TINY, "num_key_value_heads": 4})), TINY, shards=SHARDS)
    second = commit_of("org/tiny", "second")
    served.commits[second] = other

    def moved(seen: Seen, right: Reply) -> Reply:
        served.branches["main"] = second
        return right

    hub.fail("^/api/models/org/tiny$", moved, times=1)
    assert equal(read(), truth)


@pytest.mark.parametrize("times", [1, None])
def test_a_file_that_changes(hub: StandIn, short_first: Callable[[int], None], single: Path, times: int | None) -> None:
    short_first(100)
    left = [0]

    def changed(seen: Seen, right: Reply) -> Reply:
        if "bytes=0-" in seen.headers["range"]:
            return right
        left[0] += 1
        return right.having(etag='"other"') if times is None or left[0] <= times else right

    hub.fail(BLOBS, changed)
    checkpoint = read("org/single")
    assert len(hub.requests(BLOBS)) == 4
    if times:
        assert equal(checkpoint, load(str(single)))
    else:
        assert rules(checkpoint) == ["read-failed"]
        assert "changes while it is read" in reported(checkpoint)


# --- slow, encoded and malformed responses ---


@pytest.mark.parametrize("how", ["drip", "silent body", "silence", "endless head"])
@pytest.mark.parametrize("where", ["/api/models/org/tiny$", BLOBS])
def test_slow_servers(hub: StandIn, shorten_limits: ShortenLimits, how: str, where: str) -> None:
    shorten_limits(silence=0.3, head=0.4, slowest=1e6, whole=3.0)

    def slow(seen: Seen, right: Reply) -> Reply:
        return {
            "drip": replace(right, drip=0.1),
            "silent body": replace(right, hangs=True),
            "silence": replace(right, silence=3600),
            "endless head": replace(right, dribble_head=0.1),
        }[how]

    hub.fail(where, slow)
    checkpoint = read()
    assert len(hub.requests(where)) <= SLOW_TRIES
    assert shard_sent(hub) < 1_000
    assert not checkpoint.readable
    assert "timed out" in reported(checkpoint)


@pytest.mark.parametrize("coding", ["gzip", "br", "deflate"])
def test_an_encoding_that_was_not_requested(hub: StandIn, coding: str) -> None:
    bomb = gzip.compress(b"\0" * 10_000_000)
    hub.fail(BLOBS, lambda seen, right: replace(right.having(content_encoding=coding), body=bomb))
    checkpoint = read()
    assert set(rules(checkpoint)) == {"read-failed"}
    assert f"unsupported encoding {coding}" in reported(checkpoint)
    accepted = {(one.path.startswith("/api/"), one.headers["accept-encoding"]) for one in hub.seen}
    assert accepted == {(True, "gzip"), (False, "identity")}


def test_responses_of_the_api_may_be_compressed(hub: StandIn, truth: Checkpoint) -> None:
    hub.fail(
        "/api/", lambda seen, right: replace(right.having(content_encoding="gzip"), body=gzip.compress(right.content()))
    )
    checkpoint = read()
    assert equal(checkpoint, truth)
    assert rules(checkpoint) == CLEAN


@pytest.mark.parametrize("how", ["bomb", "cut", "not gzip"])
def test_compressed_responses_are_bounded(hub: StandIn, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(hub_api, "TREE_LIMIT", 100_000)
    body = {"bomb": gzip.compress(b" " * 50_000_000), "cut": gzip.compress(b"[]" * 100)[:-12], "not gzip": b"[]"}[how]
    hub.fail("/tree/", Reply(200, (("Content-Encoding", "gzip"),), body))
    checkpoint = read()
    assert rules(checkpoint) == ["hub-unreachable"]
    assert not checkpoint.readable


PORTAL = Reply(200, (("Content-Type", "text/html"),), b"<!DOCTYPE html><html><body>Log in</body></html>")


def test_a_web_page_for_every_request(hub: StandIn) -> None:
    hub.fail(".", PORTAL)
    checkpoint = read()
    assert rules(checkpoint) == ["hub-answer-odd"]
    assert "a web page instead of" in reported(checkpoint)
    assert not checkpoint.readable


def test_a_web_page_for_files(hub: StandIn) -> None:
    hub.fail("resolve", PORTAL)
    checkpoint = read()
    assert not checkpoint.readable
    assert set(rules(checkpoint)) == {"config-unreadable", "index-unreadable", "not-a-checkpoint"}
    assert "a web page" in reported(checkpoint)


@pytest.mark.parametrize("how", ["chunked", "unframed", "http/1.0"])
@pytest.mark.parametrize("where", [".", BLOBS])
def test_transfer_encodings(hub: StandIn, truth: Checkpoint, how: str, where: str) -> None:
    def framed(seen: Seen, right: Reply) -> Reply:
        if how == "chunked":
            return right.having(transfer_encoding="chunked")
        return replace(right, unframed=True, version="HTTP/1.0" if how == "http/1.0" else "HTTP/1.1")

    hub.fail(where, framed)
    assert equal(read(), truth)


@pytest.mark.parametrize("stated", ["{more}", "{less}", "-5", "5, 7", "1" + "0" * 20, "many"])
@pytest.mark.parametrize("where", ["config.json", BLOBS])
def test_wrong_content_lengths(hub: StandIn, shorten_limits: ShortenLimits, stated: str, where: str) -> None:
    shorten_limits(silence=0.3, head=0.5)

    def wrong(seen: Seen, right: Reply) -> Reply:
        size = len(right.content())
        return replace(right.having(content_length=stated.format(more=size + 50, less=size - 50)), close=True)

    hub.fail(where, wrong)
    checkpoint = read()
    expected = "config-unreadable" if where == "config.json" else "read-failed"
    if where == BLOBS and stated in ("{more}", "1" + "0" * 20):
        return  # only the requested range is read, which is complete
    assert set(rules(checkpoint)) == {expected}


@pytest.mark.parametrize("how", ["both", "100", "flood", "204", "206 to all"])
def test_unusual_responses(hub: StandIn, shorten_limits: ShortenLimits, how: str) -> None:
    shorten_limits(silence=0.5, head=1.0)

    def odd(seen: Seen, right: Reply) -> Reply:
        body = right.content()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
        return {
            "both": right.having(transfer_encoding="chunked", content_length="3"),
            "100": Reply(raw=b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + head + body),
            "flood": Reply(raw=b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000),
            "204": Reply(204),
            "206 to all": replace(right, status=206),
        }[how]

    hub.fail("config.json", odd)
    checkpoint = read()
    assert rules(checkpoint) == ([] if how in ("both", "100", "206 to all") else ["config-unreadable"])


FLOODS = {
    "interim answers": Reply(raw=b"HTTP/1.1 100 Continue\r\n\r\n" * 60_000),
    "large interim answers": Reply(raw=(b"HTTP/1.1 103 Early Hints\r\n" + b"a: b\r\n" * 2_000 + b"\r\n") * 800),
    "small chunks": Reply(
        raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 80_000 + b"0\r\n\r\n"
    ),
}


@pytest.mark.parametrize("how", FLOODS)
def test_responses_in_too_many_pieces(hub: StandIn, how: str) -> None:
    hub.fail("config.json", FLOODS[how])
    checkpoint = read()
    assert "config-unreadable" in rules(checkpoint)
    assert "too many pieces" in reported(checkpoint)


@pytest.mark.parametrize("how", ["line", "many", "no colon", "not http"])
def test_oversized_and_malformed_headers(hub: StandIn, how: str) -> None:
    raw = {
        "line": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10_000_000 + b"\r\n\r\n",
        "many": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
        "no colon": b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
        "not http": b"SSH-2.0-OpenSSH_9.0\r\n\r\n",
    }[how]
    hub.fail("/api/", Reply(raw=raw))
    checkpoint = read()
    assert rules(checkpoint) == ["hub-unreachable"]
    assert len(hub.seen) <= 3


def test_messages_of_servers_are_sanitized(hub: StandIn, token: str) -> None:
    hostile = f"\x1b[31m<b>red</b>\x07 Bearer {token} {token}"
    hub.fail("/api/", Reply(403, (("X-Error-Message", hostile),), hostile.encode()))
    words = reported(read())
    assert "\x1b" not in words
    assert "\x07" not in words
    assert token not in words


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_messages_in_any_bytes(hub: StandIn, status: int) -> None:
    message = "caf\xe9 \xc3\xa9 \xff"
    hub.fail(
        "/api/", Reply(status, (("X-Error-Message", message), ("X-Error-Code", message)), message.encode("latin-1"))
    )
    assert len(rules(read())) == 1


def test_a_redirect_with_an_endless_body(hub: StandIn, truth: Checkpoint) -> None:
    hub.fail("00002-of", lambda seen, right: replace(right, body=b"x" * 65_536, endless=True), server="hub")
    assert equal(read(), truth)


@pytest.mark.parametrize(
    "target", ["/caf\xe9", "http://caf\xe9.example/x", "http://[::1/x", "http://x:99999/", "?\xff"]
)
def test_redirects_to_odd_addresses(hub: StandIn, target: str) -> None:
    hub.fail("resolve/.*config.json", Reply(302, (("Location", target),)))
    checkpoint = read()
    assert rules(checkpoint) == ["config-unreadable"]
    assert checkpoint.readable


# --- responses of the API ---


@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b'{"sha": 5}', b'{"sha": "../.."}', b"\xff\xfe", b'{"sha": "' + b"a" * 41 + b'"}', b"null", b""],
)
def test_invalid_descriptions(hub: StandIn, body: bytes) -> None:
    hub.fail("^/api/models/org/tiny$", Reply(200, body=body))
    assert rules(read()) == ["hub-answer-odd"]
    assert len(hub.seen) == 1


@pytest.mark.parametrize("body", [b"{}", b"[", b"nope", b"[" * 100_000])
def test_invalid_trees(hub: StandIn, body: bytes) -> None:
    hub.fail("/tree/", Reply(200, body=body))
    assert rules(read()) == ["hub-answer-odd"]


def test_unsafe_names_are_not_requested(hub: StandIn, truth: Checkpoint) -> None:
    names = ["../up.safetensors", "/etc/passwd", "a\x1bb.safetensors", "", "http://x/y.safetensors", "a//b", 5, None]

    def more(seen: Seen, right: Reply) -> Reply:
        entries = json.loads(right.content())
        odd: list[object] = [{"type": "file", "path": name, "size": 100, "oid": "x"} for name in names]
        odd += [{"type": "file", "path": "b.safetensors", "size": size} for size in (-1, True, "5", None, 2**70, 1.5)]
        return replace(right, body=json.dumps(entries + odd + [None, "x", []]).encode())

    hub.fail("/tree/", more)
    assert equal(read(), truth)
    assert not hub.requests(r"\.\.|etc|http:")


@pytest.mark.parametrize("kind", ["itself", "endless", "other host"])
def test_the_number_of_pages_is_limited(hub: StandIn, token: str, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(hub_api, "PAGES_LIMIT", 10)
    count = [0]

    def linked(seen: Seen, right: Reply) -> Reply:
        count[0] += 1
        there = {
            "itself": hub.endpoint + seen.target,
            "endless": f"{hub.endpoint}{seen.path}?cursor={count[0] * 10_000}",
            "other host": f"{hub.store}/tree/x",
        }[kind]
        return right.having(link=f'<{there}>; rel="next"')

    hub.fail("/tree/", linked)
    checkpoint = read()
    assert checkpoint.readable
    assert rules(checkpoint) == ["listing-incomplete"]
    assert len(hub.requests("/tree/")) <= 10
    assert not leaked(hub)
    assert not hub.requests("/tree/", "store")


@pytest.mark.slow
def test_a_hundred_thousand_files(hub: StandIn) -> None:
    many = ",".join(f'{{"type":"file","path":"f{n}.txt","size":1}}' for n in range(100_000))
    hub.fail("/tree/", Reply(200, body=f"[{many}]".encode()))
    with at_most(8_000_000):
        checkpoint = read()
    assert not checkpoint.readable


# --- failed connections ---


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    path = tmp_path_factory.mktemp("tls") / "self-signed.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=elsewhere.example"]
    subprocess.run([*words, "-keyout", str(path), "-out", f"{path}.crt"], check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


def test_an_untrusted_certificate(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server(("127.0.0.1", 0))
    received: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                made, _ = listener.accept()
            except OSError:
                return
            try:
                received.append(context.wrap_socket(made, server_side=True).recv(1000))
            except OSError:
                made.close()

    threading.Thread(target=serve, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"https://127.0.0.1:{listener.getsockname()[1]}")
    checkpoint = read()
    assert rules(checkpoint) == ["hub-unreachable"]
    assert "certificate" in reported(checkpoint)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert "certificate" in reported(read())  # trusted now, but for another host
    listener.close()
    assert not any(received)


def test_no_tls_on_the_port(
    hub: StandIn, shorten_limits: ShortenLimits, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    shorten_limits(connecting=0.3)
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint.replace("http:", "https:"))
    checkpoint = read()
    assert rules(checkpoint) == ["hub-unreachable"]
    assert not hub.seen
    assert token not in reported(checkpoint)


def test_no_server(monkeypatch: pytest.MonkeyPatch, shorten_limits: ShortenLimits, pauses: list[float]) -> None:
    shorten_limits(connecting=1.0)
    for endpoint in ("http://127.0.0.1:9", "http://nobody.invalid", "http://[::1]:9"):
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        pauses.clear()
        checkpoint = read()
        assert len(pauses) <= 1
        assert rules(checkpoint) == ["hub-unreachable"]
        assert endpoint.removeprefix("http://") in reported(checkpoint)


def test_proxies(hub: StandIn, truth: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.example")
    monkeypatch.setenv("http_proxy", hub.endpoint.replace("//", "//user:sesame@"))
    hub.store_host = "store.example"
    assert equal(read(), truth)
    assert all(one.headers["proxy-authorization"].startswith("Basic ") for one in hub.seen)
    assert {one.headers["host"].partition(":")[0] for one in hub.seen} == {"hub.example", "store.example"}
    hub.fail(".", Reply(407))
    words = reported(read())
    assert "407" in words
    assert "sesame" not in words
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    words = reported(read())
    assert "the proxy 127.0.0.1:9" in words
    monkeypatch.setenv("no_proxy", "hub.example")
    assert "unknown host" in reported(read())
    monkeypatch.setenv("HF_ENDPOINT", "https://secure.example")
    monkeypatch.setenv("https_proxy", hub.endpoint)
    assert "the proxy" in reported(read())


@pytest.mark.slow
def test_a_thousand_shards(hub: StandIn, tmp_path: Path) -> None:
    config = {**TINY, "num_hidden_layers": 120}
    many = write(tmp_path / "many", dict(llama(config)), config, shards=1_000)
    hub.add("org/many", many)
    hub.fail("-00[0-9]50-of", Reply(500))
    checkpoint = read("org/many")
    assert rules(checkpoint) == ["read-failed"] * 10
    assert len(checkpoint.files) == 990
    assert "not read: shard 350 of 1000" in reported(checkpoint)
    assert hub.most_open <= 2 * Limits().at_once + 2  # one may be opened before the close of another is noticed
    assert len(hub.seen) <= 2 * 1_000 + 5 + 20


# --- endpoints, pointers, hostile headers and indexes ---


@pytest.mark.parametrize("endpoint", ["", "   "])
def test_a_blank_endpoint_is_ignored(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    from inspector.loader.sources.hub_settings import HubSettings, settings

    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    found = settings()
    assert isinstance(found, HubSettings)
    assert found.endpoint == "https://huggingface.co"


@pytest.mark.parametrize("endpoint", ["hub.example", "ftp://hub.example", "https://", "http://u:p@hub.example", "/x"])
def test_invalid_endpoints(monkeypatch: pytest.MonkeyPatch, token: str, endpoint: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    checkpoint = read()
    assert rules(checkpoint) == ["address-not-understood"]
    assert "HF_ENDPOINT" in reported(checkpoint)
    assert "u:p" not in reported(checkpoint)


def test_an_endpoint_with_a_path(hub: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.endpoint}/mirror/")
    read()
    assert {one.path for one in hub.seen} == {"/mirror/api/models/org/tiny"}


def test_a_pointer_instead_of_the_file(hub: StandIn) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"
    hub.fail(BLOBS, Reply(200, body=pointer))
    checkpoint = read()
    assert set(rules(checkpoint)) == {"not-a-checkpoint"}
    assert "git-lfs pointer" in reported(checkpoint)


@pytest.mark.parametrize("size", [100, 200_000_000])
def test_headers_that_are_shorter_than_announced(hub: StandIn, tmp_path: Path, size: int) -> None:
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write((90_000_000).to_bytes(8, "little"))
        file.truncate(size)
    hub.add("org/wrong-length", tmp_path)
    checkpoint = read("org/wrong-length")
    assert not checkpoint.readable
    assert shard_sent(hub) <= 1_000_000
    assert len(checkpoint.findings) == 1


def test_nothing_is_written(hub: StandIn, truth: Checkpoint, tmp_path: Path) -> None:
    results: list[Checkpoint] = []
    threads = [threading.Thread(target=lambda: results.append(read())) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert all(equal(one, truth) for one in results)
    assert list(tmp_path.iterdir()) == []


def test_unsafe_file_names_in_an_index(hub: StandIn, folder: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "hostile"
    shutil.copytree(folder, hostile)
    index = json.loads((hostile / "model.safetensors.index.json").read_text())
    names = ["http://169.254.169.254/x.safetensors", "../secret.safetensors", "/etc/x.safetensors", "a\\b.safetensors"]
    index["weight_map"].update({f"hostile.{n}": name for n, name in enumerate(names)})
    (hostile / "model.safetensors.index.json").write_text(json.dumps(index))
    hub.add("org/hostile", hostile)
    checkpoint = read("org/hostile")
    assert set(rules(checkpoint)) == {"shard-name-unsafe"}
    assert len(checkpoint.files) == SHARDS
    assert not [one for one in hub.seen if re.search(r"169\.254|secret\.|/etc/|\\", one.target)]


def test_a_persistent_connection_that_was_closed(hub: StandIn, truth: Checkpoint) -> None:
    def silently(seen: Seen, right: Reply) -> Reply:
        size = len(right.content())
        lines = [f"HTTP/1.1 {right.status} OK", f"Content-Length: {size}"]
        lines += [f"{key}: {value}" for key, value in right.headers]
        return Reply(raw="\r\n".join([*lines, "", ""]).encode() + right.content())

    hub.fail("resolve|blobs", silently)  # announces a persistent connection and closes it
    assert equal(read(), truth)
    assert len(hub.requests(BLOBS)) == SHARDS


def test_a_failure_states_the_number_of_tries() -> None:
    room = Web(Origin("http", "127.0.0.1", 9), {}, Limits(pause=0.01), Meter())
    failure = room.get(Request("http://127.0.0.1:9/x", 10))
    assert isinstance(failure, RequestFailure)
    assert (failure.kind, failure.tries) == ("connect", 2)


def test_bytes_are_within_the_budget(hub: StandIn, folder: Path) -> None:
    read()
    assert shard_sent(hub) <= header_bytes(folder) + 1_024 * SHARDS


def test_a_server_that_drops_every_second_request_of_a_connection(hub: StandIn) -> None:
    hub.fail("/tree/|resolve", Reply(raw=b""))
    checkpoint = read()
    assert not checkpoint.readable
    assert (
        len(hub.requests("/tree/")) <= 2 * 3
    )  # three attempts, each repeated once if a persistent connection was closed
    words = reported(checkpoint)  # the kernel reports either the end or a reset first
    assert "closed" in words or "dropped" in words


# --- what follows for the checkpoint: nothing ---

UNREAD = {
    "the config": ("shards", {r"/config\.json": Reply(503)}, {"R006", "N414"}),
    "the index": ("shards", {"index.json": Reply(503)}, {"S202"}),
    "the index and a shard": ("shards", {"index.json": Reply(503), "00002-of": Reply(503)}, {"R009", "S202"}),
    "a web page for a shard": ("shards", {"00002-of": PORTAL}, {"R005"}),
    "a web page for the config": ("quantized", {r"/config\.json": PORTAL}, {"R006", "N414"}),
    "the config of an adapter": ("adapter", {"adapter_config": Reply(503)}, {"A901", "R006"}),
    "the config of a pooling": ("sentence encoder", {"1_Pooling/config": Reply(503)}, {"R006"}),
    "the weights of a module": ("sentence encoder", {"2_Dense/model": Reply(503)}, {"R009"}),
    "the config of a component": ("pipeline", {"unet/config": Reply(503)}, {"R006"}),
}  # fmt: skip
"""Case -> (kind of repository, path -> reply, the codes of the audit)."""


@pytest.mark.parametrize("case", UNREAD)
def test_a_file_that_was_not_delivered_says_nothing_about_the_checkpoint(
    case: str, hub: StandIn, tmp_path: Path, shorten_limits: ShortenLimits
) -> None:
    kind, replies, codes = UNREAD[case]
    shorten_limits(silence=0.5)
    FOLDERS[kind](tmp_path / "model")
    hub.add("org/model", tmp_path / "model")
    assert audit("org/model").verdict == "clean"
    for path, reply in replies.items():
        hub.fail(path, reply)
    audited = audit("org/model")
    assert {one.code for one in audited.findings} == codes
    errors = [one for one in audited.findings if one.severity == "error"]
    assert audited.verdict == "findings" and all(one.help.startswith("try again") for one in errors)
    assert {one.outcome for one in audited.loads} <= {"unknown"}
    download = audited.checkpoint.download
    assert download is None or download.needed == download.total


def test_a_comparison_names_the_files_that_were_not_read(hub: StandIn, folder: Path) -> None:
    hub.fail(LAST, Reply(503))
    compared = " ".join(compare_text(compare_audits(audit(str(folder)), audit("org/tiny"))).split())
    assert "parameters dropped or not read; 1 error" in compared
    assert f"target: {LAST} was not read; its tensors count as dropped" in compared
    assert "not read" not in compare_text(compare_audits(audit(str(folder)), audit(str(folder))))
