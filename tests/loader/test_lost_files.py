"""Files of one set that are lost for one reason are one finding, whatever their number."""

from __future__ import annotations

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


def holding(content: bytes) -> Callable[[Path], None]:
    def write_it(path: Path) -> None:
        path.write_bytes(content)

    return write_it


LOST: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "pointers": (holding(POINTER.encode()), "R005", "files are git-lfs pointers, not the weights"),
    "empty": (holding(b""), "R005", "files are empty"),
    "zeros": (holding(b"\0" * 100_000), "R005", "files are filled with zeros"),
    "web pages": (holding(b"<!DOCTYPE html><html>" + b" " * 100), "R005", "files are web pages"),
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


def test_without_all_names_the_whole_repository_is_fetched(tmp_path: Path) -> None:
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
