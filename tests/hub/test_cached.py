"""Checkpoints in the local cache of the Hub client, offline mode, and that neither makes a request."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from huggingface_hub import snapshot_download

from inspector.loader.checkpoint import Checkpoint, load
from tests.hub.conftest import equal, reported, rules
from tests.hub.stand_in import StandIn, commit_of


@pytest.fixture
def cache(hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that the real client has filled; connections are errors afterwards."""
    folder = tmp_path / "home" / "hub"
    snapshot_download("org/tiny", cache_dir=folder, endpoint=hub.endpoint, token=False)
    hub.forget()

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return folder


def repository(cache: Path) -> Path:
    return cache / "models--org--tiny"


def test_the_cache_is_read_and_the_revision_reported(hub: StandIn, cache: Path, truth: Checkpoint) -> None:
    commit = hub.repositories["org/tiny"].branches["main"]
    for text in ("org/tiny", "hf://org/tiny", "org/tiny@main", f"org/tiny@{commit}", f"org/tiny@{commit[:8]}"):
        checkpoint = load(text, cached=True)
        assert equal(checkpoint, truth)
        assert rules(checkpoint) == ["read-from-cache"]
        assert (checkpoint.commit, checkpoint.cached) == (commit, True)
        assert commit in reported(checkpoint)
    assert not hub.seen


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_mode_reads_the_cache(
    hub: StandIn, cache: Path, truth: Checkpoint, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    checkpoint = load("org/tiny")
    assert equal(checkpoint, truth)
    assert "no connection was made" in reported(checkpoint)
    checkpoint = load("org/other")
    assert rules(checkpoint) == ["not-cached"]
    assert "HF_HUB_OFFLINE" in reported(checkpoint)
    assert str(cache) in reported(checkpoint).replace(" ", "") or "cache" in reported(checkpoint)
    assert rules(load("org/tiny@v9")) == ["not-cached"]
    assert not hub.seen
    assert not hub.connections["hub"]


def test_an_older_revision_in_the_cache(hub: StandIn, cache: Path, single: Path, truth: Checkpoint) -> None:
    served = hub.repositories["org/tiny"]
    old = served.branches["main"]
    served.branches["main"] = commit_of("new")
    checkpoint = load("org/tiny", cached=True)
    assert equal(checkpoint, truth)
    assert old in reported(checkpoint)


def test_references_without_a_snapshot(cache: Path) -> None:
    reference = repository(cache) / "refs" / "main"
    reference.write_text("f" * 40)
    checkpoint = load("org/tiny", cached=True)
    assert rules(checkpoint) == ["not-cached"]
    assert "f" * 40 in reported(checkpoint)
    reference.write_text("../../../../etc")
    assert load("org/tiny", cached=True).readable  # the only snapshot there is


def test_incomplete_downloads(cache: Path, truth: Checkpoint) -> None:
    blobs = repository(cache) / "blobs"
    (blobs / "abc.incomplete").write_bytes(b"x")
    assert "1 download of this repository not finished" in reported(load("org/tiny", cached=True))
    snapshot = next((repository(cache) / "snapshots").iterdir())
    shard = snapshot / "model-00002-of-00004.safetensors"
    os.truncate(os.path.realpath(shard), shard.stat().st_size - 10)
    checkpoint = load("org/tiny", cached=True)
    assert "shard-cut" in rules(checkpoint)
    os.unlink(os.path.realpath(shard))
    assert "shard-missing" in rules(load("org/tiny", cached=True))


def test_a_folder_in_the_cache(cache: Path) -> None:
    assert rules(load("hf://org/tiny/nowhere", cached=True)) == ["inside-not-found"]
    one = load("hf://org/tiny/model-00001-of-00004.safetensors", cached=True)
    assert [file.name for file in one.files] == ["model-00001-of-00004.safetensors"]
    assert rules(load("./here", cached=True)) == ["address-not-understood"]
