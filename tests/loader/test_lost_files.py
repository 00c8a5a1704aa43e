"""Files of one set that are lost for the same reason are one finding, for any number of files."""

from __future__ import annotations

import base64
import hashlib
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.findings.finding import Finding
from inspector.loader.checkpoint import load
from tests.checkpoints import genuine, write
from tests.sparse_models import LLAMA8B

SHARDS = 12
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 123456\n".format("a" * 64)


def absent(path: Path) -> None:
    path.unlink()


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("blobs/" + "0" * 64)


def with_content(content: bytes) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.write_bytes(content)

    return damage


LOST: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "pointers": (with_content(POINTER.encode()), "R005", "files are git-lfs pointers, not the weights"),
    "empty": (with_content(b""), "R005", "files are empty"),
    "zeros": (with_content(b"\0" * 100_000), "R005", "files are filled with zeros, at least at their beginning"),
    "web pages": (with_content(b"<!DOCTYPE html><html>" + b" " * 100), "R005", "files are web pages"),
    "absent": (absent, "S201", f"of {SHARDS} shards"),
    "links": (link, "S201", f"of {SHARDS} shards"),
}


def damaged(folder: Path, kind: str, files: int) -> list[Finding]:
    """The findings of a model of 12 shards of which some are lost."""
    config = LLAMA8B | {"num_hidden_layers": 4}
    write(folder, genuine(config), config, shards=SHARDS)
    for path in sorted(folder.glob("*.safetensors"))[2 : 2 + files]:
        LOST[kind][0](path)
    return list(load(str(folder)).findings)


@pytest.mark.parametrize("files", [2, 9])
@pytest.mark.parametrize("kind", LOST)
def test_several_files_are_one_finding(kind: str, files: int, tmp_path: Path) -> None:
    (finding,) = damaged(tmp_path, kind, files)
    _, code, words = LOST[kind]
    assert (finding.code, finding.severity, finding.place.file) == (code, "error", None)
    assert finding.title == f"{files} {words}"
    names = [f"model-{number:05}-of-{SHARDS:05}.safetensors" for number in range(3, 3 + files)]
    assert finding.facts["files"] == files
    assert list(finding.facts["names"]) == names
    assert finding.facts["layers"]


@pytest.mark.parametrize("kind", LOST)
def test_one_file_is_named(kind: str, tmp_path: Path) -> None:
    (finding,) = damaged(tmp_path, kind, 1)
    assert (finding.code, finding.place.file) == (LOST[kind][1], "model-00003-of-00012.safetensors")


def test_different_reasons_are_different_findings(tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 4}
    write(tmp_path, genuine(config), config, shards=SHARDS)
    paths = sorted(tmp_path.glob("*.safetensors"))
    for path, kind in zip(paths, ["empty", "absent", "empty", "absent", "pointers", "links"], strict=False):
        LOST[kind][0](path)
    found = [(one.code, one.facts.get("files"), one.place.file) for one in load(str(tmp_path)).findings]
    assert sorted(found, key=str) == sorted(
        [
            ("R005", 2, None),
            ("R005", None, paths[4].name),
            ("S201", 2, None),
            ("S201", None, paths[5].name),
        ],
        key=str,
    )


def test_without_all_names_the_whole_repository_is_downloaded(tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 4}
    write(tmp_path, genuine(config), config, shards=30)
    for path in sorted(tmp_path.glob("*.safetensors"))[2:]:
        path.unlink()
    (finding,) = load(str(tmp_path)).findings
    known = finding.from_origin("org/name", "main").remedy()  # type: ignore[attr-defined]
    assert known.words == "hf download org/name --revision main --force-download"


def test_the_command_fetches_all_of_them(tmp_path: Path) -> None:
    finding = damaged(tmp_path, "absent", 3)[0]
    assert finding.remedy().words == "download these files again"
    known = finding.from_origin("org/name", "main").remedy()  # type: ignore[attr-defined]
    names = [f"model-{number:05}-of-{SHARDS:05}.safetensors" for number in range(3, 6)]
    assert known.words == f"hf download org/name {' '.join(names)} --revision main --force-download"
    assert [step.file for step in known.steps] == names


@pytest.mark.parametrize(("member", "advice"), [
    ("archive/data.pkl", "rename it to pytorch_model.bin"), ("model.safetensors", "unpack it and audit the content"),
    ("weights/model.safetensors", "unpack it and audit the content"),
])  # fmt: skip
def test_only_an_archive_of_torch_gets_its_name(tmp_path: Path, member: str, advice: str) -> None:
    with zipfile.ZipFile(tmp_path / "model.safetensors", "w") as archive:
        archive.writestr(member, b"x" * 100)
    (finding,) = load(str(tmp_path)).findings
    assert (finding.code, finding.help) == ("R005", advice)


