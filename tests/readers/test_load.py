"""Folders and files of other formats are loaded by the same function as safetensors."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import pytest

from inspector import audit
from inspector.dialects.reading import with_stated_config
from inspector.loader.checkpoint import Checkpoint, load
from tests.attacks.dummies import healthy
from tests.checkpoints import genuine
from tests.make_checkpoints import SMALL_LLAMA
from tests.readers.file_builders import Code, Gguf, archive, arrays, legacy, plain_array, small_llama, state


def read(folder: Path, files: dict[str, bytes], name: str = "", weights: str | None = None) -> Checkpoint:
    for file, raw in files.items():
        (folder / file).write_bytes(raw)
    return load(str(folder / name), weights=weights)


def rules(checkpoint: Checkpoint) -> list[str]:
    return [one.name for one in checkpoint.findings]


BIN = archive(state(("a.weight", (4,)), ("b.weight", (2, 2))), {"0": bytes(16), "1": bytes(16)})


@pytest.mark.parametrize("name", ["", "model.gguf"])
def test_gguf(tmp_path: Path, name: str) -> None:
    checkpoint = read(tmp_path, {"model.gguf": small_llama()}, name)
    assert rules(checkpoint) == []
    assert checkpoint.set_name == "model.gguf"
    assert checkpoint.file_of["blk.1.ffn_up.weight"] == "model.gguf"
    assert checkpoint.config is None
    assert checkpoint.metadata is not None and checkpoint.metadata.values["llama.block_count"] == 2
    stated = with_stated_config(checkpoint)
    assert stated.config is not None and stated.config.values["num_hidden_layers"] == 2
    assert with_stated_config(stated) is stated


def test_gguf_in_parts(tmp_path: Path) -> None:
    first = [("split.no", "u16", 0), ("split.count", "u16", 2), ("split.tensors.count", "i32", 2)]
    pairs = [("general.architecture", "text", "llama"), *first]
    one = Gguf().file([("token_embd.weight", (8, 4), 0, 128)], pairs)
    two = Gguf().file([("output_norm.weight", (8,), 0, 32)], [("split.no", "u16", 1), ("split.count", "u16", 2)])
    files = {"m-00001-of-00002.gguf": one, "m-00002-of-00002.gguf": two}
    checkpoint = read(tmp_path, files)
    assert rules(checkpoint) == []
    assert set(checkpoint.tensors) == {"token_embd.weight", "output_norm.weight"}
    (tmp_path / "m-00002-of-00002.gguf").unlink()
    assert rules(load(str(tmp_path))) == ["shard-missing"]


def test_weights_chooses_another_format(tmp_path: Path) -> None:
    files = {"model.safetensors": healthy("s"), "model.gguf": small_llama(), "pytorch_model.bin": BIN}
    assert set(read(tmp_path, files).tensors) == {"s"}
    assert len(read(tmp_path, files, weights="model.gguf").tensors) == 21
    assert set(read(tmp_path, files, weights="pytorch_model.bin").tensors) == {"a.weight", "b.weight"}


def test_shards_of_torch_with_an_index(tmp_path: Path) -> None:
    names = [f"pytorch_model-{n:05}-of-00002.bin" for n in (1, 2)]
    index = {"metadata": {"total_size": 32}, "weight_map": {"a": names[0], "b": names[1]}}
    files = {
        names[0]: archive(state(("a", (4,))), {"0": bytes(16)}),
        names[1]: legacy(state(("b", (4,))), {"0": (4, bytes(16))}),
        "pytorch_model.bin.index.json": json.dumps(index).encode(),
    }
    checkpoint = read(tmp_path, files)
    assert rules(checkpoint) == []
    assert dict(checkpoint.file_of) == {"a": names[0], "b": names[1]}
    (tmp_path / names[1]).unlink()
    assert rules(load(str(tmp_path))) == ["shard-missing"]


NAMESPACE = Code().text("args").name("argparse", "Namespace").add(b")\x81").raw[2:]
"""An entry of a dict with an argparse.Namespace, as opcodes."""


@pytest.mark.thinned
@pytest.mark.parametrize(
    ("other_files", "more", "rule"),
    [
        (b"", {}, None),
        (b"", {"code/__torch__.py": b""}, "torchscript-program"),
        (NAMESPACE, {}, "pickle-holds-objects"),
        (b"", {"more.pkl": b"}(" + NAMESPACE + b"u."}, "pickle-holds-objects"),
        (b"", {"more.pkl": b"cos\nsystem\n(V\ntR."}, "pickle-runs-code"),
    ],
    ids=["state dict", "torchscript", "objects", "objects aside", "code aside"],
)
@pytest.mark.parametrize("config", [True, False], ids=["with config", "alone"])
def test_pickles_refused_by_weights_only_are_an_error_where_transformers_reads_them(
    tmp_path: Path, other_files: bytes, more: dict[str, bytes], rule: str | None, config: bool
) -> None:
    spec = genuine(SMALL_LLAMA)
    storages = {str(at): bytes(4 * prod(shape)) for at, (_, shape) in enumerate(spec.values())}
    pickled = state(*((name, shape) for name, (_, shape) in spec.items())).removesuffix(b"u.") + other_files + b"u."
    weights = archive(pickled, storages, more=more)
    (tmp_path / "pytorch_model.bin").write_bytes(weights)
    if config:
        (tmp_path / "config.json").write_text(json.dumps(SMALL_LLAMA))
    audited = audit(tmp_path)
    found = {one.name: one.severity for one in audited.findings if one.code.startswith("H")}
    refused = config and rule is not None and "more.pkl" not in more
    error = refused or rule == "pickle-runs-code"
    assert found == ({} if rule is None else {rule: "error" if error else "warning"})
    outcomes = {one.outcome for one in audited.loads if one.loader == "transformers"}
    assert outcomes == ({"refuses"} if refused or not config else {"complete"})


def test_ties_of_torch(tmp_path: Path) -> None:
    checkpoint = read(
        tmp_path, {"pytorch_model.bin": archive(state(("a", (4,)), ("b", (4,)), shared=True), {"0": bytes(16)})}
    )
    assert checkpoint.ties == (("a", "b"),)
    assert rules(checkpoint) == ["storage-shared"]


def test_numpy(tmp_path: Path) -> None:
    array = plain_array("<f4", "(3,)", bytes(12))
    assert set(read(tmp_path, {"weights.npz": arrays(x=array)}).tensors) == {"x"}
    assert set(read(tmp_path, {"one.npy": array}, "one.npy").tensors) == {"arr_0"}


def test_partitions_are_not_weights(tmp_path: Path) -> None:
    checkpoint = read(tmp_path, {"mp_rank_00_model_states.pt": BIN, "zero_to_fp32.py": b""})
    assert rules(checkpoint) == ["no-weights"]
    assert not checkpoint.readable


def test_weights_emptied(tmp_path: Path) -> None:
    pickle = state(("a.weight", (0,)), ("b.weight", (0,)), ("c.weight", (0,)))
    assert rules(read(tmp_path, {"pytorch_model.bin": archive(pickle, {"0": b"", "1": b"", "2": b""})})) == [
        "weights-emptied"
    ]


@pytest.mark.parametrize(
    ("name", "raw", "rule"),
    [
        ("model.gguf", b"GGUF", "header-truncated"),
        ("model.gguf", b"version https://git-lfs.github.com/spec/v1\n", "not-a-checkpoint"),
        ("pytorch_model.bin", b"<html>", "not-a-checkpoint"),
        ("pytorch_model.bin", b"", "not-a-checkpoint"),
        ("weights.npz", b"PK\3\4", "archive-malformed"),
    ],
)
def test_invalid_files(tmp_path: Path, name: str, raw: bytes, rule: str) -> None:
    checkpoint = read(tmp_path, {name: raw})
    assert (rules(checkpoint), checkpoint.readable) == ([rule], False)


def test_a_named_pipe_is_refused(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "model.gguf")
    assert rules(load(str(tmp_path))) == ["not-a-regular-file"]


@pytest.mark.parametrize(
    ("kind", "reserved", "found"),
    [
        (146, 4 * 2052, ["dtype-unknown"]),
        (146, 4 * 2048, ["dtype-unknown", "gguf-offsets-odd"]),
        (139, 4 * 16 * 144, ["dtype-unknown"]),
        (139, 4 * 16 * 128, ["dtype-unknown", "gguf-offsets-odd"]),
        (250, 32, ["dtype-unknown"]),
    ],
)
def test_types_of_ik_llama_cpp_have_known_sizes(kind: int, reserved: int, found: list[str], tmp_path: Path) -> None:
    """IQ4_KSS begins each row of 16 blocks with a scale of 4 bytes; nothing is known of type 250."""
    tensors = [("blk.0.ffn_up.weight", (4096, 4), kind, reserved), ("blk.0.ffn_norm.weight", (4096,), 0, 4096 * 4)]
    checkpoint = read(tmp_path, {"model.gguf": Gguf().file(tensors)})
    assert rules(checkpoint) == found
    unknown = checkpoint.findings[0]
    assert ("ik_llama.cpp" in unknown.help) is ("of ik_llama.cpp)" in str(unknown.facts)) is (kind != 250)


@pytest.mark.parametrize(("first", "there"), [(b'{"a"', True), (b"\0\0\0\0", False)])
def test_a_header_over_the_limit_may_be_one(first: bytes, there: bool, tmp_path: Path) -> None:
    """safetensors writes a header of any length, and reads none over its limit."""
    length = 100_000_008
    path = tmp_path / "model.safetensors"
    path.write_bytes(length.to_bytes(8, "little") + first)
    with path.open("r+b") as file:
        file.truncate(8 + length + 64)
    (finding,) = (one for one in load(str(tmp_path)).findings if one.severity == "error")
    assert (finding.code, "several files" in finding.help) == ("H102", there)
