"""Writes small checkpoints with values."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType
from gguf.quants import quantize
from numpy.typing import NDArray

from tests.checkpoints import Spec

Arrays = dict[str, NDArray[Any]]
NAMES = {
    "int8": "I8", "uint8": "F8_E4M3", "uint16": "BF16", "float32": "F32", "float16": "F16", "float64": "F64",
    "int64": "I64",
}  # fmt: skip


def numbers(spec: Mapping[str, tuple[str, tuple[int, ...]]], seed: int = 1) -> Arrays:
    """Random float32 values for every tensor of a listing."""
    chance = np.random.default_rng(seed)
    return {name: chance.standard_normal(shape).astype(np.float32) for name, (_, shape) in spec.items()}


def bfloat16(array: NDArray[Any]) -> NDArray[Any]:
    """The bits of bfloat16 in uint16, rounded to nearest with ties to even."""
    bits = array.astype(np.float32).view(np.uint32)
    even = (bits >> np.uint32(16)) & np.uint32(1)
    return ((bits + np.uint32(0x7FFF) + even) >> np.uint32(16)).astype(np.uint16)


def halves_of_pairs(array: NDArray[Any], heads: int) -> NDArray[Any]:
    """Permute the rows of each head from pairs into two halves, as converters from Meta's names do for q and k."""
    width = array.shape[0] // heads
    return array.reshape(heads, width // 2, 2, -1).swapaxes(1, 2).reshape(array.shape)


def write(
    folder: Path,
    arrays: Arrays,
    config: Mapping[str, Any] | None = None,
    dtypes: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """Write one safetensors file; uint16 arrays are bfloat16, uint8 ones F8_E4M3. dtypes: of other arrays."""
    header: dict[str, Any] = {}
    data = bytearray()
    for name, array in arrays.items():
        dtype = dtypes.get(name) or NAMES[str(array.dtype)]
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}, separators=(",", ":")).encode()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def spec_of(spec: Spec) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The listing as plain tuples."""
    return {name: (dtype, tuple(shape)) for name, (dtype, shape) in spec.items()}


def write_gguf(path: Path, keys: Mapping[str, int | str], arrays: Arrays, matrices: str = "F32") -> None:
    """Write a GGUF file; numpy's shapes are reversed in it. matrices: their type; all other tensors are float32."""
    raw = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), len(keys))
    for key, value in keys.items():
        raw += _text(key)
        raw += struct.pack("<I", 8) + _text(value) if isinstance(value, str) else struct.pack("<II", 4, value)
    data = b""
    for name, array in arrays.items():
        data += bytes(-len(data) % 32)
        kind = GGMLQuantizationType[matrices if array.ndim > 1 else "F32"]
        raw += _text(name) + struct.pack(f"<I{array.ndim}QIQ", array.ndim, *array.shape[::-1], kind, len(data))
        with np.errstate(all="ignore"):
            data += quantize(np.ascontiguousarray(array, np.float32), kind).tobytes()
    path.write_bytes(raw + bytes(-len(raw) % 32) + data)


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()