def test_an_archive_under_its_own_name_is_read_as_one(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("model.safetensors", b"x" * 100)
    (finding,) = load(str(tmp_path / "model.zip")).findings
    assert finding.help == "audit zip://model.zip, or unpack it"


LINK = "../../blobs/" + "ab12" * 16


@pytest.mark.parametrize(("content", "files", "words"), [
    (LINK, ("config.json", "model.safetensors"), "2 files are the texts of symbolic links"),
    ("!<symlink>\xff\xfe/x\0", ("config.json", "model.safetensors"), "2 files are the texts of symbolic links"),
    (POINTER, ("config.json", "model.safetensors"), "2 files are git-lfs pointers, not the files themselves"),
    (LINK, ("model.safetensors",), "model.safetensors is the text of a symbolic link"),
    ("# xet version 0\nfilesize = 385728\n", ("model.safetensors",), "model.safetensors is a Xet pointer"),
    ("see ../../blobs for the weights", ("model.safetensors",), "model.safetensors is plain text"),
])  # fmt: skip
def test_the_content_in_place_of_a_file_is_named(
    content: str, files: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    config = LLAMA8B | {"num_hidden_layers": 1}
    write(tmp_path, genuine(config), config)
    for name in files:
        (tmp_path / name).write_bytes(content.encode("latin-1"))
    found = [one for one in load(str(tmp_path)).findings if one.severity == "error"]
    assert len(found) == 1
    assert found[0].headline().startswith(words)
    assert ("cp -rL" in found[0].help) == ("symbolic" in words)


@pytest.mark.parametrize(("names", "words"), [
    (("model.zip",), "unpack model.zip and audit"),
    (("model.tar.gz",), "unpack model.tar.gz and audit"),
    (("model.safetensors.zst",), "unpack model.safetensors.zst and audit"),
    (("model.7z.001", "model.7z.002"), "cat model.7z.* > model.7z, and unpack it"),
    (("vocab.txt.gz",), "download model.safetensors"),
    (("openvino_model.bin", "openvino_model.xml"), "load it with OpenVINO"),
    (("params_shard_0.bin", "params_shard_1.bin", "ndarray-cache.json"), "load it with MLC LLM"),
    (("model.pt2",), "load it with torch.export.load"),
    (("tf_model.h5",), "from_tf=True"),
    (("diffusion_flax_model.msgpack",), "convert these files to safetensors"),
    (("tf_model.h5", "flax_model.msgpack"), "convert these files to safetensors"),
    (("model.safetensors.xltd",), "finish the download"),
])  # fmt: skip
def test_the_files_in_a_folder_without_weights_are_named(names: tuple[str, ...], words: str, tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 1}
    write(tmp_path, genuine(config), config)
    (tmp_path / "model.safetensors").unlink()
    for name in names:
        (tmp_path / name).write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(range(256)))
    (finding,) = (one for one in load(str(tmp_path)).findings if one.severity == "error")
    assert (finding.code, finding.help.startswith(words)) == ("R003", True) or words in finding.help


@pytest.mark.parametrize(("below", "class_name", "words"), [
    ("checkpoint-9/unet", "UNet2DConditionModel", 'with unet=UNet2DConditionModel.from_pretrained("checkpoint-9/'),
    ("transformer", "FluxTransformer2DModel", 'with transformer=FluxTransformer2DModel.from_pretrained("transformer")'),
    ("checkpoint-9", "UNet2DConditionModel", "pass the folder with the weights: checkpoint-9"),
    ("checkpoint-9/unet", None, "pass the folder with the weights: checkpoint-9/unet"),
])  # fmt: skip
def test_a_component_alone_is_no_pipeline(below: str, class_name: str | None, words: str, tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 1}
    folder = tmp_path / below
    folder.mkdir(parents=True)
    write(folder, genuine(config), {} if class_name is None else {"_class_name": class_name})
    (finding,) = (one for one in load(str(tmp_path)).findings if one.severity == "error")
    assert finding.code == "R003"
    assert words in finding.help


@pytest.mark.parametrize(("name", "words"), [
    ("medium_ft.pkl", "pass medium_ft.pkl to see what it stores; if it is not the model, download"),
    ("best.pickle", "pass best.pickle to see what it stores; if it is not the model, download"),
    ("random_states_0.pkl", "download model.safetensors"),
])  # fmt: skip
def test_a_pickle_under_another_ending_may_be_the_model(name: str, words: str, tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 1}
    write(tmp_path, genuine(config), config)
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / name).write_bytes(pickle.dumps({"weight": [1, 2, 3]}, protocol=2))
    (finding,) = (one for one in load(str(tmp_path)).findings if one.severity == "error")
    assert finding.help.startswith(words)


