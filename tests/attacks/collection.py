"""Hostile and malformed inputs as data, each with the exact set of findings that it must give.

A single file is written as model.safetensors; a folder is given as file names with their bytes.
"""

from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from tests.attacks.dummies import INDEX, PT, entry, file_of, framed, healthy, index_of, shard, text, two_shards

Folder = dict[str, bytes]


@dataclass(frozen=True)
class HostileInput:
    """build returns its content; rules: the exact names of its findings; readable: whether load() reads a header;
    weights: the argument of load()."""

    name: str
    build: Callable[[], bytes | Folder]
    rules: frozenset[str]
    readable: bool
    weights: str | None = None


INPUTS: list[HostileInput] = []
word: Any
value: Any


def add(
    name: str,
    content: bytes | Folder | Callable[[], bytes | Folder],
    *rules: str,
    readable: bool | None = None,
    weights: str | None = None,
) -> None:
    """Add an input. By default it counts as readable unless one of its findings is fatal."""
    build = content if callable(content) else (lambda kept=content: kept)
    reads = not (set(rules) & FATAL) if readable is None else readable
    INPUTS.append(HostileInput(name, build, frozenset(rules), reads, weights))


FATAL = {
    "header-truncated",
    "header-length",
    "header-not-json",
    "not-a-checkpoint",
    "no-weights",
    "not-found",
}
GOOD = healthy("a", "b", width=8)
HEADER = GOOD[8:-16]


def u64(number: int) -> bytes:
    return struct.pack("<Q", number)


# Length and end of file
add("healthy", GOOD)
add("empty", b"", "not-a-checkpoint")
for count in range(1, 8):
    add(f"{count} bytes", b"\x10\0\0\0\0\0\0"[:count], "header-truncated")
add("length 0", u64(0) + b"{}", "header-length")
add("length 0 alone", u64(0), "not-a-checkpoint")
add("length beyond the file", u64(len(HEADER) + 100) + HEADER, "header-truncated")
add("length one beyond the file", u64(3) + b"{}", "header-truncated")
for power in (32, 62, 63):
    add(f"length 2^{power}", u64(2**power) + HEADER, "header-length")
