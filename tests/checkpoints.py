"""Sparse checkpoints for tests: real headers at any size, and holes in place of the data.

A spec maps names to (dtype, shape). `write` makes the folder: one file or shards with an index, and the
config. `genuine` makes the spec of a config through its definition, for sizes that other sources confirm.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.algebra.names import name_of
from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import class_defaults
from inspector.loader.dtype import BITS
from inspector.notation.binding import Plan, bind
from inspector.notation.parts import head_for
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.spelling import Spelling

Shape = tuple[int, ...]
Spec = dict[str, tuple[str, Shape]]


def data_bytes(dtype: str, shape: Shape) -> int:
    """Bytes of one tensor."""
    return math.prod(shape) * BITS[dtype] // 8


def header(spec: Mapping[str, tuple[str, Shape]], metadata: dict[str, str] | None = None) -> tuple[bytes, int]:
    """(length prefix and JSON, padded to 8; bytes of data)."""
    entries: dict[str, Any] = {"__metadata__": {"format": "pt"} if metadata is None else metadata}
    position = 0
    for name, (dtype, shape) in spec.items():
        size = data_bytes(dtype, shape)
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [position, position + size]}
        position += size
    raw = json.dumps(entries, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    return struct.pack("<Q", len(raw)) + raw, position


def write_file(path: Path, spec: Mapping[str, tuple[str, Shape]], metadata: dict[str, str] | None = None) -> int:
    """Write one sparse file and return the size of its data in bytes."""
    head, size = header(spec, metadata)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + size)
    return size


def write(
    folder: Path,
    spec: Mapping[str, tuple[str, Shape]],
    config: Mapping[str, Any] | None = None,
    *,
    shards: int = 1,
    config_name: str = "config.json",
) -> Path:
    """Write a checkpoint folder; shards hold consecutive tensors of about equal size in bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    if config is not None:
        (folder / config_name).write_text(json.dumps(config), encoding="utf-8")
    if shards == 1:
        write_file(folder / "model.safetensors", spec)
        return folder
    weight_map: dict[str, str] = {}
    total = 0
    for number, part in enumerate(split(spec, shards), 1):
        name = f"model-{number:05d}-of-{shards:05d}.safetensors"
        total += write_file(folder / name, part)
        weight_map.update(dict.fromkeys(part, name))
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    return folder


def split(spec: Mapping[str, tuple[str, Shape]], shards: int) -> list[Spec]:
    """Runs of consecutive tensors of about equal bytes, none empty."""
    total = sum(data_bytes(*entry) for entry in spec.values())
    parts: list[Spec] = [{}]
    done, left = 0, len(spec)
    for name, entry in spec.items():
        size = data_bytes(*entry)
        full = done + size / 2 > total * len(parts) / shards or left <= shards - len(parts)
        if parts[-1] and len(parts) < shards and full:
            parts.append({})
        parts[-1][name] = entry
        done += size
        left -= 1
    return parts


def plan_of(config: Mapping[str, Any]) -> Plan:
    """The blocks of a config's definition under its class."""
    model_type = config.get("model_type") or config["_class_name"]
    definition = definition_of(model_type)
    assert definition is not None, model_type
    settings = Settings(config, *class_defaults(model_type), of_type=class_defaults)
    classes = config.get("architectures") or [""]
    head = head_for(definition, classes[0]) or definition.default_head
    return bind(Scope(definition, settings, definition_of), head, Spelling(head.root))


def genuine(config: Mapping[str, Any], dtype: str = "BF16", *, copies: bool = False) -> Spec:
    """The spec that is saved under this config: no optional rows, copies of tied matrices only with `copies`."""
    spec: Spec = {}
    for block in plan_of(config).blocks:
        if not block.slot.built or (block.tie is not None and not copies):
            continue
        shape = tuple(dim for dim in block.shape if dim is not None)
        assert len(shape) == len(block.shape), (block.key, block.shape)
        for indices in itertools.product(*block.axes):
            spec[name_of(block.key, indices)] = (dtype, shape)
    return spec


def elements(spec: Mapping[str, tuple[str, Shape]]) -> int:
    """Elements of all tensors."""
    return sum(math.prod(shape) for _, shape in spec.values())


def disk_bytes(folder: Path, names: Sequence[str] = ()) -> int:
    """Bytes of the files of a folder."""
    return sum(os.stat(folder / name).st_size for name in (names or os.listdir(folder)))


def with_data(known: Path, folder: Path) -> Path:
    """Make a checkpoint of a folder of `fixtures/known`: its header, and a hole for the data that it describes."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in known.iterdir():
        content = path.read_bytes()
        target = folder / path.name.removesuffix(".header")
        target.write_bytes(content)
        if target.name != path.name:
            entries = json.loads(content[8:])
            end = max(entry["data_offsets"][1] for name, entry in entries.items() if name != "__metadata__")
            os.truncate(target, len(content) + end)
    return folder
