"""Files that a program read as text and wrote again: invalid UTF-8 bytes became U+FFFD, which has three bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy
import pytest
from safetensors.numpy import save_file

from inspector.loader.checkpoint import load
from tests.checkpoints import Spec
from tests.comparing.pair_audits import torch_file


def tensors(count: int, width: int, kind: str) -> Mapping[str, Any]:
    """Matrices of random values."""
    random = numpy.random.default_rng(0)
    return {f"layers.{index}.weight": random.standard_normal((width, width)).astype(kind) for index in range(count)}


def as_text(path: Path) -> Path:
    """Read the file as text and write it again."""
    path.write_text(path.read_bytes().decode(errors="replace"), encoding="utf-8", newline="")
    return path.parent


def a_gguf(path: Path, general_name: str) -> Path:
    """A small GGUF file with a float among its first keys."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(general_name)
    writer.add_layer_norm_rms_eps(1e-5)
    for name, values in tensors(2, 32, "float32").items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize(("count", "width", "kind"), [(1, 8, "float32"), (31, 64, "float16"), (60, 24, "float32")])
def test_safetensors(count: int, width: int, kind: str, tmp_path: Path) -> None:
    """The header length may survive; truncating the file to the stated size would keep damaged values."""
    save_file(dict(tensors(count, width, kind)), tmp_path / "model.safetensors")
    (finding,) = load(str(as_text(tmp_path / "model.safetensors"))).findings
    assert (finding.code, finding.facts["what"]) == ("R005", "reencoded")
    assert [step.action for step in finding.remedy().steps] == ["fetch"]


def test_gguf(tmp_path: Path) -> None:
    (finding,) = load(str(as_text(a_gguf(tmp_path / "model.gguf", "model")))).findings
    assert (finding.code, finding.facts["what"]) == ("R005", "reencoded")


@pytest.mark.parametrize("name", ["model.pth", "pytorch_model.bin", "last.ckpt"])
@pytest.mark.parametrize("old", [True, False])
def test_torch(name: str, old: bool, tmp_path: Path) -> None:
    """A pickle begins with a byte that is not UTF-8; the directory of an archive is at another place."""
    start = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}q\0(X\x10\0\0\0protocol_version"
    spec: Spec = {f"layers.{index}.weight": ("F32", (24, 24)) for index in range(4)}
    random = numpy.random.default_rng(0).bytes(9_000)
    (tmp_path / name).write_bytes(start + random if old else torch_file(spec, []) + random)
    (finding,) = load(str(as_text(tmp_path / name))).findings
    assert (finding.code, finding.facts["what"]) == ("R005", "reencoded")


def test_a_name_with_the_character_is_accepted(tmp_path: Path) -> None:
    assert load(str(a_gguf(tmp_path / "model.gguf", "mod\ufffdl").parent)).readable


def test_other_bytes_behind_the_data(tmp_path: Path) -> None:
    save_file(dict(tensors(2, 16, "float32")), tmp_path / "model.safetensors")
    with open(tmp_path / "model.safetensors", "ab") as file:
        file.write(numpy.random.default_rng(1).bytes(5_000))
    (finding,) = (one for one in load(str(tmp_path)).findings if one.severity == "error")
    assert finding.code == "H109"