@pytest.mark.parametrize("lost", [False, True])
def test_shards_are_only_moved_from_a_folder_that_has_them_all(lost: bool, tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 2}
    write(tmp_path, genuine(config), config, shards=3)
    (tmp_path / "weights").mkdir()
    second, third = sorted(tmp_path.glob("*.safetensors"))[1:]
    second.rename(tmp_path / "weights" / second.name)
    if lost:
        third.unlink()
    (finding,) = load(str(tmp_path)).findings
    words = "download these files again" if lost else "move this file from weights here, next to the index"
    assert (finding.code, finding.help) == ("S201", words)


@pytest.mark.parametrize(("trace", "words"), [(".aria2", "let aria2 finish it"), (".part", "or delete the stale")])
def test_an_unfinished_download(trace: str, words: str, tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 1}
    write(tmp_path, genuine(config), config)
    (tmp_path / f"model.safetensors{trace}").write_bytes(b"0")
    (finding,) = load(str(tmp_path)).findings
    assert (finding.code, words in finding.help) == ("R010", True)


@pytest.mark.parametrize("ending", [".aria2", ".part", ".partial"])
@pytest.mark.parametrize("stored", ["cut", "empty", "zeros", "missing"])
def test_a_shard_lost_by_an_unfinished_download(stored: str, ending: str, tmp_path: Path) -> None:
    """One finding, with the partial file; the same file next to another shard does not change the finding."""
    config = LLAMA8B | {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128, "vocab_size": 500}
    write(tmp_path, genuine(config), config, shards=3)
    shard, other = sorted(tmp_path.glob("*.safetensors"))[1:]
    half = shard.read_bytes()[: shard.stat().st_size // 2]
    shard.unlink()
    if stored != "missing":
        shard.write_bytes({"cut": half, "empty": b"", "zeros": b"\0" * len(half)}[stored])
    (before,) = load(str(tmp_path)).findings
    partial = tmp_path / f"{shard.name}{ending}"
    partial.write_bytes(b"0")
    (finding,) = load(str(tmp_path)).findings
    assert (finding.code, finding.facts["unfinished"]) == (before.code, [partial.name])
    assert partial.name in finding.help and before.help in finding.help
    partial.rename(tmp_path / f"{other.name}{ending}")
    assert {one.code for one in load(str(tmp_path)).findings} == {before.code, "R010"}


@pytest.mark.parametrize(("stored", "begun"), [
    ("missing", True), ("zeros", True), ("missing", False), ("whole", True),
])  # fmt: skip
def test_a_shard_that_hf_download_has_begun(stored: str, begun: bool, tmp_path: Path) -> None:
    """Its partial file has the hash of the name of the shard; that of another file changes nothing."""
    config = LLAMA8B | {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128, "vocab_size": 500}
    write(tmp_path, genuine(config), config, shards=3)
    if stored == "missing":
        (tmp_path / "model-00002-of-00003.safetensors").unlink()
    elif stored == "zeros":
        (tmp_path / "model-00002-of-00003.safetensors").write_bytes(bytes(4096))
    folder = tmp_path / ".cache" / "huggingface" / "download"
    folder.mkdir(parents=True)
    name = "model-00002-of-00003.safetensors" if begun else "tokenizer.json"
    digest = hashlib.sha1(f"{name}.metadata".encode(), usedforsecurity=False).digest()
    partial = folder / f"{base64.urlsafe_b64encode(digest).decode()}.0a1b2c.incomplete"
    partial.write_bytes(b"0")
    found = load(str(tmp_path)).findings
    assert len(found) == (stored != "whole")
    path = partial.relative_to(tmp_path).as_posix()
    assert all((one.facts.get("unfinished") == [path]) == begun for one in found)
    place = f"a partial file in {folder.relative_to(tmp_path).as_posix()}"
    assert all((place in one.help) == begun and partial.name not in one.help for one in found)


def test_a_shard_with_a_partial_file_beside_it(tmp_path: Path) -> None:
    config = LLAMA8B | {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128, "vocab_size": 500}
    write(tmp_path, genuine(config), config, shards=3)
    shard = tmp_path / "model-00002-of-00003.safetensors"
    shard.rename(f"{shard}.incomplete")
    (finding,) = load(str(tmp_path)).findings
    assert finding.help.startswith("let the download finish that left a partial file in this folder, or ")


@pytest.mark.parametrize("ending", ["onnx", "h5", "msgpack"])
def test_pointers_of_other_formats(ending: str, tmp_path: Path) -> None:
    """Without any readable file they are one finding, in addition to the one about missing weights."""
    for name in ("decoder_model", "decoder_with_past_model", "encoder_model"):
        (tmp_path / f"{name}.{ending}").write_text(POINTER, encoding="utf-8")
    first, second = load(str(tmp_path)).findings
    assert (first.code, second.code, second.facts["files"]) == ("R003", "R005", 3)
