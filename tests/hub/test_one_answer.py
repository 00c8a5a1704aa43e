"""Headers from the Hub's response with all headers: sliced from compact JSON or decoded; used only if lengths match."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.loader.sources.one_answer import _cut_out, headers_of
from tests.checkpoints import header

SPECS: dict[str, dict[str, tuple[str, tuple[int, ...]]]] = {
    "model-00001-of-00002.safetensors": {"a.weight": ("F32", (2, 3)), "ü": ("BF16", (4,))},
    "model-00002-of-00002.safetensors": {"b.safetensors": ("F32", (1,)), "c": ("F32", ())},
}


def answer(**options: Any) -> tuple[bytes, dict[str, int], dict[str, bytes]]:
    """The response, the sizes stated in the tree, and the true headers."""
    headers, sizes, true = {}, {}, {}
    for name, spec in SPECS.items():
        raw, data = header(spec, {"format": "pt"})
        decoded = json.loads(raw[8:])
        compact = json.dumps(decoded, separators=(",", ":"), ensure_ascii=False).encode()
        compact += b" " * (-len(compact) % 8)
        headers[name], sizes[name], true[name] = decoded, 8 + len(compact) + data, compact
    whole = {"sharded": True, "index": {"metadata": {}}, "headers": headers}
    return json.dumps(whole, **options).encode(), sizes, true


COMPACT = {"separators": (",", ":"), "ensure_ascii": False}


@pytest.mark.parametrize("options", [{}, COMPACT, {"indent": 2}, {"separators": (",", ":")}])
def test_every_format_of_the_response_gives_the_bytes_of_the_files(options: dict[str, Any]) -> None:
    raw, sizes, true = answer(**options)
    given = headers_of(raw, sizes)
    assert {name: one.header for name, one in given.items()} == true
    assert all(one.size == sizes[name] and one.first[:8] == len(true[name]).to_bytes(8, "little")
               for name, one in given.items())  # fmt: skip


def test_a_compact_response_is_sliced_and_not_decoded() -> None:
    raw, sizes, true = answer(**COMPACT)
    plain = raw.replace(b"b.safetensors", b"b.elsewhereee")
    found = _cut_out(plain, sizes, "")
    assert found is not None
    assert found.keys() == true.keys()
    assert _cut_out(raw, sizes, "") is None  # a tensor with the name of a file: decoded instead
    assert _cut_out(raw[:-40], sizes, "") is None


def test_paths_from_the_root() -> None:
    raw, sizes, true = answer(**COMPACT)
    moved = raw.replace(b'"model-', b'"sub/model-').replace(b"b.safetensors", b"b.elsewhereee")
    assert headers_of(moved, sizes, "sub").keys() == true.keys()


@pytest.mark.parametrize("difference", [-9, -1, 8, 100])
def test_headers_of_another_length_are_not_used(difference: int) -> None:
    raw, sizes, true = answer(**COMPACT)
    name = min(sizes)
    blanks = len(true[name]) - len(true[name].rstrip())
    sizes[name] += difference + (8 - blanks if difference == 8 else 0)
    assert name not in headers_of(raw, sizes)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b'{"headers":[]}', b'{"headers":{"x":5}}', b"[" * 100_000])
def test_other_responses_give_no_headers(raw: bytes) -> None:
    assert headers_of(raw, {"x": 100}) == {}
