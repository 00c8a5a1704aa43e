"""File systems: links, pipes, folders, sparse files of a terabyte, the Hugging Face cache."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.findings.reading.place import NotPermitted
from inspector.loader.checkpoint import Checkpoint, load
from inspector.loader.sources.local_reading import closed_folder
from tests.attacks.dummies import INDEX, entry, file_of, healthy, shard, two_shards

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


def rules(checkpoint: Checkpoint) -> set[str]:
    return {findings.name for findings in checkpoint.findings}


def put(folder: Path, files: dict[str, bytes]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    for name, raw in files.items():
        (folder / name).write_bytes(raw)
    return os.fspath(folder)


@pytest.mark.parametrize("path", ["", "/nowhere/at/all", "a\0b", "x" * 5000, "~nobody", "one/two/three"])
def test_no_such_path(path: str) -> None:
    checkpoint = load(path)
    assert rules(checkpoint) == {"not-found"}
    assert not checkpoint.readable


@POSIX
@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "/dev/stdin"])
def test_devices_are_not_checkpoints(device: str) -> None:
    if not os.path.exists(device):
        pytest.skip("no such device here")
    checkpoint = load(device)
    assert rules(checkpoint) <= {
        "not-a-regular-file",
        "not-a-checkpoint",
        "header-truncated",
        "not-permitted",
    }
    assert not checkpoint.readable


@POSIX
@pytest.mark.parametrize("name", ["model.safetensors", "config.json", INDEX, shard(2, 2)])
@pytest.mark.parametrize("kind", ["pipe", "directory", "socket", "loop", "broken link"])
def test_other_kinds_of_files_under_the_name(
    tmp_path: Path, name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = put(tmp_path, {**two_shards(), "config.json": b"{}"} if name != "model.safetensors" else {})
    path = tmp_path / name
    path.unlink(missing_ok=True)
    monkeypatch.chdir(tmp_path)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        socket.socket(socket.AF_UNIX).bind(name)
    else:
        path.symlink_to(name if kind == "loop" else "gone")
    checkpoint = load(folder)
    expected = {
        "config.json": {"config-unreadable"},
        INDEX: {"index-unreadable"},
        "model.safetensors": {"not-found"} if "l" in kind[:1] + kind[-1:] else {"not-a-regular-file"},
    }.get(name, {"not-a-regular-file"})
    if kind in ("loop", "broken link") and name in ("model.safetensors", shard(2, 2)):
        expected = {"not-found"}
        if kind == "broken link" and name == shard(2, 2):
            expected = {"shard-missing"}
    elif name == "model.safetensors":
        expected = {"not-a-regular-file"}
    assert rules(checkpoint) == expected
    assert checkpoint.readable == (name != "model.safetensors")
    assert kind != "loop" or not any("spelling" in one.help for one in checkpoint.findings)


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_not_permitted(tmp_path: Path, what: str) -> None:
    folder = put(tmp_path / "m", {"model.safetensors": healthy("a")})
    locked = folder if what == "folder" else os.path.join(folder, "model.safetensors")
    os.chmod(locked, 0)
    try:
        assert rules(load(folder)) == {"not-permitted"}
    finally:
        os.chmod(locked, 0o755)


CLOSED = {
    # closed paths: the folder that is named
    ("m",): "m", ("m/model.safetensors",): "", ("elsewhere",): "", ("m", "m/model.safetensors"): "m", (): "",
}  # fmt: skip


@POSIX
@pytest.mark.parametrize("closed", CLOSED, ids=str)
@pytest.mark.parametrize("source", ["m", "m/model.safetensors"])
def test_the_folder_that_denies_access_is_named(
    tmp_path: Path, closed: tuple[str, ...], source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in a folder without the right to enter it cannot be made readable by its own mode."""
    put(tmp_path / "m", {"model.safetensors": healthy("a")})
    shut = [str(tmp_path / name) for name in closed]
    monkeypatch.setattr(os, "access", lambda path, mode: path not in shut)
    named = closed_folder(str(tmp_path / source))
    assert named == (str(tmp_path / CLOSED[closed]) if CLOSED[closed] else "")
    finding = NotPermitted(reason="permission", detail="Permission denied", folder=named)
    assert ("chmod u+rx" in finding.help) == bool(CLOSED[closed])


@POSIX
def test_an_error_of_the_system_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put(tmp_path, two_shards())
    opened = os.open

    def refusing(path: str, flags: int, *more: int) -> int:
        if str(path).endswith(shard(2, 2)):
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", refusing)
    checkpoint = load(folder)
    assert rules(checkpoint) == {"not-permitted"}
    assert checkpoint.lost == {shard(2, 2): ("c",)}


