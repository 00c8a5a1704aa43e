"""The protocol of sources: `assemble` works with any implementation of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inspector.loader.checkpoint import assemble, load
from inspector.loader.header import stated_length
from inspector.loader.sources.folder import FolderSource
from inspector.loader.sources.source import Listing, Opening, Refusal, is_plain_name
from tests.attacks.dummies import healthy, shard, two_shards


@dataclass
class Memory:
    """Files in memory that arrive in the reverse order, as from a network, and hide their sizes."""

    files: dict[str, bytes]
    title: str = "memory"
    origin: tuple[str, str] | None = None
    asked: list[str] = field(default_factory=list)

    def listing(self) -> Listing:
        return Listing({name: len(raw) for name, raw in self.files.items()})

    def inside(self, folder: str) -> Refusal:
        return Refusal("absent", folder)

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        self.asked.append(name)
        return self.files[name] if name in self.files else Refusal("absent")

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        for name in reversed(list(names)):
            self.asked.append(name)
            raw = self.files[name]
            length = stated_length(raw[:8], None)
            yield name, Opening(None, raw[:512], None if length is None else raw[8 : 8 + length])

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        return self.files[name][offset : offset + length]


def test_a_source_of_another_kind() -> None:
    source = Memory(two_shards())
    checkpoint = assemble(source)
    assert not checkpoint.findings
    assert checkpoint.title == checkpoint.source == "memory"
    assert checkpoint.file_of == {"a": shard(1, 2), "b": shard(1, 2), "c": shard(2, 2)}
    assert sorted(file.data_bytes for file in checkpoint.files) == [1, 2]
    assert len(source.asked) == 3


def test_a_folder_gives_only_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"secret")
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "y").write_bytes(b"0123456789")
    source = FolderSource(os.fspath(folder), "inside")
    for name in ("../x", os.fspath(tmp_path / "x"), "", ".", ".."):
        assert isinstance(source.read_whole(name, 100), Refusal)
        assert isinstance(source.read_part(name, 0, 100), Refusal)
    assert source.read_whole("y", 10) == b"0123456789"
    refusal = source.read_whole("y", 9)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.size) == ("too-large", 10)
    assert source.read_part("y", 8, 10**12) == b"89"
    assert source.read_part("y", 80, 1) == b""


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("model-00001-of-00002.safetensors", True),
        ("modell-ü.safetensors", True),
        ("", False),
        ("..", False),
        ("a/b", False),
        ("a\\b", False),
        ("C:a", False),
        ("con.safetensors", False),
        ("x" * 256, False),
        ("a\0", False),
        ("a\u202eb", False),
        ("a ", False),
    ],
)
def test_plain_names(name: str, plain: bool) -> None:
    assert is_plain_name(name) is plain


@pytest.mark.parametrize(("length", "rules"), [(100_000_000, {"header-large"}), (100_000_001, {"header-length"})])
def test_the_limit_of_the_header(tmp_path: Path, length: int, rules: set[str]) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(length.to_bytes(8, "little") + b"{}" + b" " * (length - 2))
    assert {findings.name for findings in load(os.fspath(path)).findings} == rules


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(healthy("a"))
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, n, at: real(fd, n, at) if at == 0 else b"")
    checkpoint = load(os.fspath(path))
    assert [findings.name for findings in checkpoint.findings] == ["read-failed"]
    assert not checkpoint.readable
