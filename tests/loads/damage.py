"""Damage to a checkpoint folder as data, from which the recorder and the tests build the same folder.

A folder is its weight files (name -> tensors and metadata) and its JSON files (name -> content). Each damage is a list:
the name of an operation of `OPERATIONS` and its arguments.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from tests.checkpoints import Shape, Spec, data_bytes, header

MODEL = "model.safetensors"
INDEX = "model.safetensors.index.json"
CONFIG = "config.json"
Damage = list[Any]
Fill = Callable[[str, str, Shape], bytes]
"""Data of a tensor, from a text that identifies it, its dtype and its shape."""


class WeightFile(Struct):
    """The tensors of a file and its metadata, None if absent. seed: files with the same seed have the same values."""

    spec: Spec
    metadata: dict[str, str] | None = field(default_factory=lambda: {"format": "pt"})
    seed: int = 0


class Folder(Struct):
    """The files of a checkpoint; those of a pipeline have `/` in their names."""

    weights: dict[str, WeightFile] = field(default_factory=dict)
    texts: dict[str, Any] = field(default_factory=dict)


def healthy(spec: Spec, config: Mapping[str, Any], name: str = MODEL) -> Folder:
    """A folder with one weight file and its config."""
    return Folder({name: WeightFile(dict(spec))}, {CONFIG: copy.deepcopy(dict(config))})


def damaged(folder: Folder, damages: Sequence[Damage]) -> Folder:
    """The folder after each damage in turn; it is changed in place."""
    for operation, *arguments in damages:
        OPERATIONS[operation](folder, *arguments)
    return folder


def drop(folder: Folder, *names: str) -> None:
    """Removes tensors."""
    for one in folder.weights.values():
        for name in names:
            one.spec.pop(name, None)


def rename(folder: Folder, old: str, new: str) -> None:
    """Renames one tensor."""
    for one in folder.weights.values():
        one.spec = {new if name == old else name: entry for name, entry in one.spec.items()}


def replace(folder: Folder, old: str, new: str) -> None:
    """Replaces a part of all names."""
    for one in folder.weights.values():
        one.spec = {name.replace(old, new): entry for name, entry in one.spec.items()}


def prefix(folder: Folder, text: str) -> None:
    """Puts a prefix before all names."""
    for one in folder.weights.values():
        one.spec = {text + name: entry for name, entry in one.spec.items()}


def strip(folder: Folder, text: str) -> None:
    """Removes a prefix from the names that have it."""
    for one in folder.weights.values():
        one.spec = {name.removeprefix(text): entry for name, entry in one.spec.items()}


def shape(folder: Folder, name: str, dims: Sequence[int]) -> None:
    """Gives a tensor another shape."""
    for one in folder.weights.values():
        if name in one.spec:
            one.spec[name] = (one.spec[name][0], tuple(dims))


def dtype(folder: Folder, wanted: str, *names: str) -> None:
    """Gives tensors another dtype; without names, all matrices."""
    for one in folder.weights.values():
        for name, (_, dims) in one.spec.items():
            if name in names or (not names and len(dims) == 2):
                one.spec[name] = (wanted, dims)


def add(folder: Folder, name: str, kind: str, dims: Sequence[int]) -> None:
    """Adds a tensor."""
    next(iter(folder.weights.values())).spec[name] = (kind, tuple(dims))


def config(folder: Folder, path: Sequence[str], value: Any, file: str = CONFIG) -> None:
    """Sets a key of a JSON file."""
    inside = folder.texts[file]
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value


def unset(folder: Folder, path: Sequence[str], file: str = CONFIG) -> None:
    """Removes a key of a JSON file."""
    inside = folder.texts[file]
    for key in path[:-1]:
        inside = inside.get(key, {})
    inside.pop(path[-1], None)


def file(folder: Folder, old: str, new: str | None) -> None:
    """Renames a file, or removes it."""
    for names in (folder.weights, folder.texts):
        if old in names:
            content = names.pop(old)
            if new is not None:
                names[new] = content


def shards(folder: Folder, count: int, wanted: str = MODEL, listed: bool = True) -> None:
    """Splits the weights into shards; listed: with an index."""
    (old, one), *_ = folder.weights.items()
    del folder.weights[old]
    stem, ending = wanted.rsplit(".", 1)
    names = list(one.spec)
    placed: dict[str, str] = {}
    for number in range(count):
        part = names[len(names) * number // count : len(names) * (number + 1) // count]
        name = f"{stem}-{number + 1:05d}-of-{count:05d}.{ending}"
        folder.weights[name] = WeightFile({key: one.spec[key] for key in part}, one.metadata, one.seed)
        placed.update(dict.fromkeys(part, name))
    if listed:
        folder.texts[f"{wanted}.index.json"] = {"metadata": {"total_size": _bytes(one)}, "weight_map": placed}


def _bytes(one: WeightFile) -> int:
    return sum(data_bytes(*entry) for entry in one.spec.values())


def beside(folder: Folder, name: str, seed: int, *lost: str) -> None:
    """Adds a second file with all tensors except the lost ones; another seed gives other values."""
    spec = {key: entry for one in folder.weights.values() for key, entry in one.spec.items() if key not in lost}
    folder.weights[name] = WeightFile(spec, {"format": "pt"}, seed)


def metadata(folder: Folder, values: dict[str, str] | None) -> None:
    """Sets the metadata of all files."""
    for one in folder.weights.values():
        one.metadata = values


def text(folder: Folder, name: str, content: Any) -> None:
    """Adds a JSON file."""
    folder.texts[name] = content


def lose(folder: Folder, *parts: str) -> None:
    """Removes the tensors with any of these parts in their names."""
    drop(folder, *(name for one in folder.weights.values() for name in one.spec if any(part in name for part in parts)))


def keep(folder: Folder, *parts: str) -> None:
    """Removes all tensors except those with any of these parts in their names."""
    for one in folder.weights.values():
        one.spec = {name: entry for name, entry in one.spec.items() if any(part in name for part in parts)}


def retype(folder: Folder, wanted: str, part: str) -> None:
    """Gives the tensors with a part in their names another dtype."""
    dtype(folder, wanted, *(name for one in folder.weights.values() for name in one.spec if part in name))


def cast(folder: Folder, name: str, wanted: str) -> None:
    """Gives every tensor of a file another dtype."""
    one = folder.weights[name]
    one.spec = {tensor: (wanted, dims) for tensor, (_, dims) in one.spec.items()}


def number(folder: Folder, part: str, by: int) -> None:
    """Adds to the first number after a part of all names."""
    for one in folder.weights.values():
        one.spec = {
            re.sub(
                rf"({re.escape(part)})(\d+)(?=\.)", lambda found: f"{found[1]}{int(found[2]) + by}", name, count=1
            ): entry
            for name, entry in one.spec.items()
        }


def join(folder: Folder, new: str, *parts: str) -> None:
    """Joins modules by their rows: of `q`, `k` and `v` the weights, and their biases."""
    for one in folder.weights.values():
        for name, (kind, dims) in list(one.spec.items()):
            stem, _, ending = name.rpartition(".")
            before, _, last = stem.rpartition(".")
            if last == parts[0] and name in one.spec:
                members = [f"{before}.{part}.{ending}" for part in parts]
                rows = sum(one.spec.pop(member)[1][0] for member in members if member in one.spec)
                one.spec[f"{before}.{new}.{ending}"] = (kind, (rows, *dims[1:]))


def upper(folder: Folder) -> None:
    """Writes all names in capital letters."""
    for one in folder.weights.values():
        one.spec = {name.upper(): entry for name, entry in one.spec.items()}


def stack(folder: Folder, turned: bool, *parts: str) -> None:
    """Makes one tensor of all experts: of `gate` and `up` under `gate_up_proj`, of a single part under its own name.

    turned: with its last two dims exchanged.
    """
    for one in folder.weights.values():
        found: dict[str, list[tuple[str, Sequence[int]]]] = {}
        for name, (kind, dims) in list(one.spec.items()):
            place = re.fullmatch(r"(.*\.experts)\.\d+\.(\w+?)(_proj)?\.weight", name)
            if place is not None and place[2] in parts:
                new = "gate_up_proj" if len(parts) > 1 else f"{place[2]}_proj"
                found.setdefault(f"{place[1]}.{new}", []).append((kind, dims))
                del one.spec[name]
        for name, stored in found.items():
            kind, (rows, columns) = stored[0]
            sides = [rows * len(parts), columns]
            one.spec[name] = (kind, (len(stored) // len(parts), *(sides[::-1] if turned else sides)))


def halve(folder: Folder, axis: int, *parts: str) -> None:
    """Keeps half of an axis of the tensors with any of these parts in their names."""
    for one in folder.weights.values():
        for name, (kind, dims) in one.spec.items():
            if any(part in name for part in parts) and len(dims) > axis:
                one.spec[name] = (kind, (*dims[:axis], dims[axis] // 2, *dims[axis + 1 :]))


def empty(folder: Folder, size: int) -> None:
    """Gives all matrices the shape of a placeholder."""
    for one in folder.weights.values():
        one.spec = {name: (kind, (size,) if len(dims) > 1 else dims) for name, (kind, dims) in one.spec.items()}


def nested(folder: Folder, key: str, model_type: str, class_name: str) -> None:
    """Replaces the config by one of its nested configs."""
    part = folder.texts[CONFIG][key]
    folder.texts[CONFIG] = {**part, "model_type": model_type, "architectures": [class_name]}


def paths(folder: Folder, name: str, prefix: str) -> None:
    """Puts a prefix before the file names in an index."""
    index = folder.texts[name]
    index["weight_map"] = {key: prefix + file for key, file in index["weight_map"].items()}


OPERATIONS: Mapping[str, Callable[..., None]] = {
    one.__name__: one
    for one in (
        drop, rename, replace, prefix, strip, shape, dtype, add, config, unset, file, shards, beside, metadata, text,
        lose, keep, retype, cast, number, join, upper, stack, halve, empty, nested, paths,
    )
}  # fmt: skip


def write(folder: Folder, place: Path, fill: Fill | None = None) -> Path:
    """Write a folder; without `fill` the data are holes."""
    for name, content in folder.texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(json.dumps(content), encoding="utf-8")
    for name, one in folder.weights.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        head, size = header(one.spec, one.metadata)
        if one.metadata is None:
            head = head.replace(b'"__metadata__":{"format":"pt"},', b" " * len('"__metadata__":{"format":"pt"},'))
        with (place / name).open("wb") as file:
            file.write(head)
            if fill is None:
                file.truncate(len(head) + size)
                continue
            for key, entry in one.spec.items():
                file.write(fill(f"{one.seed} {key}", *entry))
    return place