@POSIX
def test_a_sparse_terabyte(tmp_path: Path) -> None:
    size = 10**12
    raw = file_of({"a": entry("U8", (size,), 0, size)})
    folder = put(tmp_path, {"model.safetensors": raw})
    try:
        os.truncate(tmp_path / "model.safetensors", len(raw) + size)
    except OSError:
        pytest.skip("the file system has no files of this size")
    checkpoint = load(folder)
    assert not checkpoint.findings
    assert checkpoint.tensors["a"].bytes == checkpoint.files[0].data_bytes == size


@POSIX
def test_the_hugging_face_cache(tmp_path: Path) -> None:
    repository = tmp_path / "hub" / "models--org--name--x"
    blobs = repository / "blobs"
    put(blobs, {str(n): raw for n, raw in enumerate(two_shards().values())})
    snapshot = repository / "snapshots" / ("ab" * 20)
    snapshot.mkdir(parents=True)
    for n, name in enumerate(two_shards()):
        (snapshot / name).symlink_to(f"../../blobs/{n}")
    put(repository / "refs", {"main": b"ab" * 20})
    (repository / "snapshots" / "another").mkdir()
    above = load(os.fspath(repository.parent))
    assert [one.facts["weights_in"] for one in above.findings if one.name == "no-weights"] == [[repository.name]]
    for path in (snapshot, repository, blobs):
        checkpoint = load(os.fspath(path))
        assert not checkpoint.findings
        assert checkpoint.title == "org/name/x"
        assert checkpoint.origin == ("org/name/x", "ab" * 20)
        assert len(checkpoint.tensors) == 3
    assert set(load(os.fspath(snapshot / shard(1, 2))).tensors) == {"a", "b"}
    assert set(load(os.fspath(blobs / "0")).tensors) == {"a", "b"}
    (blobs / "1").unlink()
    checkpoint = load(os.fspath(snapshot))
    assert rules(checkpoint) == {"shard-missing"}
    facts = checkpoint.findings[0].facts
    assert facts["link"] is True
    assert facts["repository"] == "org/name/x"


def test_one_file_of_a_folder(tmp_path: Path) -> None:
    put(tmp_path, {**two_shards(), "config.json": b'{"model_type":"x"}', "other.safetensors": healthy("z")})
    one = load(os.fspath(tmp_path / shard(1, 2)))
    assert one.partial
    assert not one.findings
    assert one.title == shard(1, 2)
    assert one.config is not None
    assert one.config.values == {"model_type": "x"}
    other = load(os.fspath(tmp_path / "other.safetensors"))
    assert not other.partial
    assert set(other.tensors) == {"z"}
    assert set(load(os.fspath(tmp_path / INDEX)).tensors) == {"a", "b", "c"}
    assert rules(load(os.fspath(tmp_path / "config.json"))) == {"not-a-checkpoint"}


def test_another_config(tmp_path: Path) -> None:
    put(tmp_path, {"model.safetensors": healthy("a"), "config.json": b"{}", "other.json": b'{"a":1}'})
    checkpoint = load(os.fspath(tmp_path), config=os.fspath(tmp_path / "other.json"))
    assert checkpoint.config is not None
    assert (checkpoint.config.file, checkpoint.config.values) == ("other.json", {"a": 1})
    assert rules(load(os.fspath(tmp_path), config="/nowhere.json")) == {"config-unreadable"}


