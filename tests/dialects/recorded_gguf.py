"""Conversions by llama.cpp's own converter, recorded by `tests.oracle.make_gguf`, applied to random values."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType
from gguf.quants import quantize
from msgspec import Struct

from inspector.loader.formats.ggml_types import TYPES
from tests.judged import FIXTURES
from tests.readers.file_builders import Gguf
from tests.values.value_files import Arrays, numbers

Keys = list[tuple[str, str, Any]]
NO_VOCABULARY = ("tokenizer.ggml.model", "text", "none")
"""Keys of a file without a vocabulary, which llama.cpp reads; the recorded conversions had no tokenizer."""


class Written(Struct):
    """Content of a GGUF file. kinds: ggml's types of tensors that are not F32; those may be in blocks already."""

    keys: Keys
    arrays: Arrays
    kinds: dict[str, int]

    def save(self, path: Path) -> Path:
        """Write the file."""
        listed, parts = [], []
        for name, array in self.arrays.items():
            kind = self.kinds.get(name, 0)
            blocks, made, shape = TYPES[kind], array.dtype.kind == "V", array.shape
            stored = array if made or blocks.plain else quantize(array, GGMLQuantizationType(kind))
            shape = (*shape[:-1], shape[-1] * blocks.elements) if made else shape
            raw = np.ascontiguousarray(stored).tobytes()
            listed.append((name, shape[::-1], kind, len(raw)))
            parts.append(raw + bytes(-len(raw) % 32))
        whole, data = Gguf().file(listed, self.keys), b"".join(parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(whole[: len(whole) - len(data)] + data)
        return path


@cache
def records() -> Mapping[str, dict[str, Any]]:
    """The records by model type."""
    found = json.loads(gzip.decompress((FIXTURES / "gguf.json.gz").read_bytes()))
    return {one["model_type"]: one for one in found}


def source_of(record: Mapping[str, Any]) -> Arrays:
    """Random values for the tensors of transformers."""
    return numbers({name: (dtype, tuple(shape)) for name, (dtype, shape) in record["source"].items()})


def target_of(record: Mapping[str, Any], source: Arrays, part: str = "target") -> Written:
    """The file that the converter writes for these values. part: "target", or "projector" for the mmproj file."""
    flat = np.concatenate([np.zeros(1, np.float32), *(array.reshape(-1) for array in source.values())])
    arrays: Arrays = {}
    for name, made in record[part].items():
        if made["how"] == "values":
            values = np.array(made["from"], np.float32)
        else:
            at = [first + step * np.arange(count) for first, step, count in made["from"]]
            values = flat[np.concatenate(at)]
        if made["how"] == "plus":
            values = values + np.float32(made.get("by", 1))
        if made["how"] == "decay":
            values = -np.exp(values.astype(np.float64)).astype(np.float32)
        if made["how"] == "ternary":
            mean = np.float32(max(float(np.abs(values).mean()), 1e-5))
            values = np.rint(values / mean).clip(-1, 1).astype(np.float32) * mean
        arrays[name] = values.reshape(made["shape"])
        assert values.size == math.prod(made["shape"])
    keys: Keys = [tuple(one) for one in record["keys" if part == "target" else f"{part}_keys"]]
    if part == "target":
        keys += [NO_VOCABULARY] * all(key != NO_VOCABULARY[0] for key, _, _ in keys)
    return Written(keys, arrays, {})
