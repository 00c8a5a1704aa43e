"""Builds the bytes of GGUF, PyTorch and NumPy files by hand, valid ones and ones with faults."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Sequence
from typing import Any

from inspector.loader.formats.incremental import Read

SCALARS = {"u8": (0, "B"), "i8": (1, "b"), "u16": (2, "H"), "i16": (3, "h"), "u32": (4, "I"), "i32": (5, "i"),
           "f32": (6, "f"), "bool": (7, "B"), "u64": (10, "Q"), "i64": (11, "q"), "f64": (12, "d")}  # fmt: skip


def reading(data: bytes) -> Read:
    """A function that reads from bytes as from a file."""
    return lambda offset, length: data[offset : offset + length]


class Gguf:
    """Writes the parts of a GGUF file in one byte order."""

    def __init__(self, order: str = "<", version: int = 3) -> None:
        self.order, self.version = order, version

    def number(self, letter: str, value: Any) -> bytes:
        """One number."""
        return struct.pack(self.order + letter, value)

    def text(self, text: str | bytes) -> bytes:
        """A string with its length."""
        raw = text.encode() if isinstance(text, str) else text
        return self.number("Q", len(raw)) + raw

    def pair(self, key: str, kind: str, value: Any) -> bytes:
        """A key-value: of a scalar type, "text", "texts", or "[u32]" and the like."""
        head = self.text(key)
        if kind == "text":
            return head + self.number("I", 8) + self.text(value)
        if kind == "texts":
            body = b"".join(self.text(one) for one in value)
            return head + self.number("I", 9) + self.number("I", 8) + self.number("Q", len(value)) + body
        if kind.startswith("["):
            number, letter = SCALARS[kind[1:-1]]
            body = b"".join(self.number(letter, one) for one in value)
            return head + self.number("I", 9) + self.number("I", number) + self.number("Q", len(value)) + body
        number, letter = SCALARS[kind]
        return head + self.number("I", number) + self.number(letter, value)

    def entry(self, name: str, dims: Sequence[int], kind: int, offset: int) -> bytes:
        """A tensor's entry in the header; dims in the order of the file."""
        numbers = b"".join(self.number("Q", dim) for dim in dims)
        return (
            self.text(name) + self.number("I", len(dims)) + numbers + self.number("I", kind) + self.number("Q", offset)
        )

    def head(self, tensors: int, pairs: int) -> bytes:
        """Magic, version and the two counts."""
        return b"GGUF" + self.number("I", self.version) + self.number("Q", tensors) + self.number("Q", pairs)

    def file(
        self,
        tensors: Sequence[tuple[str, Sequence[int], int, int]],
        pairs: Sequence[tuple[str, str, Any]] = (("general.architecture", "text", "llama"),),
        alignment: int = 32,
        lost: int = 0,
        more: bytes = b"",
    ) -> bytes:
        """A complete file. tensors: name, dims in the order of the file, type, bytes."""
        offset, entries = 0, []
        for name, dims, kind, size in tensors:
            entries.append(self.entry(name, dims, kind, offset))
            offset += -(-size // alignment) * alignment
        header = self.head(len(tensors), len(pairs)) + b"".join(self.pair(*pair) for pair in pairs) + b"".join(entries)
        data = bytes(-len(header) % alignment) + bytes(offset)
        return (header + data)[: len(header) + len(data) - lost] + more


def small_llama(layers: int = 2, prefix: str = "llama") -> bytes:
    """A complete GGUF file of a Llama of width 64, in F32 and Q8_0, as the converter writes it."""
    made: list[tuple[str, Sequence[int], int, int]] = [
        ("token_embd.weight", (64, 100), 8, 100 * 68),
        ("output_norm.weight", (64,), 0, 256),
        ("rope_freqs.weight", (8,), 0, 32),
    ]
    for layer in range(layers):
        for name, dims in (("attn_q", (64, 64)), ("attn_k", (64, 32)), ("attn_v", (64, 32)), ("attn_output", (64, 64)),
                           ("ffn_gate", (64, 96)), ("ffn_up", (64, 96)), ("ffn_down", (96, 64))):  # fmt: skip
            made.append((f"blk.{layer}.{name}.weight", dims, 8, dims[0] * dims[1] // 32 * 34))
        made.append((f"blk.{layer}.attn_norm.weight", (64,), 0, 256))
        made.append((f"blk.{layer}.ffn_norm.weight", (64,), 0, 256))
    pairs: list[tuple[str, str, Any]] = [
        ("general.architecture", "text", prefix),
        (f"{prefix}.block_count", "u32", layers),
        (f"{prefix}.embedding_length", "u32", 64),
        (f"{prefix}.feed_forward_length", "u32", 96),
        (f"{prefix}.attention.head_count", "u32", 4),
        (f"{prefix}.attention.head_count_kv", "u32", 2),
        (f"{prefix}.context_length", "u32", 512),
        ("tokenizer.ggml.tokens", "texts", [f"<{n}>" for n in range(100)]),
    ]
    return Gguf().file(made, pairs)


class Code:
    """Writes pickles of protocol 2 opcode by opcode."""

    def __init__(self, protocol: int = 2) -> None:
        self.raw = b"\x80" + bytes([protocol])

    def add(self, raw: bytes) -> Code:
        """Raw opcodes."""
        self.raw += raw
        return self

    def text(self, text: str) -> Code:
        """BINUNICODE."""
        raw = text.encode()
        return self.add(b"X" + struct.pack("<I", len(raw)) + raw)

    def name(self, module: str, name: str) -> Code:
        """GLOBAL."""
        return self.add(f"c{module}\n{name}\n".encode())

    def number(self, value: int) -> Code:
        """BININT, or LONG1 where it is too large for that."""
        if -(1 << 31) <= value < 1 << 31:
            return self.add(b"J" + struct.pack("<i", value))
        raw = value.to_bytes((value.bit_length() + 8) // 8, "little", signed=True)
        return self.add(b"\x8a" + bytes([len(raw)]) + raw)

    def numbers(self, values: Sequence[int]) -> Code:
        """A tuple of numbers."""
        self.add(b"(")
        for value in values:
            self.number(value)
        return self.add(b"t")

    def tensor(
        self,
        shape: Sequence[int],
        key: str = "0",
        elements: int | None = None,
        storage: str = "FloatStorage",
        offset: int = 0,
        strides: Sequence[int] | None = None,
    ) -> Code:
        """A call of _rebuild_tensor_v2."""
        total = 1
        steps: list[int] = []
        for dim in reversed(shape):
            steps.insert(0, total)
            total *= dim
        self.name("torch._utils", "_rebuild_tensor_v2").add(b"((").text("storage").name("torch", storage)
        self.text(key).text("cpu").number(total if elements is None else elements).add(b"tQ")
        self.number(offset).numbers(shape).numbers(steps if strides is None else strides)
        return self.add(b"\x89").name("collections", "OrderedDict").add(b")RtR")

    def stop(self) -> bytes:
        """The complete pickle."""
        return self.raw + b"."


def state(*tensors: tuple[str, Sequence[int]], shared: bool = False) -> bytes:
    """The pickle of a plain state dict of F32 tensors, each with a separate storage."""
    code = Code().add(b"}(")
    for number, (name, shape) in enumerate(tensors):
        code.text(name).tensor(shape, "0" if shared else str(number))
    return code.add(b"u").stop()


def archive(
    pickle: bytes,
    storages: dict[str, bytes] | None = None,
    folder: str = "archive",
    more: dict[str, bytes] | None = None,
) -> bytes:
    """A zip archive as torch.save writes it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as target:
        target.writestr(f"{folder}/data.pkl", pickle)
        for key, raw in (storages or {}).items():
            target.writestr(f"{folder}/data/{key}", raw)
        for name, raw in (more or {}).items():
            target.writestr(f"{folder}/{name}", raw)
        target.writestr(f"{folder}/version", b"3\n")
    return made.getvalue()


MAGIC = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
PROTOCOL = b"\x80\x02M\xe9\x03."
SYSTEM = b"\x80\x02}."


def legacy(pickle: bytes, storages: dict[str, tuple[int, bytes]]) -> bytes:
    """The older format: consecutive pickles, then each storage after the number of its elements.

    A storage has a sixth value there: the storage of which it is a view.
    """
    pickle = pickle.replace(b"tQ", b"NtQ")
    keys = Code().add(b"](")
    for key in storages:
        keys.text(key)
    rest = b"".join(struct.pack("<q", count) + raw for count, raw in storages.values())
    return MAGIC + PROTOCOL + SYSTEM + pickle + keys.add(b"e").stop() + rest


def array(header: str, data: bytes = b"", version: int = 1) -> bytes:
    """A .npy file of a header given as text."""
    raw = header.encode("latin-1") + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(raw))
    return b"\x93NUMPY" + bytes([version, 0]) + length + raw + data


def plain_array(descr: str, shape: str, data: bytes) -> bytes:
    """A valid .npy file."""
    return array(f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}", data)


def arrays(method: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    """A .npz file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as target:
        for name, raw in members.items():
            target.writestr(f"{name}.npy", raw)
    return made.getvalue()
