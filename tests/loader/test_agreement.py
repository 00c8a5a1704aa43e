"""Contradictions between index, headers and files: each cause is one finding with exact counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint, load
from tests.attacks.dummies import INDEX, file_of, healthy, index_of, shard, two_shards

A, B = shard(1, 2), shard(2, 2)
C = shard(3, 3)


@pytest.fixture(autouse=True, params=[0, 1 << 20], ids=["outlined", "decoded"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs every case with the index read in outline where possible, and with the index decoded."""
    monkeypatch.setattr("inspector.loader.picking.OUTLINE_FROM", request.param)


def read(folder: Path, files: dict[str, bytes], weights: str | None = None) -> Checkpoint:
    for name, raw in files.items():
        (folder / name).write_bytes(raw)
    return load(os.fspath(folder), weights=weights)


def only(checkpoint: Checkpoint) -> Finding:
    (findings,) = checkpoint.findings
    return findings


def test_agreement(tmp_path: Path) -> None:
    checkpoint = read(tmp_path, two_shards())
    assert not checkpoint.findings
    assert checkpoint.file_of == {"a": A, "b": A, "c": B}
    assert checkpoint.index is not None
    assert checkpoint.index.weight_map == checkpoint.file_of
    assert checkpoint.index.metadata == {"total_size": 3}
    assert [(file.name, file.tensors, file.data_bytes) for file in checkpoint.files] == [(A, 2, 2), (B, 1, 1)]
    assert checkpoint.set_name == INDEX
    assert not checkpoint.other_sets


def test_the_tensors_of_an_absent_shard_are_lost_with_it(tmp_path: Path) -> None:
    names = [f"model.layers.{n}.w" for n in range(500)]
    checkpoint = read(tmp_path, {A: healthy("a"), INDEX: index_of({"a": A, **dict.fromkeys(names, B)})})
    findings = only(checkpoint)
    assert (findings.name, findings.place.file) == ("shard-missing", B)
    assert findings.facts["tensors"] == 500
    assert findings.facts["layers"] == "0-499"
    assert findings.facts["names"] == names[:20]
    assert checkpoint.lost == {B: tuple(names)}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"dtype": "", "shape": [], "data_offsets": [1, 1]}, "save the file again without d"),
        ({"dtype": "F8_X", "shape": [1], "data_offsets": [1, 2]}, "save the file again with a dtype"),
        ({"shape": [1], "data_offsets": [1, 2]}, "save the file again with a current version"),
    ],
)
def test_a_faulty_entry_is_not_absent_as_well(tmp_path: Path, entry: dict[str, Any], words: str) -> None:
    """torchtitan left an entry without data for a head that is tied."""
    whole = {"c": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}, "d": entry}
    index = index_of({"a": A, "b": A, "c": B, "d": B})
    checkpoint = read(tmp_path, {**two_shards(), B: file_of(whole, bytes(entry["data_offsets"][1])), INDEX: index})
    assert only(checkpoint).help.startswith(words)
    assert checkpoint.lost == {B: ("d",)}


def test_an_unreadable_shard_is_one_finding(tmp_path: Path) -> None:
    checkpoint = read(tmp_path, {**two_shards(), B: b"<html></html>"})
    assert only(checkpoint).name == "not-a-checkpoint"
    assert checkpoint.lost == {B: ("c",)}
    assert checkpoint.readable


def test_many_absent_shards_are_bounded(tmp_path: Path) -> None:
    promise = {"a": A, **{f"t{n}": f"s{n}.safetensors" for n in range(50)}}
    checkpoint = read(tmp_path, {A: healthy("a"), INDEX: index_of(promise)})
    (finding,) = checkpoint.findings
    assert (finding.name, finding.place.file) == ("shard-missing", None)
    assert (finding.facts["files"], finding.facts["of"], finding.facts["tensors"]) == (50, 51, 50)
    assert len(finding.facts["names"]) == 20
    assert len(checkpoint.lost) == 50


def test_the_index_decides_between_two_copies(tmp_path: Path) -> None:
    wide = healthy("b", "c", width=2)
    one = read(tmp_path, {**two_shards(), B: wide})
    assert one.tensors["b"].bytes == 1
    two = read(tmp_path, {INDEX: index_of({"a": A, "b": B, "c": B})})
    assert two.tensors["b"].bytes == 2
    assert two.file_of["b"] == B
    for checkpoint in (one, two):
        assert only(checkpoint).name == "tensor-contradicted"
        assert only(checkpoint).facts["tensors"] == 1