add("length 2^64-1", u64(2**64 - 1) + HEADER, "header-length")
add("length 100,000,001", u64(100_000_001) + b"{" + bytes(50), "header-length")
add("length 100,000,000 of a short file", u64(100_000_000) + b"{" + b" " * 50, "header-truncated")
add("big-endian length", struct.pack(">Q", len(HEADER)) + HEADER + bytes(16), "header-length")
add("header cut", GOOD[: 8 + len(HEADER) // 2], "header-truncated")
add("only the length", GOOD[:8], "header-truncated")
add("data cut by one byte", GOOD[:-1], "shard-cut")
add("data cut by half a tensor", GOOD[:-4], "shard-cut")
add("data cut away", GOOD[:-16], "shard-cut")
add("one byte behind", GOOD + b"x", "data-behind-end")
add("script behind", GOOD + b"#!/bin/sh\nrm -rf /\n", "data-behind-end")
add("data without tensors", file_of({}, b"xyz"), "data-behind-end")

# Encoding and JSON
add("not UTF-8", framed(b'{"a\xff":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}', b"x"), "header-not-json")
add(
    "overlong",
    framed(b'{"\xc0\xaf":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}', b"x"),
    "header-not-json",
)
add("UTF-16", framed(HEADER.decode().encode("utf-16-le"), bytes(16)), "header-not-json")
add("UTF-16 with mark", framed(HEADER.decode().encode("utf-16"), bytes(16)), "header-not-json")
add("byte order mark", framed(b"\xef\xbb\xbf" + HEADER, bytes(16)), "header-not-json")
add(
    "surrogate in a name",
    text(r'{META,"\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'),
    "header-not-json",
)
add("surrogate in metadata", text(r'{"__metadata__":{"format":"\udc00"}}', 0), "header-not-json")
add("surrogate pair", text(r'{META,"\ud83d\ude00":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'))
add("escaped name", text(r'{META,"a\u002eb":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'))
add("escaped quotes in metadata", file_of({"a": entry()}, b"x", {**PT, "code": '{"a":"\\\\\\"b"}'}))
add("cut JSON", framed(HEADER[:-3], bytes(16)), "header-not-json")
add("two documents", framed(HEADER + b"{}", bytes(16)), "header-not-json")
add("comment", text('{META/*x*/,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'), "header-not-json")
add("trailing comma", text('{META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},}'), "header-not-json")
add("single quotes", text("{'a':1}"), "header-not-json")
for word in ("NaN", "Infinity", "-Infinity", "None", "True", "0x10", "+1", "01", "1.", ".5", "1e"):
    add(
        f"dim {word}",
        text(f'{{META,"a":{{"dtype":"U8","shape":[{word}],"data_offsets":[0,1]}}}}'),
        "header-not-json",
    )
add(
    "digits 5,000",
    text(f'{{META,"a":{{"dtype":"U8","shape":[{"9" * 5000}],"data_offsets":[0,1]}}}}'),
    "header-not-json",
)
for word in (
    "1e400",
    "1.0",
    "1e0",
    "-0",
    "true",
    "false",
    '"1"',
    "null",
    "[]",
    "{}",
    "-1",
    str(2**64),
    "9" * 40,
    "1.5",
):
    add(
        f"dim {word}",
        text(f'{{META,"a":{{"dtype":"U8","shape":[{word}],"data_offsets":[0,1]}}}}'),
        "entry-malformed",
    )
for word in ("1e400", "1.0", "-0", "true", '"1"', "null", "[]", "-1", str(2**64)):
    add(
        f"offset {word}",
        text(f'{{META,"a":{{"dtype":"U8","shape":[1],"data_offsets":[{word},1]}}}}'),
        "entry-malformed",
    )
add("100,000 deep", lambda: text("[" * 100_000 + "]" * 100_000), "header-not-json")
add("deep and open", lambda: text('{"a":' * 100_000), "header-not-json")
add(
    "deep metadata",
    lambda: text('{"__metadata__":{"a":' + "[" * 100_000 + "]" * 100_000 + "}}", 0),
    "header-not-json",
)
add(
    "deep extra field",
    lambda: text('{META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":' + "[" * 300 + "]" * 300 + "}}"),
    "header-not-json",
)
add(
    "control character",
    framed(b'{"a\x01":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"x"),
    "header-not-json",
)
add(
    "blanks before",
    text(' {META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'),
    "header-starts-blank",
)
add(
    "newline before",
    text('\n{META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'),
    "header-starts-blank",
)
add("blanks behind", text('{META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}    '))
add("newline behind", text('{META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}\r\n\t'))
add("NUL behind", text('{META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}\0\0'), "header-not-json")
add("blanks only", framed(b"    "), "header-not-json")
for word in ("[]", "null", "1", '"a"', "true"):
    add(f"header {word}", framed(word.encode()), "header-not-json")

# Fields
ONE = '{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
add("tensor twice", text(f'{{META,"a":{ONE},"a":{ONE}}}'), "key-doubled")
add(
    "tensor twice, other",
    text(f'{{META,"a":{{"dtype":"F32","shape":[],"data_offsets":[0,4]}},"a":{ONE}}}'),
    "key-doubled",
)
add("tensor twice, empty first", text(f'{{META,"a":{{}},"a":{ONE}}}'), "key-doubled")
add("tensor twice, null first", text(f'{{META,"a":null,"a":{ONE}}}'), "key-doubled")
add("tensor twice, escaped", text(f'{{META,"a":{ONE},"\\u0061":{ONE}}}'), "key-doubled")
add("metadata twice", text(f'{{META,META,"a":{ONE}}}'), "key-doubled")
add(
    "metadata key twice",
    text(f'{{"__metadata__":{{"format":"pt","format":"tf"}},"a":{ONE}}}'),
    "metadata-key-doubled",
)
for field in ("dtype", "shape", "data_offsets"):
    value = json.dumps(entry()[field])
    add(f"{field} twice", text(f'{{META,"a":{{{ONE[1:-1]},"{field}":{value}}}}}'), "field-doubled")
    rest = {key: kept for key, kept in entry().items() if key != field}
    add(f"{field} missing", file_of({"a": rest}, b"x"), "entry-malformed")
    for word in (True, 1.5, "x", None, {}, -1, {"U8": None}):
        if field == "dtype" and isinstance(word, str):
            continue
        add(
            f"{field} is {json.dumps(word)}",
            file_of({"a": {**entry(), field: word}}, b"x"),
            "entry-malformed",
        )
for word in (True, 1, "x", None, [], ["U8", [1], [0, 1]], {}):
    add(f"entry {json.dumps(word)}", file_of({"a": word}, b"x"), "entry-malformed")
for word in ([], [0], [0, 1, 2], [1, 0]):
    add(f"offsets {word}", file_of({"a": {**entry(), "data_offsets": word}}, b"x"), "entry-malformed")
add("extra field", file_of({"a": {**entry(), "scale": 1}}, b"x"), "field-unknown")
add(
    "shape as empty text",
    file_of({"a": entry("U8", ""), "b": entry("U8", (), 1, 2)}, b"xx"),
    "entry-malformed",
)
add(
    "shape as empty object",
    file_of({"b": entry("U8", ()), "a": entry("U8", {}, 1, 2)}, b"xx"),
    "entry-malformed",
)
add("2^32 x 2^32", file_of({"a": entry("U8", (2**32, 2**32))}, b"x"), "shape-overflows")
add("wraps to 1", file_of({"a": entry("U8", (2**63, 2, 2**63 + 1))}, b"x"), "shape-overflows")
add("bits overflow", file_of({"a": entry("F64", (2**58,))}, b"x"), "shape-overflows")
add("2^61 elements of nothing", file_of({"a": entry("U8", (2**60,))}, b"x"), "size-differs")
for dtype in ("f32", "F8_E4M3FN", "I4", "F128", "", "U8 ", "torch.float32", "\u202e"):
    add(f"dtype {dtype!r}", file_of({"a": entry(dtype)}, b"x"), "dtype-unknown")
add("F4 x 3", file_of({"a": entry("F4", (3,), 0, 2)}, b"xx"), "part-of-byte")
add("F6 x 3", file_of({"a": entry("F6_E2M3", (3,), 0, 3)}, b"xxx"), "part-of-byte")
add("F4 x 4", file_of({"a": entry("F4", (4,), 0, 2)}, b"xx"))
add("F6 x 4", file_of({"a": entry("F6_E3M2", (4,), 0, 3)}, b"xxx"))
for word in (1, "x", [], True):
    add(
        f"metadata {json.dumps(word)}",
        file_of({"a": entry()}, b"x", word),
        "metadata-malformed",
    )
for word in (1, None, [], {}, True, 1.5):
    add(
        f"metadata value {json.dumps(word)}",
        file_of({"a": entry()}, b"x", {**PT, "k": word}),
        "metadata-malformed",
    )
add("metadata null", text(f'{{"__metadata__":null,"a":{ONE}}}'), "format-absent")
add("metadata absent", file_of({"a": entry()}, b"x", None), "format-absent")
add("metadata 9 MB", lambda: file_of({"a": entry()}, b"x", {**PT, "log": "x" * 9_000_000}))
add(
    "metadata of many keys",
    lambda: file_of({"a": entry()}, b"x", {**PT, **{f"k{n}": "" for n in range(50_000)}}),
)

# Offsets
add("short", file_of({"a": entry("F32", (2,), 0, 4)}, bytes(4)), "size-differs")
add("long", file_of({"a": entry("F32", (2,), 0, 12)}, bytes(12)), "size-differs")
add(
    "overlap",
    file_of({"a": entry("U8", (4,), 0, 4), "b": entry("U8", (4,), 2, 6)}, bytes(6)),
    "offsets-overlap",
)
add(
    "alias",
    file_of({"a": entry("U8", (4,), 0, 4), "b": entry("U8", (4,), 0, 4)}, bytes(4)),
    "offsets-overlap",
)
add("40,000 aliases", lambda: file_of({f"t{n}": entry() for n in range(40_000)}, b"x"), "offsets-overlap")
add("hole", file_of({"a": entry(), "b": entry("U8", (1,), 5, 6)}, bytes(6)), "offsets-hole")
add("gap at the start", file_of({"a": entry("U8", (1,), 3, 4)}, bytes(4)), "offsets-hole")
add(
    "empty inside another",
    file_of({"a": entry("U8", (4,), 0, 4), "b": entry("U8", (0,), 2, 2)}, bytes(4)),
    "offsets-overlap",
)
add("beyond the end", file_of({"a": entry("U8", (100,), 0, 100)}, b"x"), "shard-cut")
add("2^60 beyond the end", file_of({"a": entry("U8", (2**60,), 0, 2**60)}, b"x"), "shard-cut")


def _absolute() -> bytes:
    for length in range(90, 130):
        content = file_of({"a": entry("U8", (8,), 8 + length, 16 + length)}, bytes(8))
        if len(content) == 16 + length:
            return content
    raise AssertionError


add("absolute", _absolute, "offsets-absolute")
add("out of order", file_of({"b": entry("U8", (4,), 4, 8), "a": entry("U8", (4,), 0, 4)}, bytes(8)))
add(
    "empty tensors",
    file_of({"e": entry("F32", (0, 5), 0, 0), "a": entry(), "z": entry("U8", (0,), 1, 1)}, b"x"),
)
add("scalar", file_of({"a": entry("F32", (), 0, 4)}, bytes(4)))
add("no tensors", framed(b"{}"))
add("no tensors, blanks", framed(b"{  } \n"))
add("metadata only", file_of({}))
add("rank 5,000", file_of({"a": entry("U8", (1,) * 5000)}, b"x"))
add("unaligned header", file_of({"abc": entry("F64", (1,), 0, 8)}, bytes(8)))


def _equal_hashes() -> bytes:
    """Shapes of no elements whose tuples all have the same hash in Python."""
    prime = 2**61 - 1
    shapes = product((1, 1 + prime, 1 + 2 * prime, 1 + 3 * prime, 1 + 4 * prime, 1 + 5 * prime), repeat=6)
    return file_of({f"t{n}": entry("U8", (0, *shape), 0, 0) for n, shape in enumerate(shapes)})


add("40,000 shapes of one hash", _equal_hashes)

# Names
NAMES = (
    "\x1b[31m",
    "\n",
    "\0",
    "\x9b",
    "\u202eevil",
    "<script>",
    "[red]",
    "=cmd()",
    "..",
    "../../x",
    "²",
    "٣",
    "1_0",
    "",
)
for name in NAMES:
    add(f"name {name!r}", file_of({name: entry()}, b"x"))
add("name of a megabyte", lambda: file_of({"x" * 1_000_000: entry()}, b"x"))
add("500,000 dots", lambda: file_of({"." * 500_000: entry()}, b"x"))
add("layer 10^30", file_of({f"layers.{10**30}.w": entry()}, b"x"))

# Memory: many tiny values
add("5 million lists", lambda: text('{"a":[' + "[]," * 3_000_000 + "[]]}"), "header-not-json")
add("empty objects", lambda: text('{"a":[' + "{}," * 3_000_000 + "{}]}"), "header-not-json")

# Files of other formats under the name of a safetensors file
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1234567\n"


def _zip(member: str = "model.safetensors") -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        archive.writestr(member, b"x")
    return kept.getvalue()


def _tar() -> bytes:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("x"), io.BytesIO())
    return kept.getvalue()


OTHER_FORMATS: dict[str, bytes | Callable[[], bytes]] = {
    "git-lfs pointer": LFS,
    "HTML": b"<!DOCTYPE html>\n<html><body>Sign in</body></html>",
    "HTML in capitals": b"\n<HTML><HEAD></HEAD></HTML>",
    "refusal": b"Invalid username or password.",
    "JSON error": b'{"error":"Repository not found"}',
    "other JSON": b'{"hidden_size": 4096, "architectures": ["LlamaForCausalLM"]}',
    "plain text": b"Hello, this is no checkpoint at all.\n",
    "gzip": lambda: gzip.compress(GOOD),
    "zip": _zip,
    "pickle 2": lambda: pickle.dumps({"a": list(range(500))}, protocol=2),
    "pickle 4": lambda: pickle.dumps({"a": list(range(500))}, protocol=4),
    "zip of PyTorch": lambda: _zip("archive/data.pkl"),
    "tar": _tar,
    "GGUF": b"GGUF\x03\0\0\0" + bytes(16),
    "GGML": b"lmgg\x01\0\0\0" + bytes(16),
    "GGML adapter": b"algg\x01\0\0\0" + bytes(16),
    "importance matrix": b"\x02\0\0\0\x13\0\0\0blk.0.attn_q.weight" + bytes(50),
    "ONNX": b"\x08\x07\x12\x07pytorch\x1a\x052.0.0" + bytes(50),
    "CTranslate2": b"\x06\0\0\0\x0c\0WhisperSpec\0\x03\0\0\0" + bytes(50),
    "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(50),
    "NumPy": b"\x93NUMPY\x01\0v\0{'descr': '<f4'}" + bytes(50),
    "zstandard": b"\x28\xb5\x2f\xfd" + b"\xaa" * 40,
    "zeros": bytes(100_000),
    "program": b"\x7fELF\x02\x01\x01" + b"\0" * 50,
}
for name, content in OTHER_FORMATS.items():
    add(f"other format: {name}", content, "not-a-checkpoint")
add("zip behind", lambda: GOOD + _zip(), "data-behind-end")
add("noise", bytes((n * 89 + 41) % 251 for n in range(3000)), "header-length")

# Index
A, B = shard(1, 2), shard(2, 2)
C = shard(3, 3)
PROMISE = {"a": A, "b": A, "c": B}


def indexed(index: bytes, **more: bytes) -> Folder:
    return {**two_shards(), INDEX: index, **more}


def without(name: str) -> Folder:
    return {kept: raw for kept, raw in two_shards().items() if kept != name}


add("two shards", two_shards())
add("shard missing", without(B), "shard-missing", readable=True)
add("all shards missing", {INDEX: index_of(PROMISE)}, "shard-missing", readable=False)
add("index missing", without(INDEX), "index-missing")
add("index and shard missing", {A: healthy("a")}, "index-missing", "shard-missing", readable=True)
add(
    "a million shards by name",
    {"model-000001-of-999999.safetensors": healthy("a")},
    "index-missing",
    "shard-missing",
    readable=True,
)
add("shard empty", {**two_shards(), B: b""}, "not-a-checkpoint", readable=True)
add("all shards empty", {**two_shards(), A: b"", B: b""}, "not-a-checkpoint")
add("shard a pointer", {**two_shards(), B: LFS}, "not-a-checkpoint", readable=True)
add("shard cut", {**two_shards(), A: healthy("a", "b")[:-1]}, "shard-cut")
add("shard's header cut", {**two_shards(), A: healthy("a", "b")[:20]}, "header-truncated", readable=True)
add("shard unlisted, repeated", {**two_shards(), C: healthy("a")}, "shard-unlisted")
add("shard unlisted, new", {**two_shards(), C: healthy("z")}, "shard-unlisted")
add("shard left out of the index", indexed(index_of({"a": A, "b": A})), "shard-unlisted")
add("tensor unlisted", indexed(index_of({"a": A, "c": B})), "tensor-unlisted")
add("tensor absent", indexed(index_of({**PROMISE, "d": B})), "tensor-absent")
add("tensor elsewhere", indexed(index_of({"a": A, "b": B, "c": B})), "tensor-in-another-shard")
add("tensor doubled", {**two_shards(), B: healthy("b", "c")}, "tensor-doubled")
add("tensor doubled, wider", {**two_shards(), B: healthy("b", "c", width=2)}, "tensor-contradicted")
add("shards swapped", {**two_shards(), A: healthy("c"), B: healthy("a", "b")}, "tensor-in-another-shard")
for value in (1, None, [], {}, True, 1.5):
    add(f"promise {json.dumps(value)}", indexed(index_of({**PROMISE, "d": value})), "index-entry-malformed")
UNSAFE = (
    "/etc/passwd", "../../x.safetensors", "..", ".", "", "a/b.safetensors", "C:\\x", "C:x", "\\\\host\\share",
    "http://localhost/x", "file:///etc/passwd", "x\0y", "x\ny", "nul", "x" * 300, "x|y", "x ", "\u202ex",
)  # fmt: skip
for name in UNSAFE:
    add(f"promise {name[:20]!r}", indexed(index_of({**PROMISE, "d": name})), "shard-name-unsafe")
for value in (1.0, "3", None, [], True, {}):
    add(f"total {json.dumps(value)}", indexed(index_of(PROMISE, total_size=value)), "index-total-type")
for value in (0, -1, 10**30, 3):
    add(f"total {value}", indexed(index_of(PROMISE, total_size=value)))
add(
    "total 10^5000",
    indexed(index_of(PROMISE).replace(b'"metadata": {}', b'"metadata": {"total_size": ' + b"9" * 5000 + b"}")),
    "index-unreadable",
)
add(
    "total NaN",
    indexed(index_of(PROMISE).replace(b'"metadata": {}', b'"metadata": {"total_size": NaN}')),
    "index-unreadable",
)
add(
    "index metadata list",
    indexed(json.dumps({"metadata": [], "weight_map": PROMISE}).encode()),
    "index-total-type",
)
add("index metadata absent", indexed(json.dumps({"weight_map": PROMISE}).encode()))
add("index metadata null", indexed(json.dumps({"metadata": None, "weight_map": PROMISE}).encode()))
add(
    "Meta's numbers",
    {"consolidated.00.safetensors": healthy("a"), "consolidated.01.safetensors": healthy("b")},
)
add("index with more", indexed(json.dumps({"weight_map": PROMISE, "x": ["a", {"b": "c"}]}).encode()))
BROKEN: dict[str, bytes | Callable[[], bytes]] = {
    "empty": b"",
    "pointer": LFS,
    "HTML": b"<html></html>",
    "cut": index_of(PROMISE)[:-5],
    "BOM": b"\xef\xbb\xbf" + index_of(PROMISE),
    "UTF-16": index_of(PROMISE).decode().encode("utf-16"),
    "merge remnant": index_of(PROMISE) + b"\n=======\n" + index_of(PROMISE),
    "conflict": b"<<<<<<< HEAD\n" + index_of(PROMISE),
    "two documents": index_of(PROMISE) * 2,
    "list": b"[]",
    "null": b"null",
    "no weight_map": b'{"metadata":{}}',
    "weight_map a list": b'{"weight_map":[]}',
    "deep": lambda: b'{"metadata":' + b"[" * 10_000 + b"]" * 10_000 + b',"weight_map":{}}',
    "less deep": lambda: b'{"metadata":' + b"[" * 200 + b"]" * 200 + b',"weight_map":{}}',
    "surrogate": index_of(PROMISE).replace(b'"c"', b'"\\ud800"'),
    "zeros": bytes(500),
}
for name, content in BROKEN.items():
    raw = content() if callable(content) else content
    add(f"index {name}", indexed(raw), "index-unreadable")
add("index empty map", indexed(b'{"metadata":{},"weight_map":{}}'), "index-names-nothing")
add(
    "index key twice",
    indexed(index_of(PROMISE).replace(b'"c"', b'"a": "' + A.encode() + b'", "c"')),
    "index-key-doubled",
)
add("weight_map twice", indexed(b'{"weight_map":{},' + index_of(PROMISE)[1:]), "index-key-doubled")
add(
    "100,000 shards",
    lambda: indexed(index_of({**PROMISE, **{f"t{n}": f"s{n}.safetensors" for n in range(100_000)}})),
    "shard-missing",
    readable=True,
)
add(
    "mixed counts",
    {
        A: healthy("a"),
        "model-00002-of-00003.safetensors": healthy("c"),
        INDEX: index_of({"a": A, "c": "model-00002-of-00003.safetensors"}),
    },
    "shard-totals-differ",
)
add(
    "mixed counts without an index",
    {A: healthy("a"), "model-00002-of-00003.safetensors": healthy("c")},
    "shard-totals-differ",
    "shard-missing",
    "index-missing",
)
add(
    "index of other names",
    indexed(index_of({f"other.{name}": file for name, file in PROMISE.items()})),
    "index-names-nothing",
)
add("index of one file", {"model.safetensors": healthy("a"), INDEX: index_of({"a": "model.safetensors"})})

# Several sets
add("stale single file", {**two_shards(), "model.safetensors": GOOD}, "other-weights")
add("consolidated next to shards", {**two_shards(), "consolidated.safetensors": GOOD}, "other-weights")
add(
    "next to an adapter",
    {
        "adapter_model.safetensors": GOOD,
        "non_lora_trainables.bin": b"x",
        "adapter_config.json": b'{"peft_type": "LORA"}',
    },
    "trained-beside-adapter",
)
add("variants", {"model.safetensors": GOOD, "model.fp16.safetensors": GOOD}, "other-weights")
add(
    "variant chosen",
    {"model.safetensors": b"", "model.fp16.safetensors": GOOD},
    "other-weights",
    weights="fp16",
)
add(
    "variant by file",
    {"model.safetensors": b"", "model.fp16.safetensors": GOOD},
    "other-weights",
    weights="model.fp16.safetensors",
)
add("index chosen", {**two_shards(), "model.safetensors": b""}, "other-weights", weights=INDEX)
add("single chosen", {**two_shards(), "model.safetensors": GOOD}, "other-weights", weights="model.safetensors")
add("no such set", {"model.safetensors": GOOD}, "weights-not-found", readable=False, weights="fp8")
add("pickled copy", {"model.safetensors": GOOD, "pytorch_model.bin": b"x"}, "other-weights")
add("index without its shards", {"model.safetensors": GOOD, INDEX: index_of(PROMISE)}, "index-stale")
add(
    "training state next to weights",
    {"model.safetensors": GOOD, "optimizer.bin": b"x", "training_args.bin": b"x"},
    "training-state",
)
add("pickle only", {"pytorch_model.bin": b"\x80\x02" + b"x" * 600}, "pickle-malformed", readable=False)
add("refusal only", {"pytorch_model.bin": b"Invalid username or password."}, "not-a-checkpoint", readable=False)
add("nothing", {"README.md": b"#"}, "no-weights")
add("unfinished only", {"model.safetensors.incomplete": GOOD[:20]}, "no-weights")
add("unfinished archive", {"model.zip_part": b"PK\x03\x04"}, "no-weights")
add(
    "aria2",
    {"model.safetensors": GOOD, "model.safetensors.aria2": b"x"},
    "download-unfinished",
    readable=True,
)
add("pipeline", {"model_index.json": b'{"_class_name":"X"}'}, readable=False)
add(
    "adapter",
    {"adapter_model.safetensors": GOOD, "adapter_config.json": b'{"peft_type":"LORA"}', "config.json": b"{}"},
)

# Config
CONFIGS: dict[str, bytes | Callable[[], bytes]] = {
    "empty": b"",
    "not JSON": b"hidden_size = 3",
    "list": b"[1]",
    "text": b'"x"',
    "text behind": b'{"a":1}\n[core]\n\trepositoryformatversion = 0\n',
    "pointer": LFS,
    "HTML": b"<html></html>",
    "deep": lambda: b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "BOM": b"\xef\xbb\xbf{}",
    "surrogate": b'{"a":"\\ud800"}',
    "many tiny values": lambda: b'{"a":[' + b"{}," * 3_000_000 + b"1]}",
}


def _with_config(config: bytes | Callable[[], bytes]) -> Folder:
    return {"model.safetensors": GOOD, "config.json": config() if callable(config) else config}


for name, content in CONFIGS.items():
    add(
        f"config {name}",
        partial(_with_config, content),
        "config-unreadable",
    )
add("config NaN", {"model.safetensors": GOOD, "config.json": b'{"a":[NaN,Infinity,-Infinity]}'})
add("config key twice", {"model.safetensors": GOOD, "config.json": b'{"a":1,"a":2}'}, "config-key-doubled")
add(
    "config inner key twice",
    {"model.safetensors": GOOD, "config.json": b'{"t":[{"a":1,"a":2}]}'},
    "config-key-doubled",
)
add("config digits", {"model.safetensors": GOOD, "config.json": b'{"a":' + b"9" * 5000 + b"}"})
add("config 50 MB", lambda: {"model.safetensors": GOOD, "config.json": b'{"a":"' + b"x" * 50_000_000 + b'"}'})
add("params", {"consolidated.safetensors": GOOD, "params.json": b'{"dim":1}'})
