"""Contents of a download: needed files, second copies, and the command that fetches only the needed ones."""

from __future__ import annotations

import fnmatch
import shlex

import pytest

from inspector.loader.sources.address import Address
from inspector.loader.sources.download import Download, download_of

ADDRESS = Address("hub", "org/name", "org/name")
SHARDS = {f"model-0000{n}-of-00002.safetensors": 1_000 for n in (1, 2)}
SMALL = {"config.json": 1, "tokenizer.json": 2, "README.md": 3, ".gitattributes": 1, "model.safetensors.index.json": 4}


def planned(sizes: dict[str, int], audited: dict[str, int], address: Address = ADDRESS) -> Download:
    return download_of(sizes, audited, address, "c" * 40)


def test_without_second_copies_nothing_is_left_out() -> None:
    found = planned({**SHARDS, **SMALL}, SHARDS)
    assert found.command == "hf download org/name"
    assert (found.needed, found.total) == (2_011, 2_011)


@pytest.mark.parametrize(
    ("copy", "kind"),
    [
        ("pytorch_model-00001-of-00002.bin", "pytorch"),
        ("pytorch_model.bin.index.json", "pytorch"),
        ("consolidated.safetensors", "other weights"),
        ("model.fp32.safetensors", "other weights"),
        ("model.fp32-00001-of-00009.safetensors", "other weights"),
        ("model-00001-of-00003.safetensors", "other weights"),
        ("model.safetensors.index.fp32.json", "other weights"),
        ("name-Q4_K_M.gguf", "gguf"),
        ("onnx/model.onnx", "onnx"),
        ("onnx/config.json", "onnx"),
        ("original/consolidated.00.pth", "original"),
        ("original/params.json", "original"),
        ("flax_model.msgpack", "flax"),
        ("model.nemo", "nemo"),
        ("tf_model.h5", "tensorflow"),
        ("rust_model.ot", "rust"),
        ("optimizer.pt", "training state"),
        ("rng_state_0.pth", "training state"),
        ("checkpoint-1/optimizer.pt", "training state"),
        ("checkpoint-1/model.safetensors", "training state"),
    ],
)
def test_second_copies(copy: str, kind: str) -> None:
    found = planned({**SHARDS, **SMALL, copy: 500}, SHARDS)
    assert [(one.kind, one.bytes) for one in found.copies] == [(kind, 500)]
    assert found.total - found.needed == 500
    words = shlex.split(found.command)
    patterns = [words[at + 1] for at, word in enumerate(words) if word == "--include"]
    matched = {name for name in (*SHARDS, *SMALL, copy) if any(fnmatch.fnmatch(name, one) for one in patterns)}
    assert matched == {*SHARDS, *SMALL}


def test_the_command_names_the_commit_of_another_revision() -> None:
    found = planned(SHARDS, SHARDS, Address("hub", "x", "org/name", "v1", "", "dataset"))
    assert found.command == f"hf download org/name --repo-type dataset --revision {'c' * 40}"


def test_components_of_a_pipeline_are_not_copies() -> None:
    sizes = {"unet/diffusion_pytorch_model.safetensors": 10, "vae/diffusion_pytorch_model.safetensors": 5}
    found = planned({**sizes, "vae/diffusion_pytorch_model.bin": 5}, {"unet/diffusion_pytorch_model.safetensors": 10})
    assert found.needed == 15
    assert [one.kind for one in found.copies] == ["pytorch"]


def test_names_are_quoted_for_a_shell() -> None:
    sizes = {**SHARDS, "a b;rm.safetensors": 5, "x$(y).json": 1, "x.gguf": 1}
    found = planned(sizes, {**SHARDS, "a b;rm.safetensors": 5})
    assert "'a b;rm.safetensors'" in found.command
    assert shlex.split(found.command)[:3] == ["hf", "download", "org/name"]


@pytest.mark.parametrize("folder", ["v2", "text_encoder", "checkpoint-2"])
def test_other_folders_than_the_one_that_is_asked_for_are_left_out(folder: str) -> None:
    own = {f"{folder}/{name}": size for name, size in {**SHARDS, **SMALL}.items()}
    audited = {f"{folder}/{name}": size for name, size in SHARDS.items()}
    others = {"v1/model.safetensors": 70, "v1/config.json": 1, "README.md": 1}
    found = planned({**own, **others}, audited, Address("hub", "x", "org/name", None, folder, "model"))
    assert (found.needed, found.total) == (2_011, 2_083)
    assert [(one.kind, one.bytes) for one in found.copies] == [("other folders", 72)]
    words = shlex.split(found.command)
    patterns = [words[at + 1] for at, word in enumerate(words) if word == "--include"]
    assert {name for name in (*own, *others) if any(fnmatch.fnmatch(name, one) for one in patterns)} == set(own)


def test_the_folder_of_a_single_file_is_needed() -> None:
    for folder in ("", "v2/"):
        sizes = {f"{folder}model.safetensors": 10, f"{folder}config.json": 1}
        address = Address("hub", "x", "org/name", None, f"{folder}model.safetensors", "model")
        assert planned(sizes, {f"{folder}model.safetensors": 10}, address).needed == 11
