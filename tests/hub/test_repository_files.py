"""Compares a folder with the repository it was downloaded from, and two repositories, file by file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector import Comparison, compare
from inspector.report.json_v1 import compare_json
from tests.checkpoints import write
from tests.hub.stand_in import StandIn
from tests.hub.test_cli import run
from tests.sparse_models import TINY, llama

SHARD = "model-00002-of-00004.safetensors"
SMALL = {
    "tokenizer.json": "{}", "README.md": "# tiny", "LICENSE": "free", "original/params.json": "{}",
    "original/consolidated.00.pth": "x" * 100, "pytorch_model.bin": "y" * 90,
}  # fmt: skip


@pytest.fixture
def served(hub: StandIn, tmp_path: Path) -> Path:
    """A typical repository: shards, a tokenizer, documents, second copies."""
    made = write(tmp_path / "served", dict(llama(TINY)), TINY, shards=4)
    for name, text in SMALL.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
    hub.add("org/model", made)
    return made


@pytest.fixture
def local(served: Path, tmp_path: Path) -> Path:
    """A download of the repository."""
    return Path(shutil.copytree(served, tmp_path / "local"))


def codes(compared: Comparison) -> set[str]:
    return {one.code for one in compared.findings if one.severity != "note"}


def notes(compared: Comparison) -> set[str]:
    return {one.code for one in compared.findings if one.severity == "note"}


@pytest.mark.parametrize("reversed_sides", [False, True])
def test_a_complete_download(local: Path, reversed_sides: bool) -> None:
    sides = (str(local), "org/model")
    compared = compare(*(sides[::-1] if reversed_sides else sides))
    assert compared.verdict == "clean"
    assert codes(compared) == notes(compared) == set()
    files = compared.files
    assert files is not None
    assert files.same == files.of == 4 + 2 + len(SMALL)
    assert files.unproven == 4 + 2  # shards, and the second copies
    assert files.proven == files.of - files.unproven
    assert "Not checked: content of 6 large files" in str(compared)


def test_hashes_prove_the_content(local: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    compared = compare(str(local), "org/model", hashes=True, progress=lambda *reported: seen.append(reported))
    assert compared.files is not None
    assert (compared.files.unproven, compared.files.proven) == (0, compared.files.of)
    assert codes(compared) == set()
    assert seen[-1][1] == 6
    assert seen[-1][2] == sum(
        path.stat().st_size for path in local.rglob("*") if path.suffix in (".safetensors", ".pth", ".bin")
    )


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def change(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(bytes(raw))


Damage = Callable[[Path], object]
DAMAGES: dict[str, tuple[Damage, set[str], str]] = {
    "a shard is missing": (lambda at: (at / SHARD).unlink(), {"V830"}, SHARD),
    "the index is missing": (lambda at: (at / "model.safetensors.index.json").unlink(), {"V830"}, "index.json"),
    "the tokenizer is missing": (lambda at: (at / "tokenizer.json").unlink(), {"V830"}, "tokenizer.json"),
    "a shard is truncated": (lambda at: truncate(at / SHARD), {"V831"}, SHARD),
    "the config was changed": (lambda at: change(at / "config.json"), {"V832"}, "config.json"),
    "the tokenizer was changed": (lambda at: change(at / "tokenizer.json"), {"V832"}, "tokenizer.json"),
    "weights of another save": (
        lambda at: shutil.copy(at / SHARD, at / "model-00002-of-00003.safetensors"), {"V833"}, "00003"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damage_is_reported(local: Path, name: str) -> None:
    damage, expected, named = DAMAGES[name]
    if name == "the config was changed":  # within a string, so that it stays a valid config
        path = local / "config.json"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"llama"', '"llama" ', 1)[:-1] + "}", encoding="utf-8")
    else:
        damage(local)
    compared = compare(str(local), "org/model")
    mine = {code for code in codes(compared) if code.startswith("V83")}
    assert mine == expected, compared.findings
    finding = next(one for one in compared.findings if one.code in expected)
    assert named in finding.message
    assert finding.help
    assert compared.verdict == "findings"


def test_a_changed_content_of_the_same_size_needs_its_hash(local: Path) -> None:
    change(local / SHARD)
    assert codes(compare(str(local), "org/model")) == set()
    compared = compare(str(local), "org/model", hashes=True)
    assert codes(compared) == {"V831"}
    assert "same size, different content" in str(compared)


def test_files_that_loading_does_not_need_may_be_absent(local: Path) -> None:
    shutil.rmtree(local / "original")
    for name in ("README.md", "LICENSE", "pytorch_model.bin"):
        (local / name).unlink()
    compared = compare(str(local), "org/model")
    assert codes(compared) == set()
    assert notes(compared) == {"V834"}
    assert compared.verdict == "clean"


def test_the_command_fetches_what_is_missing(local: Path) -> None:
    (local / SHARD).unlink()
    compared = compare(str(local), "org/model")
    finding = next(one for one in compared.findings if one.code == "V830")
    assert finding.facts["command"].startswith(f"hf download org/model {SHARD} --revision ")
    assert finding.facts["command"].endswith(f"--local-dir {local}")
    assert not [one for one in compared.findings if one.place.file == SHARD and one.code != "V830"]


def test_files_of_git_and_of_the_client_are_ignored(local: Path) -> None:
    for name in (".git/objects/x.bin", ".cache/huggingface/download/x.safetensors"):
        (local / name).parent.mkdir(parents=True)
        (local / name).write_bytes(b"1")
    assert codes(compare(str(local), "org/model")) == set()


def test_two_repositories_are_compared_by_what_the_hub_states(hub: StandIn, served: Path, local: Path) -> None:
    hub.add("org/copy", local)
    assert notes(compare("org/model", "org/copy")) == set()
    change(local / SHARD)
    (local / "tokenizer.json").unlink()
    (local / "new.txt").write_text("new", encoding="utf-8")
    compared = compare("org/model", "org/copy")
    assert notes(compared) == {"V835"}
    facts = next(one.facts for one in compared.findings if one.code == "V835")
    assert (facts["differing"], facts["gone"], facts["new"]) == ([SHARD], ["tokenizer.json"], ["new.txt"])
    assert compared.verdict == "clean"


def test_a_snapshot_of_the_cache(hub: StandIn, served: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "hub" / "models--org--model" / "snapshots" / ("a" * 40)
    blobs = snapshot.parents[1] / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    for number, path in enumerate(sorted(served.glob("*.*"))):
        shutil.copy(path, blobs / str(number))
        (snapshot / path.name).symlink_to(blobs / str(number))
    compared = compare(str(snapshot), "org/model")
    assert codes(compared) == set()
    (snapshot / SHARD).unlink()
    (snapshot / SHARD).symlink_to(blobs / "gone")
    assert "V830" in codes(compare("org/model", str(snapshot)))


def test_two_folders_have_no_reference(served: Path, local: Path) -> None:
    compared = compare(str(served), str(local))
    assert compared.files is None
    assert compare_json(compared)["files"] is None


def test_the_command_line(hub: StandIn, served: Path, local: Path, tmp_path: Path) -> None:
    hub.repositories["org/model"].branches["v1"] = next(iter(hub.repositories["org/model"].commits))
    truncate(local / SHARD)
    done = run(hub, tmp_path, "compare", str(local), "org/model", "--revision", "v1", "--hashes", "--format", "json")
    reported = json.loads(done.stdout)
    assert done.returncode == 1
    assert reported["files"]["differing"] == [SHARD]
    assert reported["files"]["local"] is True
    assert run(hub, tmp_path, "compare", "org/model", "org/model", "--revision", "v1").returncode == 2
    assert run(hub, tmp_path, "count", "org/model", "--revision", "v1").returncode == 0
    assert run(hub, tmp_path, "count", "org/model", "--revision", "v2").returncode == 3
