"""Files under unusual names: torch.load, load_file and llama.cpp do not look at the name of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector import audit
from inspector.findings.reading.no_weights import NoWeights
from inspector.loader.checkpoint import load
from tests.attacks.dummies import healthy
from tests.readers.file_builders import archive, plain_array, small_llama, state

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"
TENSORS = (("a.weight", (4,)), ("b.weight", (2, 2)))
BIN = archive(state(*TENSORS), {"0": bytes(16), "1": bytes(16)})


def pointer(size: int) -> bytes:
    return POINTER.format("a" * 64, size).encode()


@pytest.mark.parametrize("name", ["m.torch", "m.th", "m.weights", "m.model", "m", "m.ckpt-1000"])
@pytest.mark.parametrize("content", [BIN, healthy("s"), small_llama(), plain_array("<f4", "(4, 2)", bytes(32))])
def test_a_file_is_read_by_its_content(tmp_path: Path, name: str, content: bytes) -> None:
    if name.endswith((".torch", ".th")) and content is not BIN:
        return
    path = tmp_path / name
    path.write_bytes(content)
    read = load(str(path))
    assert read.tensors and not read.findings


def test_a_file_of_llama_cpp_is_one_under_any_name(tmp_path: Path) -> None:
    for name in ("model", "model.gguf"):
        (tmp_path / name).write_bytes(small_llama())
    audited, usual = (audit(str(tmp_path / name)) for name in ("model", "model.gguf"))
    assert audited.checkpoint.is_gguf and audited.counts == usual.counts
    assert [one.code for one in audited.findings] == [one.code for one in usual.findings]


@pytest.mark.parametrize("name", ["m.torch.incomplete", "m.pth.part-00", "m.pth.tmp"])
def test_a_partial_file_is_not_weights_yet(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BIN)
    assert [one.code for one in load(str(tmp_path / name)).findings] == ["R005"]


@pytest.mark.parametrize("name", ["fcn.torch", "fcn.th"])
def test_endings_of_torch_are_weights_of_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BIN)
    assert set(load(str(tmp_path)).tensors) == {"a.weight", "b.weight"}
    (tmp_path / name).write_bytes(pointer(133_000_000))
    (finding,) = load(str(tmp_path)).findings
    assert finding.code == "R005" and "git lfs pull" in finding.help


def test_pointers_under_other_names_are_named(tmp_path: Path) -> None:
    (tmp_path / "yolo.weights").write_bytes(pointer(248_000_000))
    (tmp_path / "face.dat").write_bytes(pointer(99_000_000))
    (tmp_path / "small.dat").write_bytes(pointer(2_000))
    (tmp_path / "picture.png").write_bytes(pointer(4_000_000))
    (finding,) = load(str(tmp_path)).findings
    assert isinstance(finding, NoWeights)
    assert finding.pointers == ("yolo.weights", "face.dat")
    assert "git lfs pull" in finding.help


def test_a_pointer_to_a_small_file_is_none_of_weights(tmp_path: Path) -> None:
    (tmp_path / "small.dat").write_bytes(pointer(2_000))
    (finding,) = load(str(tmp_path)).findings
    assert isinstance(finding, NoWeights) and not finding.pointers
    assert finding.headline() == "no weights in this folder"