def test_a_shard_that_is_not_in_the_index_is_audited_and_reported(tmp_path: Path) -> None:
    checkpoint = read(tmp_path, {**two_shards(), INDEX: index_of({"a": A, "b": A})})
    assert only(checkpoint).facts["tensors"] == 1
    assert set(checkpoint.tensors) == {"a", "b", "c"}


def test_a_shard_of_another_save_is_reported_and_left_out(tmp_path: Path) -> None:
    checkpoint = read(tmp_path, {**two_shards(), C: healthy("a", "z", width=5)})
    facts = only(checkpoint).facts
    assert (facts["tensors"], facts["contradicted"], facts["repeated"]) == (2, 1, 0)
    assert set(checkpoint.tensors) == {"a", "b", "c"}
    assert checkpoint.tensors["a"].bytes == 1


@pytest.mark.parametrize(
    ("weights", "audited", "tensors"),
    [
        (None, "model.safetensors", {"s"}),
        ("model", "model.safetensors", {"s"}),
        (INDEX, INDEX, {"a", "b", "c"}),
        ("model.safetensors", "model.safetensors", {"s"}),
        ("fp16", "model.fp16.safetensors", {"f"}),
        ("model.fp16", "model.fp16.safetensors", {"f"}),
        ("consolidated", "consolidated.safetensors", {"k"}),
        (A, A, {"a", "b"}),
    ],
)
def test_one_of_several_sets(tmp_path: Path, weights: str | None, audited: str, tensors: set[str]) -> None:
    files = {
        **two_shards(),
        "model.safetensors": healthy("s"),
        "model.fp16.safetensors": healthy("f"),
        "consolidated.safetensors": healthy("k"),
        "pytorch_model.bin": b"x" * 7,
        "optimizer.pt": b"x" * 1000,
    }
    checkpoint = read(tmp_path, files, weights)
    assert checkpoint.set_name == audited
    assert set(checkpoint.tensors) == tensors
    beside, state = checkpoint.findings
    assert (beside.name, state.name) == ("other-weights", "training-state")
    names = {other.name for other in checkpoint.other_sets}
    every = {
        INDEX,
        "model.safetensors",
        "model.fp16.safetensors",
        "consolidated.safetensors",
        "pytorch_model.bin",
    }
    assert names == every - {audited}
    assert beside.facts["bytes"] == sum(other.bytes for other in checkpoint.other_sets)
    kinds = {other.name: (other.kind, other.bytes) for other in checkpoint.other_sets}
    assert kinds["pytorch_model.bin"] == ("pytorch", 7)


def test_only_other_formats(tmp_path: Path) -> None:
    checkpoint = read(tmp_path, {"model-00001-of-00002.h5": b"\x89HDF", "model-00002-of-00002.h5": b"\x89HDF"})
    assert only(checkpoint).name == "no-weights"
    assert [(other.kind, len(other.files)) for other in checkpoint.other_sets] == [("tensorflow", 2)]
    assert not checkpoint.readable


def test_other_formats_in_a_folder_below_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "onnx").mkdir()
    finding = only(read(tmp_path, {"onnx/model.onnx": b"\x08\x07", "config.json": b"{}"}))
    assert (finding.name, finding.facts["weights_in"]) == ("no-weights", [])
    assert [one["name"] for one in finding.facts["sets"]] == ["onnx/model.onnx"]
    finding = only(read(tmp_path, {"onnx/model.safetensors": healthy("a")}))
    assert (finding.facts["weights_in"], finding.facts["sets"]) == (["onnx"], [])


def test_no_file_outside_the_folder_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = os.open

    def watched(path: str, flags: int, *more: int) -> int:
        opened.append(os.path.realpath(path))
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", watched)
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "x.safetensors").write_bytes(healthy("secret"))
    promise = {"secret": "../x.safetensors", "b": os.fspath(tmp_path / "x.safetensors"), "a": A}
    checkpoint = read(folder, {A: healthy("a"), INDEX: index_of(promise)})
    assert {findings.name for findings in checkpoint.findings} == {"shard-name-unsafe"}
    assert all(os.path.dirname(path) == os.path.realpath(folder) for path in opened if os.path.sep in path)
    assert "secret" not in checkpoint.tensors


def test_files_beyond_the_limit_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.loader.set_reading.FILES_LIMIT", 1)
    one = read(tmp_path, two_shards())
    assert [findings.name for findings in one.findings] == ["too-many-files"]
    assert set(one.tensors) == {"a", "b"}
    assert one.lost == {B: ("c",)}
    (tmp_path / INDEX).unlink()
    two = load(os.fspath(tmp_path))
    assert {findings.name for findings in two.findings} == {"too-many-files", "index-missing"}
    assert set(two.tensors) == {"a", "b"}
