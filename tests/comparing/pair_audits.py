"""Writes conversion pairs that are given as plain data to files, audits both sides and compares them."""

from __future__ import annotations

import json
import os
import struct
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare_audits
from inspector.comparing.result import Comparison
from inspector.loader.formats.ggml_types import BY_NAME
from tests.checkpoints import Spec, write
from tests.judged import FIXTURES
from tests.readers.file_builders import Code, Gguf, archive

FOLDER = FIXTURES / "conversion"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
Side = dict[str, Any]
TYPES = {"F32": 0, "F16": 1, "Q8_0": 8, "Q4_K": 12, "BF16": 30}
"""ggml's type numbers."""


@cache
def _read(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")


def pair(name: str) -> tuple[Side, Side]:
    """Source and target of a fixture, as new objects that a test may change."""
    found = json.loads(_read(name))
    return found["source"], found["target"]


def compared(source: Side, target: Side, folder: Path) -> Comparison:
    """The comparison of two sides, written to files."""
    return compare_audits(opened(source, folder / "before"), opened(target, folder / "after"))


def opened(side: Side, folder: Path) -> Audit:
    """Write a side in its format and audit it."""
    spec: Spec = {name: (dtype, tuple(shape)) for name, (dtype, shape) in side["tensors"].items()}
    if side["kind"] == "safetensors":
        write(folder, spec, side["config"], config_name=side.get("config_name", "config.json"))
    else:
        folder.mkdir(parents=True)
        if side["config"] is not None:
            (folder / "config.json").write_text(json.dumps(side["config"]), encoding="utf-8")
        if side["kind"] == "gguf":
            write_gguf(folder / "model.gguf", spec, side["values"])
        else:
            (folder / "pytorch_model.bin").write_bytes(torch_file(spec, side["ties"]))
    return audit(str(folder))


def write_gguf(path: Path, spec: Spec, values: dict[str, Any]) -> None:
    """Write a sparse GGUF file: a real header and a hole in place of the data."""
    made = Gguf()
    entries, offset = b"", 0
    for name, (dtype, shape) in spec.items():
        block = BY_NAME[dtype]
        entries += made.entry(name, shape[::-1], TYPES[dtype], offset)
        offset += -(-prod(shape) // block.elements * block.bytes // 32) * 32
    pairs = b"".join(
        made.pair(key, "text" if isinstance(value, str) else "u32", value) for key, value in values.items()
    )
    header = made.head(len(spec), len(values)) + pairs + entries
    path.write_bytes(header)
    os.truncate(path, -(-len(header) // 32) * 32 + offset)


def torch_file(spec: Spec, ties: list[list[str]]) -> bytes:
    """The bytes of a state dict as torch.save writes it; tied names share a storage."""
    first = {name: group[0] for group in ties for name in group}
    keys = {name: str(number) for number, name in enumerate(spec)}
    code = Code().add(b"}(")
    storages: dict[str, bytes] = {}
    for name, (dtype, shape) in spec.items():
        key = keys[first.get(name, name)]
        code.text(name).tensor(shape, key, storage={"BF16": "BFloat16Storage"}.get(dtype, "FloatStorage"))
        storages[key] = bytes(prod(shape) * struct.calcsize("h" if dtype == "BF16" else "f"))
    return archive(code.add(b"u").stop(), storages)
