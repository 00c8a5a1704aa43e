"""Buckets, archives and servers through fsspec: equal reports, read by ranges in parallel."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit_loaded
from inspector.loader.checkpoint import Checkpoint, load
from tests.checkpoints import write
from tests.hub.conftest import SHARDS, equal, reported, rules
from tests.sparse_models import TINY, header_bytes, llama

fsspec = pytest.importorskip("fsspec")


def same(remote: Checkpoint, local: Checkpoint) -> bool:
    """Whether both give the same report apart from the location."""
    one, other = audit_loaded(remote), audit_loaded(local)
    words = [(finding.code, finding.message) for finding in one.findings]
    return (
        equal(remote, local)
        and (one.counts, one.verdict, one.claims, one.skipped)
        == (other.counts, other.verdict, other.claims, other.skipped)
        and words == [(finding.code, finding.message) for finding in other.findings]
    )


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A bucket on moto's real server, with a small model, one of forty shards, and a damaged one."""
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    boto3 = pytest.importorskip("boto3")
    root = tmp_path_factory.mktemp("bucket")
    config = {**TINY, "num_hidden_layers": 30}
    write(root / "tiny", dict(llama(TINY)), TINY, shards=SHARDS)
    write(root / "many", dict(llama(config)), config, shards=40)
    write(root / "broken", dict(llama(TINY)), {**TINY, "num_key_value_heads": 4}, shards=SHARDS)
    last = root / "broken" / f"model-0000{SHARDS}-of-0000{SHARDS}.safetensors"
    last.write_bytes(last.read_bytes()[:-1000])
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "sesameOfTheTests")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ENDPOINT_URL", endpoint)
        client = boto3.client("s3")
        client.create_bucket(Bucket="models")
        for path in root.rglob("*"):
            if path.is_file():
                client.put_object(Bucket="models", Key=str(path.relative_to(root)), Body=path.read_bytes())
        yield {"root": root}
    server.stop()


@pytest.mark.complete
@pytest.mark.parametrize("name", ["tiny", "many", "broken"])
def test_a_bucket_gives_the_same_report(bucket: dict[str, Any], name: str) -> None:
    folder = bucket["root"] / name
    remote = load(f"s3://models/{name}")
    assert same(remote, load(str(folder)))
    assert remote.traffic is not None
    shards = len(list(folder.glob("*.safetensors")))
    small = sum(path.stat().st_size for path in folder.glob("*.json"))
    assert remote.traffic.requests <= shards + 4
    assert remote.traffic.bytes <= small + header_bytes(folder) + 1_500 * shards
    assert remote.address == f"s3://models/{name}"


def test_one_object_of_a_bucket(bucket: dict[str, Any]) -> None:
    name = f"model-00002-of-0000{SHARDS}.safetensors"
    remote, local = load(f"s3://models/tiny/{name}"), load(str(bucket["root"] / "tiny" / name))
    assert (remote.tensors, remote.partial, remote.files) == (local.tensors, local.partial, local.files)


@pytest.mark.parametrize("place", ["s3://models/absent", "s3://nowhere/x", "s3://models/absent/model.safetensors"])
def test_absent_objects(bucket: dict[str, Any], place: str) -> None:
    checkpoint = load(place)
    assert rules(checkpoint) == ["place-unreadable"]
    assert "sesame" not in reported(checkpoint)


def test_an_archive(folder: Path, tmp_path: Path, truth: Checkpoint) -> None:
    packed = tmp_path / "model.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"inside/{path.name}")
    assert same(load(f"zip://inside::file://{packed}"), truth)
    assert same(load(f"zip://{packed}/inside"), truth)
    assert rules(load(f"zip://elsewhere::file://{packed}")) == ["place-unreadable"]
    assert rules(load(f"zip://x::file://{tmp_path}/absent.zip")) == ["place-unreadable"]


def test_files_in_memory_and_here(folder: Path, truth: Checkpoint) -> None:
    files = fsspec.filesystem("memory")
    for path in folder.iterdir():
        files.pipe_file(f"/held/{path.name}", path.read_bytes())
    assert same(load("memory://held"), truth)
    assert equal(load(f"file://{folder}"), truth)


class Ranged(http.server.SimpleHTTPRequestHandler):
    """A server that supports ranges."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        raw, stated = path.read_bytes(), self.headers.get("Range", "")
        first, last = 0, len(raw) - 1
        if stated.startswith("bytes="):
            low, _, high = stated[6:].partition("-")
            first, last = int(low), min(last, int(high or last))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(raw)}")
        else:
            self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        self.wfile.write(raw[first : last + 1])

    def log_message(self, *_: object) -> None:
        """Suppress the log."""


def test_a_file_on_a_server(single: Path) -> None:
    pytest.importorskip("aiohttp")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Ranged, directory=str(single)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/model.safetensors"
        remote = load(url)
        assert remote.tensors == load(str(single / "model.safetensors")).tensors
        assert rules(load(url.replace("model.", "absent."))) == ["place-unreadable"]
    finally:
        server.shutdown()


def test_unknown_schemes() -> None:
    checkpoint = load("nonsense://x/y")
    assert rules(checkpoint) == ["scheme-unsupported"]
    assert not checkpoint.readable


def test_no_secret_of_an_address_is_shown(tmp_path: Path) -> None:
    words = reported(load("nonsense://user:sesame@host/y?X-Amz-Signature=sesame"))
    assert "sesame" not in words
    shutil.rmtree(tmp_path)
