"""An index read in outline: used only where the headers confirm it, otherwise decoded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inspector.loader.checkpoint import Checkpoint, load
from inspector.loader.index import Index
from tests.attacks.dummies import INDEX, shard


def healthy(*names: str) -> bytes:
    """A file of one-byte tensors with a header in the format of the reference writer."""
    header = {name: {"dtype": "U8", "shape": [1], "data_offsets": [n, n + 1]} for n, name in enumerate(names)}
    raw = json.dumps({"__metadata__": {"format": "pt"}, **header}, separators=(",", ":")).encode()
    return len(raw).to_bytes(8, "little") + raw + bytes(len(names))


A, B = shard(1, 2), shard(2, 2)
WEIGHT_MAP = {"a": A, "c": B, "b": A, "d": B}
SHARDS = {A: healthy("b", "a"), B: healthy("c", "d")}


def text(indent: int | None = 2, **more: object) -> str:
    return json.dumps({"metadata": {"total_size": 4}, "weight_map": WEIGHT_MAP, **more}, indent=indent)


ODD = {
    "one line": text(None),
    "another key behind": text(more={"weight_map": {"a": A}}),
    "a map within the metadata": text(metadata={"weight_map": {"a": A, "b": A, "c": B, "d": B}}),
    "the key within a text": text(metadata={"said": '"weight_map": {"a": "b", "c": "d"}'}),
    "two maps": text()[:-1] + f', "weight_map": {json.dumps(WEIGHT_MAP)}}}',
    "a key twice": text().replace('"weight_map": {', f'"weight_map": {{"a": "{A}",'),
    "a key twice in place of another": text().replace('"d"', '"c"'),
    "an escaped name": text().replace('"a"', '"\\u0061"'),
    "an escape that is none": text().replace('"a"', '"\\x61"'),
    "a mark in a name": text().replace('"a"', '"a""'),
    "a control character": text().replace('"a"', '"a\x01"'),
    "a brace in a name": text().replace('"a"', '"a}"'),
    "a line break in a name": text().replace('"a"', '"a\n"'),
    "a number for a file": text().replace(f'"c": "{B}"', '"c": 2'),
    "a list for a file": text().replace(f'"c": "{B}"', f'"c": ["{B}"]'),
    "a comma too many": text().replace(f'"d": "{B}"', f'"d": "{B}",'),
    "no comma": text().replace(f'"{A}",', f'"{A}"', 1),
    "cut off": text()[:-30],
    "something behind": text() + "x",
    "not UTF-8": text().replace('"a"', '"\udcff"'),
    "wider blanks": text().replace('"c": ', '"c" :  '),
    "a blank that JSON does not have": text().replace('"c": ', '"c":\v'),
    "such blanks everywhere": text().replace('": "', '":\v"'),
    "no file of the folder": text().replace(A, "other").replace(B, "others"),
    "another file": text().replace(f'"c": "{B}"', f'"c": "{A}"'),
    "a file of another length": text().replace(f'"c": "{B}"', '"c": "other.safetensors"'),
    "a file that is absent": text().replace(f'"c": "{B}"', f'"c": "{shard(3, 3)}"'),
    "a name that no header has": text().replace('"d"', '"e"'),
    "a name too few": text().replace(f',\n    "d": "{B}"', ""),
    "a total that is a text": text(metadata={"total_size": "4"}),
    "a metadata that is a list": text(metadata=[]),
    "no metadata": json.dumps({"weight_map": WEIGHT_MAP}),
}  # fmt: skip


def read(folder: Path, index: bytes) -> Checkpoint:
    for name, raw in {**SHARDS, INDEX: index}.items():
        (folder / name).write_bytes(raw)
    return load(os.fspath(folder))


def result_of(checkpoint: Checkpoint) -> tuple[object, ...]:
    index = checkpoint.index
    return (
        checkpoint.tensors,
        dict(checkpoint.file_of),
        checkpoint.files,
        checkpoint.lost,
        sorted(map(repr, checkpoint.findings)),
        index and (dict(index.weight_map), {file: sorted(names) for file, names in index.promised.items()}),
        index and index.metadata,
    )


@pytest.mark.parametrize("index", [pytest.param(one, id=name) for name, one in {"plain": text(), **ODD}.items()])
def test_an_unusual_index_is_read_as_if_it_were_decoded(
    index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = index.encode(errors="surrogateescape")
    decoded = result_of(read(tmp_path, raw))
    monkeypatch.setattr("inspector.loader.picking.OUTLINE_FROM", 0)
    assert result_of(read(tmp_path, raw)) == decoded


@pytest.mark.parametrize("order", ["a c b d", "d c b a", "a b c d", "b a c d", "c d b a"])
def test_an_outline_that_the_headers_confirm_is_not_decoded(
    order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.loader.picking.OUTLINE_FROM", 0)
    monkeypatch.setattr("inspector.loader.picking.parse_index", lambda raw, file: pytest.fail("was decoded"))
    promise = {name: WEIGHT_MAP[name] for name in order.split()}
    checkpoint = read(tmp_path, text(weight_map=promise).encode())
    assert not checkpoint.findings
    assert dict(checkpoint.file_of) == WEIGHT_MAP
    assert isinstance(checkpoint.index, Index) and checkpoint.index.metadata == {"total_size": 4}


def test_one_tensor_in_two_shards_and_twice_in_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.loader.picking.OUTLINE_FROM", 0)
    entries = [("a", A), ("b", A), ("c", B), ("a", B)]
    index = '{"weight_map": {' + ", ".join(f'"{name}": "{file}"' for name, file in entries) + "}}"
    for name, raw in {A: healthy("a", "b"), B: healthy("c", "a"), INDEX: index.encode()}.items():
        (tmp_path / name).write_bytes(raw)
    assert {one.name for one in load(os.fspath(tmp_path)).findings} == {"index-key-doubled", "tensor-doubled"}


def test_a_small_index_is_decoded_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.loader.index_outline.outlined", lambda *asked: pytest.fail("was read in outline"))
    assert not read(tmp_path, text().encode()).findings
