"""Audits over the network equal local audits of the same files, within a budget of requests and bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.auditing.start import audit_loaded
from inspector.loader.checkpoint import load, load_within
from tests.hub.conftest import equal
from tests.hub.stand_in import StandIn, commit_of
from tests.sampling import sampled
from tests.sparse_models import header_bytes, make

NAMES = ("llama8b", "llama405b", "dsv3")
CLIENT_FIRST = 100_001
"""Bytes of the first request of the Hub's client for each shard."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    root = tmp_path_factory.mktemp("full")
    with StandIn() as server:
        for name in NAMES:
            server.add(f"org/{name}", make(name, root / name))
        yield server


def folder_of(served: StandIn, name: str) -> Path:
    repository = served.repositories[f"org/{name}"]
    return repository.commits[repository.branches["main"]]


@pytest.mark.parametrize("name", sampled(NAMES, len(NAMES)))
@pytest.mark.parametrize("way", ["ranges", "one answer"])
def test_equality_with_a_local_audit(served: StandIn, monkeypatch: pytest.MonkeyPatch, name: str, way: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
    served.one_answer = True
    served.forget()
    folder = folder_of(served, name)
    commit = served.repositories[f"org/{name}"].branches["main"]
    remote = load(f"org/{name}", revision=commit if way == "ranges" else None)
    local = load(str(folder))
    shards = len(local.files)
    assert equal(remote, local)
    assert remote.findings == local.findings
    assert remote.commit == commit
    one, other = audit_loaded(remote), audit_loaded(local)
    assert (one.counts, one.verdict, one.claims) == (other.counts, other.verdict, other.claims)
    assert [(finding.code, finding.message) for finding in one.findings] == [
        (finding.code, finding.message) for finding in other.findings
    ]
    assert remote.traffic is not None
    assert remote.traffic.requests == len(served.seen)
    assert remote.traffic.repeated == 0
    if way == "one answer":
        assert len(served.seen) <= 6
        assert served.sent["store"] == 0
        return
    assert len(served.seen) <= 2 * shards + 5
    assert all(commit in seen.path for seen in served.seen if seen.server == "hub")
    whole = header_bytes(folder)
    sizes = [path.stat().st_size for path in folder.glob("*.safetensors")]
    client = sum(min(CLIENT_FIRST, size) for size in sizes)
    assert served.sent["store"] <= (1.4 * whole if name == "dsv3" else 0.15 * client)


@pytest.mark.parametrize("name", ["llama8b"])
def test_requests_without_the_response_with_all_headers_are_limited(
    served: StandIn, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
    served.one_answer = False
    served.forget()
    assert equal(load(f"org/{name}"), load(str(folder_of(served, name))))
    assert len(served.seen) <= 2 * 4 + 5


def test_a_named_commit_stays_within_the_budget(served: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
    served.one_answer = False
    served.forget()
    folder = folder_of(served, "llama8b")
    load("org/llama8b@" + served.repositories["org/llama8b"].branches["main"])
    assert len(served.seen) <= 2 * 4 + 5
    assert json.loads((folder / "config.json").read_text())["model_type"] == "llama"


@pytest.mark.parametrize("times", ["twice", "blanks", "metadata"])
def test_the_response_with_all_headers_hides_no_fault_of_a_header(hub: StandIn, tmp_path: Path, times: str) -> None:
    """Decoded JSON loses duplicate keys and whitespace: the length of such a file does not match the response."""
    hub.one_answer = True
    entry = b'"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'
    inner = {
        "twice": b"{" + entry + b"," + entry + b"}",
        "blanks": b"         {" + entry + b"}",
        "metadata": b'{"__metadata__":{"format":"pt","format":"pt"},' + entry + b"}",
    }[times]
    name = "model-00001-of-00001.safetensors"
    (tmp_path / name).write_bytes(len(inner).to_bytes(8, "little") + inner + bytes(8))
    index = {"metadata": {"total_size": 8}, "weight_map": {"w": name}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    hub.add("org/odd", tmp_path)
    remote, local = load("org/odd"), load(str(tmp_path))
    assert remote.findings == local.findings
    assert local.findings


def test_faults_of_the_response_with_all_headers_do_not_matter(hub: StandIn, folder: Path, truth: object) -> None:
    from inspector.loader.checkpoint import Checkpoint
    from tests.hub.stand_in import Reply

    assert isinstance(truth, Checkpoint)
    hub.one_answer = True
    bad = [
        Reply(500), Reply(200, body=b"{"), Reply(200, body=b"[]"), Reply(200, body=b'{"headers": []}'),
        Reply(200, body=b'{"headers": {"model-00001-of-00004.safetensors": {"w": 5}}}'), Reply(200, hangs=False, cut=0),
        Reply(200, (("X-Repo-Commit", commit_of("another")),), b'{"headers": {}}'),
    ]  # fmt: skip
    for reply in bad:
        hub.faults.clear()
        hub.fail("safetensors-metadata", reply)
        assert equal(load("org/tiny"), truth)


def truncated_shard(folder: Path) -> None:
    path = folder / "model-00004-of-00004.safetensors"
    path.write_bytes(path.read_bytes()[:-700])


def lost_shard(folder: Path) -> None:
    (folder / "model-00002-of-00004.safetensors").unlink()


def wrong_config(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_key_value_heads": 4}))


def no_config(folder: Path) -> None:
    (folder / "config.json").unlink()


def pointer(folder: Path) -> None:
    (folder / "model-00001-of-00004.safetensors").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
    )


def merge_conflict(folder: Path) -> None:
    index = folder / "model.safetensors.index.json"
    index.write_text(index.read_text() + "\n=======\n" + index.read_text())


def wrong_total(folder: Path) -> None:
    index = folder / "model.safetensors.index.json"
    index.write_text(index.read_text().replace('"total_size": ', '"total_size": 9'))


def second_copy(folder: Path) -> None:
    path = folder / "model-00001-of-00004.safetensors"
    (folder / "consolidated.safetensors").write_bytes(path.read_bytes())
    (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04" + bytes(200_000))


def only_pickles(folder: Path) -> None:
    for path in folder.glob("*.safetensors*"):
        path.unlink()
    (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04" + bytes(200_000))
    (folder / "other.bin").write_text("Invalid username or password.")


def empty_shard(folder: Path) -> None:
    (folder / "model-00003-of-00004.safetensors").write_bytes(b"")


DAMAGES = (
    truncated_shard, lost_shard, wrong_config, no_config, pointer, merge_conflict, wrong_total, second_copy,
    only_pickles, empty_shard,
)  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
@pytest.mark.parametrize("one_answer", [False, True])
def test_a_damaged_repository_is_reported_like_a_folder(
    hub: StandIn, folder: Path, tmp_path: Path, damage: Callable[[Path], None], one_answer: bool
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    damage(damaged)
    hub.add("org/damaged", damaged)
    hub.one_answer = one_answer
    remote, local = audit_loaded(load("org/damaged")), audit_loaded(load(str(damaged)))
    assert (remote.counts, remote.verdict, remote.claims) == (local.counts, local.verdict, local.claims)
    assert [(one.code, one.message) for one in remote.findings] == [(one.code, one.message) for one in local.findings]
    assert [replace(line, block=None) for line in remote.lines] == [replace(line, block=None) for line in local.lines]
    assert local.findings
    assert len(hub.seen) <= 2 * 4 + 6, [one.target for one in hub.seen]


def test_contents_of_a_download(hub: StandIn, folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copies"
    shutil.copytree(folder, copied)
    second_copy(copied)
    hub.add("org/copies", copied)
    download = load("org/copies").download
    assert download is not None
    assert {one.kind: one.files for one in download.copies} == {"pytorch": 1, "other weights": 1}
    assert download.needed == sum(path.stat().st_size for path in folder.iterdir())
    assert download.command == "hf download org/copies --include '*.json' --include 'model-*-of-00004.safetensors'"


def test_subfolders_single_files_and_web_addresses(hub: StandIn, folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "pipeline"
    shutil.copytree(folder, root / "text_encoder")
    (root / "model_index.json").write_text('{"_class_name": "XPipeline"}')
    hub.add("org/pipe", root)
    local = load(str(folder))
    shard = "model-00002-of-00004.safetensors"
    assert equal(load("hf://org/pipe/text_encoder"), local)
    assert equal(load("org/pipe", subfolder="text_encoder"), local)
    assert equal(load(f"{hub.endpoint}/org/pipe/tree/main/text_encoder"), local)
    hub.one_answer = True
    assert equal(load("org/pipe", subfolder="text_encoder"), local)
    for given in (f"hf://org/tiny/{shard}", f"{hub.endpoint}/org/tiny/blob/main/{shard}"):
        one = load(given)
        assert one.tensors == load(str(folder / shard)).tensors
        assert [file.name for file in one.files] == [shard]
    assert equal(load(f"{hub.endpoint}/org/tiny"), local)


def test_subfolders_are_of_the_same_commit(hub: StandIn, folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "pipeline"
    shutil.copytree(folder, root / "deep" / "text_encoder")
    (root / "deep" / "model_index.json").write_text('{"_class_name": "XPipeline"}')
    served = hub.add("org/pipe", root)
    first = served.branches["main"]
    whole = load("org/pipe", subfolder="deep")
    served.branches["main"] = commit_of("other")
    hub.forget()
    below = load_within(whole, "text_encoder")
    assert below is not None
    assert equal(below, load(str(folder)))
    assert below.commit == first
    assert not hub.requests("/api/models/org/pipe/(?:revision|tree)")
    local = load_within(load(str(root / "deep")), "text_encoder")
    assert local is not None
    assert equal(local, load(str(folder)))


def test_other_types_of_repositories(hub: StandIn, folder: Path) -> None:
    hub.add("org/data", folder, kind="dataset")
    assert equal(load("org/data", repo_type="dataset"), load(str(folder)))
    assert equal(load("hf://datasets/org/data"), load(str(folder)))
    assert not load("org/data").readable


def test_a_path_takes_precedence(hub: StandIn, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path / "org" / "tiny")
    monkeypatch.chdir(tmp_path)
    local = load("org/tiny")
    assert local.shadows == "hf://org/tiny"
    assert local.commit is None
    assert not hub.seen
    assert load("hf://org/tiny").commit is not None
    assert hub.seen


def test_progress_is_reported(hub: StandIn) -> None:
    reported: list[tuple[int, int, int]] = []
    load("org/tiny", progress=lambda done, total, bytes: reported.append((done, total, bytes)))
    assert [one[:2] for one in reported if one[1]] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert reported[-1][2] > 1_000
