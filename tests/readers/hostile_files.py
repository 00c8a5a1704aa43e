"""Hostile files in GGUF, PyTorch and NumPy formats: lengths, counts, types, nesting, opcodes with calls, zip bombs."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from functools import partial
from typing import Any

from inspector.loader.formats import pickle_code, torch_tensors
from tests.readers.file_builders import (
    MAGIC,
    Code,
    Gguf,
    archive,
    array,
    arrays,
    legacy,
    plain_array,
    small_llama,
    state,
)

Build = Callable[[], bytes]
LIMITS = [
    (pickle_code, "OPCODE_LIMIT"),
    (pickle_code, "CONTAINER_LIMIT"),
    (pickle_code, "MEMO_LIMIT"),
    (torch_tensors, "STEP_LIMIT"),
]
"""Limits that take seconds to reach: tests lower them by a factor, except with `-m slow`."""
LIMIT_DIVISOR = 20
G = Gguf()
HUGE = 1 << 62
ONE: list[tuple[str, tuple[int, ...], int, int]] = [("t", (32,), 0, 128)]
PLAIN = state(("w", (4,)))


def header(tensors: int, pairs: int, *parts: bytes, size: int = 4096) -> bytes:
    """A GGUF header of these parts, padded with zeros."""
    return (G.head(tensors, pairs) + b"".join(parts)).ljust(size, b"\0")


def key(name: str | bytes, kind: int, *parts: bytes) -> bytes:
    """A key-value of any type."""
    return G.text(name) + G.number("I", kind) + b"".join(parts)


def q(value: int) -> bytes:
    """A 64-bit integer as bytes."""
    return struct.pack("<Q", value)


def nested(depth: int) -> bytes:
    """Nested arrays of one element each."""
    return (G.number("I", 9) + q(1)) * depth


def spans(*entries: tuple[str, tuple[int, ...], int, int], size: int = 1024) -> bytes:
    """A GGUF file of entries with given offsets."""
    made = G.head(len(entries), 0) + b"".join(G.entry(*entry) for entry in entries)
    return made + bytes(-len(made) % 32) + bytes(size)


GGUF: list[tuple[str, Build, set[str]]] = [
    ("magic-only", lambda: b"GGUF", {"header-truncated"}),
    ("seven-bytes", lambda: b"GGUF\3\0\0", {"header-truncated"}),
    ("counts-cut", lambda: G.head(0, 0)[:-1], {"header-truncated"}),
    ("version-0", lambda: Gguf(version=0).head(0, 0), {"gguf-version-unknown"}),
    ("version-1", lambda: Gguf(version=1).head(0, 0), {"gguf-version-unknown"}),
    ("version-99", lambda: Gguf(version=99).head(0, 0), {"gguf-version-unknown"}),
    ("nothing-in-it", lambda: G.head(0, 0).ljust(32, b"\0"), set()),
    ("tensors-2-63", lambda: header(1 << 63, 0), {"too-many-tensors"}),
    ("tensors-limit", lambda: header(262_145, 0), {"too-many-tensors"}),
    ("tensors-announced", lambda: header(262_144, 0), {"header-truncated"}),
    ("tensors-beyond-end", lambda: header(5_000, 0), {"header-truncated"}),
    ("pairs-2-63", lambda: header(0, 1 << 63), {"gguf-malformed"}),
    ("pairs-beyond-end", lambda: header(0, 60_000), {"header-truncated"}),
    ("key-length-2-64", lambda: header(0, 1, q((1 << 64) - 1)), {"gguf-malformed"}),
    ("key-length-beyond", lambda: header(0, 1, q(1_000), size=100), {"header-truncated"}),
    ("text-length-2-62", lambda: header(0, 1, key("k", 8, q(HUGE))), {"header-truncated"}),
    ("type-77", lambda: header(0, 1, key("k", 77)), {"gguf-malformed"}),
    ("type-2-32", lambda: header(0, 1, key("k", (1 << 32) - 1)), {"gguf-malformed"}),
    ("array-of-77", lambda: header(0, 1, key("k", 9, G.number("I", 77), q(1))), {"gguf-malformed"}),
    ("array-of-2-62-bytes", lambda: header(0, 1, key("k", 9, G.number("I", 0), q(HUGE))), {"header-truncated"}),
    ("array-of-2-63-doubles", lambda: header(0, 1, key("k", 9, G.number("I", 12), q(1 << 63))), {"header-truncated"}),
    ("array-of-2-62-texts", lambda: header(0, 1, key("k", 9, G.number("I", 8), q(HUGE))), {"gguf-malformed"}),
    (
        "array-of-empty-texts",
        lambda: header(0, 1, key("k", 9, G.number("I", 8), q(400)), size=3_300),
        {"gguf-bytes-ignored"},
    ),
    (
        "array-text-beyond",
        lambda: header(0, 1, key("k", 9, G.number("I", 8), q(2), q(0), q(HUGE))),
        {"header-truncated"},
    ),
    ("arrays-8-deep", lambda: header(0, 1, key("k", 9, nested(7), G.number("I", 0), q(0))), {"gguf-bytes-ignored"}),
    ("arrays-100-deep", lambda: header(0, 1, key("k", 9, nested(100))), {"gguf-malformed"}),
    ("arrays-wide", lambda: header(0, 1, key("k", 9, G.number("I", 9), q(HUGE))), {"gguf-malformed"}),
    ("key-doubled", lambda: G.file(ONE, [("a", "u8", 1), ("a", "u8", 2)]), {"key-doubled"}),
    ("key-not-utf8", lambda: header(0, 1, key(b"\xff\xfe", 0, b"\1")), {"gguf-bytes-ignored"}),
    ("alignment-0", lambda: G.file(ONE, [("general.alignment", "u32", 0)]), {"gguf-malformed"}),
    ("alignment-3", lambda: G.file(ONE, [("general.alignment", "u32", 3)]), {"gguf-malformed"}),
    ("alignment-2-31", lambda: G.file(ONE, [("general.alignment", "u32", 1 << 31)]), {"gguf-malformed"}),
    ("alignment-text", lambda: G.file(ONE, [("general.alignment", "text", "32")]), {"gguf-malformed"}),
    ("alignment-bool", lambda: G.file(ONE, [("general.alignment", "bool", 1)]), {"gguf-malformed"}),
    ("dims-2-32", lambda: header(1, 0, G.text("t"), G.number("I", (1 << 32) - 1)), {"gguf-malformed"}),
    ("dims-17", lambda: header(1, 0, G.text("t"), G.number("I", 17)), {"gguf-malformed"}),
    ("dims-overflow", lambda: spans(("t", (HUGE, HUGE), 0, 0)), {"shape-overflows"}),
    ("dims-wrap-to-right", lambda: spans(("t", (1 << 33, 1 << 33), 0, 0)), {"shape-overflows"}),
    ("type-unknown", lambda: spans(("t", (32,), 99, 0)), {"dtype-unknown"}),
    ("type-retired", lambda: spans(("t", (32,), 4, 0)), {"dtype-unknown"}),
    ("part-of-block", lambda: spans(("t", (33,), 8, 0)), {"gguf-part-of-block"}),
    ("name-doubled", lambda: spans(("t", (8,), 0, 0), ("t", (8,), 0, 32), size=32), {"key-doubled"}),
    (
        "name-doubled-between",
        lambda: spans(("t", (8,), 0, 0), ("t", (8,), 0, 32), ("u", (8,), 0, 64), size=96),
        {"key-doubled"},
    ),
    ("tensor-unlisted", lambda: header(2, 0, G.entry("t", (8,), 0, 0)), {"gguf-malformed"}),
    ("overlap", lambda: spans(("a", (16,), 0, 0), ("b", (16,), 0, 32), size=96), {"gguf-offsets-odd"}),
    ("aliases", lambda: spans(*((f"t{n}", (8,), 0, 0) for n in range(500)), size=32), {"gguf-offsets-odd"}),
    ("hole", lambda: spans(("a", (8,), 0, 0), ("b", (8,), 0, 96), size=128), {"gguf-offsets-odd"}),
    ("unaligned", lambda: spans(("a", (8,), 0, 0), ("b", (8,), 0, 33), size=96), {"gguf-offsets-odd"}),
    ("disordered", lambda: spans(("a", (8,), 0, 32), ("b", (8,), 0, 0), size=64), {"gguf-offsets-odd"}),
    ("offset-2-64", lambda: spans(("a", (8,), 0, (1 << 64) - 32)), {"gguf-offsets-odd", "shard-cut"}),
    ("cut-by-one", lambda: G.file([("a", (8,), 0, 32)], lost=1), {"shard-cut"}),
    ("cut-half", lambda: small_llama()[:-20_000], {"shard-cut"}),
    ("byte-behind", lambda: G.file(ONE, more=b"x"), {"gguf-bytes-ignored"}),
    (
        "split-disagrees",
        lambda: G.file(ONE, [("split.no", "u16", 4), ("split.count", "u16", 9)]),
        {"gguf-split-disagrees"},
    ),
    ("many-small", lambda: spans(*((f"t{n}", (8,), 0, 32 * n) for n in range(10_000)), size=320_000), set()),
]


def call(module: str, name: str, argument: str = "id") -> bytes:
    """A pickle that would call something on loading."""
    return (
        Code()
        .add(b"}(")
        .text("w")
        .tensor((4,))
        .text("x")
        .name(module, name)
        .add(b"(")
        .text(argument)
        .add(b"tRu")
        .stop()
    )


def by_stack(module: str, name: str) -> bytes:
    """The same call with the opcode of protocol 4."""
    return Code(4).text(module).text(name).add(b"\x93)R").stop()


def deep(opcodes: bytes, times: int, close: bytes = b"") -> bytes:
    """Opcodes repeated many times."""
    return Code().add(opcodes * times + close).stop()


def doubling(times: int) -> bytes:
    """Nested lists of two references to the next list: 2^times elements in few bytes."""
    code = Code().add(b"}(").text("w").tensor((1,)).add(b"uq\0")
    for number in range(times):
        code.add(b"](h" + bytes([number]) + b"h" + bytes([number]) + b"eq" + bytes([number + 1]))
    return code.stop()


def self_containing() -> bytes:
    """A dict that contains itself."""
    return Code().add(b"}q\0(").text("again").add(b"h\0").text("w").tensor((4,)).add(b"u").stop()


def changed_archive(change: Callable[[bytes], bytes]) -> bytes:
    """An archive with changed bytes."""
    return change(archive(PLAIN, {"0": bytes(16)}))


def bomb() -> bytes:
    """An archive whose pickle unpacks to 33 MB, one more than the limit."""
    import io

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("archive/data.pkl", b"\x80\x02" + b"N" * 33_000_000)
    return made.getvalue()


def claimed(raw: bytes, at: int, value: bytes) -> bytes:
    """Bytes overwritten at a place from the end."""
    return (
        raw[:at] + value + raw[at + len(value) :]
        if at >= 0
        else raw[: len(raw) + at] + value + raw[len(raw) + at + len(value) :]
    )


CALLS: list[tuple[str, str]] = [
    ("posix", "system"),
    ("os", "system"),
    ("nt", "system"),
    ("subprocess", "Popen"),
    ("builtins", "eval"),
    ("__builtin__", "exec"),
    ("builtins", "getattr"),
    ("builtins", "open"),
    ("runpy", "run_path"),
    ("importlib", "import_module"),
    ("socket", "create_connection"),
    ("webbrowser", "open"),
    ("shutil", "rmtree"),
    ("ctypes", "CDLL"),
    ("pickle", "loads"),
    ("operator", "attrgetter"),
    ("torch", "load"),
    ("torch.hub", "load"),
    ("os.path", "exists"),
    ("types", "FunctionType"),
    ("functools", "reduce"),
    ("pty", "spawn"),
    ("builtins", "__import__"),
    ("torch.utils.cpp_extension", "load_inline"),
    ("urllib.request", "urlopen"),
]
RUN = {"pickle-runs-code"}
BAD = {"pickle-malformed"}
ZIP = {"archive-malformed"}
TORCH: list[tuple[str, Build, set[str]]] = [
    *((f"calls-{m}.{n}", partial(lambda m, n: archive(call(m, n), {"0": bytes(16)}), m, n), RUN) for m, n in CALLS),
    ("calls-in-an-older-file", lambda: legacy(call("posix", "system"), {"0": (4, bytes(16))}), RUN),
    ("calls-before-the-magic", lambda: call("posix", "system") + MAGIC, RUN),
    ("calls-by-stack", lambda: archive(by_stack("os", "system")), {*RUN, "no-tensors"}),
    ("calls-by-inst", lambda: archive(Code().add(b"(iposix\nsystem\n").stop()), {*RUN, "no-tensors"}),
    (
        "calls-by-obj",
        lambda: archive(Code().add(b"(cposix\nsystem\n").text("id").add(b"o").stop()),
        {*RUN, "no-tensors"},
    ),
    (
        "calls-and-pops",
        lambda: archive(Code().name("posix", "system").add(b")R0").add(PLAIN[2:-1]).stop(), {"0": bytes(16)}),
        RUN,
    ),
    (
        "names-and-calls-not",
        lambda: archive(Code().name("posix", "system").add(b"0").add(PLAIN[2:-1]).stop(), {"0": bytes(16)}),
        RUN,
    ),
    ("extension", lambda: archive(Code().add(b"\x82\x07").stop()), {"pickle-holds-objects", "no-tensors"}),
    ("class-unknown", lambda: archive(call("evil_module", "Thing"), {"0": bytes(16)}), {"pickle-holds-objects"}),
    ("builds-by-reduce-of-text", lambda: archive(Code().text("x").add(b")R").stop()), {"no-tensors"}),
    ("empty-pickle", lambda: archive(b""), BAD),
    ("stop-at-once", lambda: archive(b"\x80\x02."), BAD),
    ("opcode-unknown", lambda: archive(b"\x80\x02\xff."), BAD),
    ("protocol-200", lambda: archive(b"\x80\xc8N."), BAD),
    ("cut-pickle", lambda: archive(PLAIN[:-9]), BAD),
    ("pops-nothing", lambda: archive(b"\x80\x020."), BAD),
    ("mark-missing", lambda: archive(b"\x80\x02u."), BAD),
    ("memo-missing", lambda: archive(b"\x80\x02h\7."), BAD),
    ("set-items-odd", lambda: archive(b"\x80\x02}(Nu."), BAD),
    ("text-of-4-gb", lambda: archive(b"\x80\x02X\xff\xff\xff\xffabc."), BAD),
    ("text-of-2-63", lambda: archive(b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fabc."), BAD),
    ("bytes-of-2-63", lambda: archive(b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7fabc."), BAD),
    ("integer-of-1-mb", lambda: archive(b"\x80\x02\x8b\0\0\x10\0" + bytes(1 << 20) + b"."), BAD),
    ("decimal-of-1-mb", lambda: archive(b"L" + b"9" * 1_000_000 + b"\n."), BAD),
    ("decimal-is-text", lambda: archive(b"Ix\n."), BAD),
    ("line-without-end", lambda: archive(b"c" + b"a" * 100_000), BAD),
    ("depth-of-lists", lambda: archive(deep(b"](", 15_000, b"e" * 15_000)), {"pickle-malformed", "no-tensors"}),
    (
        "depth-of-tuples",
        lambda: archive(Code().add(b")" + b"\x85" * 30_000).stop()),
        {"pickle-malformed", "no-tensors"},
    ),
    (
        "depth-of-dicts",
        lambda: archive(deep(b"}(X\1\0\0\0a", 6_000, b"N" + b"u" * 6_000)),
        {"pickle-malformed", "no-tensors"},
    ),
    ("marks", lambda: archive(deep(b"(", 1_000_000)), BAD),
    ("stack", lambda: archive(deep(b"N", 1_000_000)), BAD),
    ("containers", lambda: archive(deep(b"}0", 1_000_000)), BAD),
    ("opcodes", lambda: archive(deep(b"N0", 2_000_000)), BAD),
    ("memo", lambda: archive(Code().add(b"N" + b"\x94" * 1_000_000).stop()), BAD),
    ("memo-places", lambda: archive(Code().add(b"}r\xff\xff\xff\xffj\xff\xff\xff\xff").stop()), set()),
    ("doubling", lambda: archive(doubling(60), {"0": bytes(4)}), {"pickle-malformed", "storage-shared"}),
    ("doubling-duplicates", lambda: archive(Code().add(b"]" + b"2a" * 30).stop()), {"pickle-malformed", "no-tensors"}),
    (
        "holds-self_containing",
        lambda: archive(self_containing(), {"0": bytes(16)}),
        {"pickle-malformed", "storage-shared"},
    ),
    ("names-of-1-mb", lambda: archive(Code().add(b"}(").text("w" * 1_000_000).tensor((4,)).add(b"u").stop()), BAD),
    ("shape-negative", lambda: archive(state(("w", (-4,)))), BAD),
    ("shape-2-63", lambda: archive(state(("w", (1 << 62, 8)))), {"shape-overflows"}),
    (
        "shape-of-texts",
        lambda: archive(
            Code().add(b"}(").text("w").name("torch._utils", "_rebuild_tensor_v2").add(b"(NNNNNNtRu").stop()
        ),
        BAD,
    ),
    ("rank-5000", lambda: archive(state(("w", (1,) * 5_000))), BAD),
    (
        "elements-2-63",
        lambda: archive(Code().add(b"}(").text("w").tensor((4,), elements=1 << 63).add(b"u").stop(), {"0": bytes(16)}),
        {"storage-missing"},
    ),
    (
        "beyond-storage",
        lambda: archive(Code().add(b"}(").text("w").tensor((4,), elements=2).add(b"u").stop(), {"0": bytes(8)}),
        {"tensor-beyond-storage"},
    ),
    (
        "offset-beyond",
        lambda: archive(Code().add(b"}(").text("w").tensor((4,), offset=1 << 62).add(b"u").stop(), {"0": bytes(16)}),
        {"tensor-beyond-storage"},
    ),
    (
        "stride-2-62",
        lambda: archive(
            Code().add(b"}(").text("w").tensor((2, 2), strides=(1 << 62, 1)).add(b"u").stop(), {"0": bytes(16)}
        ),
        {"tensor-beyond-storage"},
    ),
    (
        "expanded-to-2-60",
        lambda: archive(
            Code().add(b"}(").text("w").tensor((1 << 58,), elements=1, strides=(0,)).add(b"u").stop(), {"0": bytes(4)}
        ),
        {"memory-repeated"},
    ),
    (
        "storage-unknown",
        lambda: archive(
            Code().add(b"}(").text("w").tensor((4,), storage="EvilStorage").add(b"u").stop(), {"0": bytes(64)}
        ),
        {"dtype-unknown", "pickle-holds-objects"},
    ),
    (
        "storage-path",
        lambda: archive(Code().add(b"}(").text("w").tensor((4,), "../../etc/passwd").add(b"u").stop()),
        {"storage-missing"},
    ),
    ("no-pickle", lambda: arrays(a=plain_array("<f4", "(1,)", bytes(4))), ZIP),
    ("zip-cut", lambda: changed_archive(lambda raw: raw[:-30]), ZIP),
    ("zip-of-nothing", lambda: b"PK\5\6" + bytes(18), ZIP),
    ("zip-members-65535", lambda: changed_archive(lambda raw: claimed(raw, -12, b"\xff\xff")), ZIP),
    ("zip-directory-4-gb", lambda: changed_archive(lambda raw: claimed(raw, -10, b"\xfe\xff\xff\xff")), ZIP),
    ("zip-directory-elsewhere", lambda: changed_archive(lambda raw: claimed(raw, -6, b"\x00\x00\x00\x00")), ZIP),
    ("zip-bomb", bomb, BAD),
    ("older-cut", lambda: legacy(PLAIN, {"0": (4, bytes(16))})[:60], BAD),
    ("older-only-magic", lambda: MAGIC, BAD),
]

NUMPY: list[tuple[str, Build, set[str]]] = [
    ("npy-header-4-gb", lambda: b"\x93NUMPY\2\0\xff\xff\xff\xff" + bytes(100), {"numpy-malformed"}),
    ("npy-version-9", lambda: array("{}", version=1).replace(b"NUMPY\1", b"NUMPY\x09"), {"numpy-malformed"}),
    ("npy-magic-only", lambda: b"\x93NUMPY", {"numpy-malformed"}),
    (
        "npz-of-objects",
        lambda: arrays(a=plain_array("|O", "(1,)", b"\x80\x04cposix\nsystem\n.")),
        {"numpy-malformed", "pickle-runs-code"},
    ),
    ("npz-bomb", lambda: arrays(zipfile.ZIP_DEFLATED, a=plain_array("<f4", "(4000000,)", bytes(16_000_000))), set()),
    ("npz-of-nothing", lambda: b"PK\5\6" + bytes(18), {"archive-malformed"}),
]
FILES: list[tuple[str, Any]] = [(name, made) for name, made, _ in (*TORCH, *GGUF, *NUMPY)]