@pytest.mark.parametrize(("text", "problem"), [
    ('{"a": 1,, "model_type": "llama"}', "has two commas in a row"),
    ('{"model_type": "llama", "hidden', "ends inside a string"),
    ('{"model_type": "llama", ', "is truncated"),
    ('{"model_type": "llama"}}', "has text after its end"),
    ('{"model_type": "llama"}\0\0', "is padded with NUL"),
    ('{"model_type": "lla' + "\0" * 40 + '", "vocab_size": 8}', "has zeros in place of text"),
    ('{"model_type": "llama", "vocab_size": ' + "\0" * 40, "has zeros in place of text"),
    ('{"model_type": "lla\nma"}', "is not JSON (invalid control character)"),
    ("{'model_type': 'llama'}", "has single quotes where JSON has double quotes"),
    ("{model_type: 'llama'}", "is not JSON (expecting property name enclosed in double quotes)"),
    ('{"model_type": "llama",\n}', "has a comma before a closing bracket"),
    ('{"architectures": ["LlamaForCausalLM", ]}', "has a comma before a closing bracket"),
    ('{\n  // the type\n  "model_type": "llama"}', "has a comment, which JSON does not allow"),
    ('{"model_type": "llama", # the type\n "a": 1}', "has a comment, which JSON does not allow"),
    ('{"tie_word_embeddings": True}', "has Python's words where JSON has true, false and null"),
    ("<<<<<<< HEAD\n{}", "contains unresolved git merge conflicts"),
])  # fmt: skip
def test_the_fault_of_a_config_is_described(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    found = [one for one in load(str(tmp_path)).findings if one.name == "config-unreadable"]
    assert [one.facts["problem"] for one in found] == [problem]


HEADER = b'{"a":{"dtype":"U8","shape":[16],"data_offsets":[0,16]},"b":{"dtype":"U8","shape":[8],"data_offsets":[9,17]}}'


@pytest.mark.parametrize(("header", "problem", "hole"), [
    (bytes(len(HEADER)), "is filled with zeros", True),
    (HEADER[:40] + bytes(40) + HEADER[80:], "has zeros in place of text", True),
    (HEADER[:40] + bytes(len(HEADER) - 40), "has zeros in place of text", True),
    (HEADER + bytes(40), "is padded with NUL", False),
    (HEADER[:40], "ends inside a string", False),
    (HEADER.decode().encode("utf-16-le"), "is UTF-16, not UTF-8", False),
    (HEADER.decode().encode("utf-16-be"), "is UTF-16, not UTF-8", False),
])  # fmt: skip
def test_a_hole_in_a_header_is_no_other_encoding(header: bytes, problem: str, hole: bool, tmp_path: Path) -> None:
    put(tmp_path, {"model.safetensors": len(header).to_bytes(8, "little") + header + bytes(range(17))})
    (found,) = (one for one in load(os.fspath(tmp_path)).findings if one.code == "H103")
    assert (found.facts["problem"], "was never written" in found.help) == (problem, hole)


@pytest.mark.parametrize(("text", "place"), [
    ('{\n "model_type": "é",\n "hidden_size": 8\n "vocab_size": 4\n}', "line 4, character 41"),
    ('{"model_type": llama}', "character 15"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["config.json", "model.safetensors.index.json"])
def test_the_position_of_a_syntax_error(name: str, text: str, place: str, tmp_path: Path) -> None:
    put(tmp_path, {"model-00001-of-00001.safetensors": healthy("a"), name: text.encode()})
    (found,) = (one for one in load(str(tmp_path)).findings if one.name in ("config-unreadable", "index-unreadable"))
    assert ("at", place) in found.lines


def test_the_garbage_collector_is_unchanged(tmp_path: Path) -> None:
    folder = put(tmp_path, {"model.safetensors": b"x"})
    load(folder)
    assert gc.isenabled()
    gc.disable()
    try:
        load(folder)
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.complete
@POSIX
def test_a_folder_of_many_files(tmp_path: Path) -> None:
    folder = put(tmp_path, {"model.safetensors": healthy("a")})
    for n in range(3_000):
        (tmp_path / f"{n:05d}.txt").touch()
    checkpoint = load(folder)
    assert not checkpoint.findings
    assert len(checkpoint.siblings) <= 1_000


@pytest.mark.complete
@POSIX
@pytest.mark.parametrize("heavy", ["lists", "strings", "numbers", "config"])
def test_memory_and_work_are_bounded(tmp_path: Path, heavy: str) -> None:
    bodies = {
        "lists": b'{"a":[' + b"[]," * 3_300_000 + b"1]}",
        "strings": b'{"a":[' + b'"ab",' * 1_980_000 + b"1]}",
        "numbers": b'{"a":[' + b"1.5," * 2_470_000 + b"1]}",
        "config": b'{"a":[' + b'"[",' * 12_000_000 + b"1]}",
    }
    body = bodies[heavy]
    if heavy == "config":
        folder = put(tmp_path, {"model.safetensors": healthy("a"), "config.json": body})
    else:
        folder = put(tmp_path, {"model.safetensors": len(body).to_bytes(8, "little") + body})
    program = (
        "import sys\n"
        "from inspector.loader.checkpoint import load\n"
        "from tests.steps import at_most\n"
        "with at_most(int(sys.argv[2])):\n"
        "    assert load(sys.argv[1]).findings\n"
        "print(int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]))\n"
    )
    if not os.path.exists("/proc/self/status"):
        pytest.skip("memory is read from /proc")
    run = subprocess.run(
        [sys.executable, "-c", program, folder, str(2 * len(body))], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < 200_000
