"""Builds safetensors headers, files and folders as bytes, valid ones and ones with faults."""

from __future__ import annotations

import json
from typing import Any

PT = {"format": "pt"}
INDEX = "model.safetensors.index.json"


def entry(dtype: str = "U8", shape: Any = (1,), start: Any = 0, stop: Any = 1) -> dict[str, Any]:
    """A tensor's entry in a header."""
    dims = list(shape) if isinstance(shape, tuple) else shape
    return {"dtype": dtype, "shape": dims, "data_offsets": [start, stop]}


def framed(header: bytes, data: bytes = b"") -> bytes:
    """A file of exactly this header, unpadded, and this data."""
    return len(header).to_bytes(8, "little") + header + data


def file_of(header: dict[str, Any], data: bytes = b"", metadata: Any = PT) -> bytes:
    """A file of a header given as an object."""
    whole = header if metadata is None else {"__metadata__": metadata, **header}
    return framed(json.dumps(whole).encode(), data)


def text(header: str, size: int = 1) -> bytes:
    """A file of a header given as text, in which `META` is replaced by valid metadata."""
    return framed(header.replace("META", '"__metadata__":{"format":"pt"}').encode(), bytes(size))


def healthy(*names: str, width: int = 1) -> bytes:
    """A valid file of U8 tensors of `width` elements each."""
    header = {name: entry("U8", (width,), n * width, (n + 1) * width) for n, name in enumerate(names)}
    return file_of(header, bytes(width * len(names)))


def index_of(weight_map: dict[str, Any], **metadata: Any) -> bytes:
    """The bytes of an index."""
    return json.dumps({"metadata": metadata, "weight_map": weight_map}).encode()


def shard(number: int, count: int) -> str:
    """The name of a shard."""
    return f"model-{number:05d}-of-{count:05d}.safetensors"


def two_shards(**more: bytes) -> dict[str, bytes]:
    """A valid folder of two shards with an index: tensors a and b, then c."""
    one, two = shard(1, 2), shard(2, 2)
    return {
        one: healthy("a", "b"),
        two: healthy("c"),
        INDEX: index_of({"a": one, "b": one, "c": two}, total_size=3),
        **more,
    }
