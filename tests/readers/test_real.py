"""Files written by the real packages are read to the same listing as by these packages."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from inspector.loader.formats.ggml_types import TYPES
from inspector.loader.formats.gguf import read_gguf
from inspector.loader.formats.incremental import Read
from inspector.loader.formats.numpy_file import read_numpy
from inspector.loader.formats.torch_file import read_torch

pytestmark = pytest.mark.slow


def opened(path: Path) -> tuple[Read, int, str]:
    data = path.read_bytes()
    return (lambda at, length: data[at : at + length]), os.path.getsize(path), path.name


@pytest.mark.parametrize("order", ["LITTLE", "BIG"])
def test_gguf(tmp_path: Path, order: str) -> None:
    gguf = pytest.importorskip("gguf")
    np = pytest.importorskip("numpy")
    path = tmp_path / "model.gguf"
    writer = gguf.GGUFWriter(path, "llama", endianess=getattr(gguf.GGUFEndian, order))
    writer.add_block_count(3)
    writer.add_token_list([f"token {n}" for n in range(2000)])
    writer.add_head_count_kv([2, 2, 1])
    expected: dict[str, tuple[str, tuple[int, ...], int]] = {}
    plain = {"F32": np.float32, "F16": np.float16, "F64": np.float64, "I8": np.int8, "I16": np.int16,
             "I32": np.int32, "I64": np.int64}  # fmt: skip
    for number, blocks in TYPES.items():
        name = f"blk.{number}.weight"
        shape = (5, 3, 2 * blocks.elements)
        if blocks.name in plain:
            writer.add_tensor(name, np.zeros(shape, plain[blocks.name]))
        else:
            raw = np.zeros((5, 3, 2 * blocks.bytes), np.uint8)
            writer.add_tensor(name, raw, raw_dtype=gguf.GGMLQuantizationType(number))
        expected[name] = (blocks.name, shape, 5 * 3 * 2 * blocks.bytes)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    found = read_gguf(*opened(path))
    assert [one.name for one in found.header.findings] == ["gguf-big-endian"] * (order == "BIG")
    assert {n: (t.dtype, t.shape, t.bytes) for n, t in found.header.tensors.items()} == expected
    assert found.values["llama.attention.head_count_kv"] == [2, 2, 1]
    reader = gguf.GGUFReader(path)
    assert {
        t.name: (t.tensor_type.name, tuple(int(d) for d in t.shape)[::-1], int(t.n_bytes)) for t in reader.tensors
    } == expected


def test_the_table_of_types_is_that_of_the_package() -> None:
    gguf = pytest.importorskip("gguf")
    sizes = {int(kind): (kind.name, *size) for kind, size in gguf.GGML_QUANT_SIZES.items()}
    assert {number: (one.name, one.elements, one.bytes) for number, one in TYPES.items()} == sizes


@pytest.mark.parametrize("form", [True, False])
def test_torch(tmp_path: Path, form: bool) -> None:
    torch = pytest.importorskip("torch")
    names = [
        "float32",
        "float16",
        "bfloat16",
        "float64",
        "int64",
        "int32",
        "int16",
        "int8",
        "uint8",
        "bool",
        "complex64",
    ]
    if form:
        names += ["float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64"]
    state: dict[str, Any] = {f"layer.{n}": torch.zeros(3, 4).to(getattr(torch, n)) for n in names}
    base = torch.zeros(10, 6)
    state |= {"view": base[2:5].T, "tied": base, "again": base, "scalar": torch.tensor(1.0), "empty": torch.zeros(0, 3)}
    state["parameter"] = torch.nn.Parameter(torch.zeros(7))
    path = tmp_path / "pytorch_model.bin"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.save(state, path, _use_new_zipfile_serialization=form)
    found = read_torch(*opened(path))
    assert [one.name for one in found.header.findings] == ["storage-shared"]
    assert {n: (t.shape, t.bytes) for n, t in found.header.tensors.items()} == {
        n: (tuple(t.shape), t.numel() * t.element_size()) for n, t in state.items()
    }
    assert found.ties == (("tied", "again"),)
    assert found.header.cut == ()


@pytest.mark.parametrize("form", [True, False])
def test_a_training_checkpoint_of_torch(tmp_path: Path, form: bool) -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.zeros(3, 4)).sum().backward()
    optimizer.step()
    path = tmp_path / "last.ckpt"
    saved = {"epoch": 3, "state_dict": model.state_dict(), "optimizer_states": [optimizer.state_dict()]}
    torch.save(saved, path, _use_new_zipfile_serialization=form)
    found = read_torch(*opened(path))
    assert {n: t.shape for n, t in found.header.tensors.items()} == {
        n: tuple(t.shape) for n, t in model.state_dict().items()
    }
    assert (found.inside, found.header.cut) == ("state_dict", ())
    torch.save(model, path, _use_new_zipfile_serialization=form)
    whole = read_torch(*opened(path))
    assert whole.header.tensors == found.header.tensors
    assert [one.name for one in whole.header.findings] == ["pickle-holds-objects"]


@pytest.mark.parametrize("packed", [True, False])
def test_numpy(tmp_path: Path, packed: bool) -> None:
    np = pytest.importorskip("numpy")
    state = {"a.weight": np.zeros((3, 4), np.float32), "b": np.zeros((), np.float16), "c": np.zeros((2, 0), ">i8"),
             "d": np.asfortranarray(np.zeros((5, 6)))}  # fmt: skip
    path = tmp_path / "weights.npz"
    (np.savez_compressed if packed else np.savez)(path, **state)
    found = read_numpy(*opened(path))
    assert found.findings == ()
    assert {n: (t.shape, t.bytes) for n, t in found.tensors.items()} == {
        n: (a.shape, a.nbytes) for n, a in state.items()
    }
