"""Names inside files are only looked up next to these files: none causes a request or opens a path elsewhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from inspector import audit, compare
from inspector.cli.verbs import count, tensors
from tests.adapters.records import records, spec_of
from tests.checkpoints import write_file
from tests.hub.stand_in import StandIn
from tests.hub.test_with_base import adapter
from tests.judged import FIXTURES
from tests.test_pipelines import PARTS, pipeline

HOSTILE = (
    "vae", "../vae", "../../etc", "/etc", "org/tiny", "org/tiny@main", "hf://org/tiny", "hf://org/tiny@main",
    "https://{host}/org/tiny", "http://{host}/org/tiny/resolve/main/config.json", "s3://bucket/key", "file:///etc",
    "zip://inside::http://{host}/x.zip", "C:\\models", "C:tiny", "\\\\{host}\\share", "//{host}/share", "~/models",
    "tiny\x00", "a\nb", ".", "..", "", " ", "UNET", "Unet", "unet/", "unet/.", "./unet", "unet\x00", "nul", "unet ",
    "models/org/tiny", "datasets/org/tiny", "tiny@main", "tiny", "%2e%2e/vae", "unet%2f..%2fvae", "\u202eunet",
    "x" * 5000,
)  # fmt: skip
"""Names that a file could state, of paths, repositories and addresses. {host}: of the stand-in."""


def run_all_verbs(source: str, other: str) -> None:
    """Run each verb on a source."""
    audit(source)
    count(source)
    tensors(source, every=True)
    compare(source, other)
    compare(other, source)


def hostile_pipeline(folder: Path, host: str) -> Path:
    """A pipeline with a component under each hostile name that JSON can represent."""
    named = {name.format(host=host): ["diffusers", "AutoencoderKL"] for name in HOSTILE}
    return pipeline(folder, {**PARTS, **named})


@pytest.fixture
def token(hub: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", StandIn.token)


@pytest.mark.usefixtures("token")
def test_a_component_that_is_absent_is_not_looked_for_elsewhere(
    hub: StandIn, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("pipe/vae", folder)
    local = pipeline(tmp_path / "pipe", PARTS)
    shutil.rmtree(local / "vae")
    monkeypatch.chdir(tmp_path)
    audited = audit("pipe")
    assert {one.code for one in audited.findings} == {"N416"}
    run_all_verbs("pipe", str(local))
    assert not hub.seen


@pytest.mark.usefixtures("token")
def test_hostile_components_of_a_local_pipeline(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, single: Path
) -> None:
    hostile_pipeline(tmp_path / "org", f"127.0.0.1:{hub.ports['hub']}")
    shutil.copytree(single, tmp_path / "vae")  # the target of "../vae", which is outside of the pipeline
    monkeypatch.chdir(tmp_path)
    audited = audit("org")
    assert list(audited.components) == ["unet", "text_encoder", "vae"]
    run_all_verbs("org", "org")
    assert not hub.seen


@pytest.mark.usefixtures("token")
def test_hostile_components_of_a_repository(hub: StandIn, tmp_path: Path, single: Path) -> None:
    host = f"127.0.0.1:{hub.ports['hub']}"
    root = hostile_pipeline(tmp_path / "root" / "pipe", host).parent
    shutil.copytree(single, root / "vae")
    hub.add("org/pipe", root)
    for source in ("hf://org/pipe/pipe", f"{hub.endpoint}/org/pipe/tree/main/pipe"):
        assert list(audit(source).components) == ["unet", "text_encoder", "vae"]
    run_all_verbs("hf://org/pipe/pipe", str(root / "pipe"))
    requested = {one.path for one in hub.seen if one.server == "hub"}
    inside = ("/pipe/model_index.json", *(f"/pipe/{name}/" for name, entry in PARTS.items() if isinstance(entry, list)))
    assert all("/resolve/" not in path or any(part in path for part in inside) for path in requested)
    assert all(path.startswith(("/api/models/org/pipe", "/org/pipe/resolve/")) for path in requested)


@pytest.mark.thinned
@pytest.mark.usefixtures("token")
@pytest.mark.parametrize("name", HOSTILE)
def test_the_base_of_an_adapter_is_only_named(
    hub: StandIn, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    base = name.format(host=f"127.0.0.1:{hub.ports['hub']}")
    made = adapter(tmp_path / "org", base, revision="refs/pr/1", parent_library=base)
    run_all_verbs("org", str(made))
    assert not hub.seen
    with_base = audit("org", with_base=True)
    repositories = {one.path for one in hub.seen}
    assert all(path.startswith(f"/api/models/{base}/") for path in repositories), repositories
    assert with_base.base is None


@pytest.mark.usefixtures("token")
def test_the_bases_of_all_recorded_adapters(hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for at, (name, record) in enumerate(records().items()):
        folder = tmp_path / f"adapter{at}"
        folder.mkdir()
        write_file(folder / "adapter_model.safetensors", spec_of(name))
        stated = {**record["adapter"], "base_model_name_or_path": HOSTILE[at % len(HOSTILE)], "revision": "v1"}
        (folder / "adapter_config.json").write_text(json.dumps(stated), encoding="utf-8")
        audit(folder.name)
    assert not hub.seen


INDEXES = [path.parent for path in sorted(FIXTURES.rglob("*.index.json"))]


@pytest.mark.usefixtures("token")
@pytest.mark.parametrize("fixture", INDEXES, ids=[path.name for path in INDEXES])
@pytest.mark.parametrize("remote", [False, True])
def test_shards_that_an_index_names(
    hub: StandIn, tmp_path: Path, fixture: Path, remote: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "org"
    shutil.copytree(fixture, copied)
    (index,) = copied.glob("*.index.json")
    stated = json.loads(index.read_text(encoding="utf-8"))
    host = f"127.0.0.1:{hub.ports['hub']}"
    for at, name in enumerate(list(stated["weight_map"])):
        stated["weight_map"][name] = HOSTILE[at % len(HOSTILE)].format(host=host)
    index.write_text(json.dumps(stated), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if not remote:
        run_all_verbs("org", str(copied))
        assert not hub.seen
        return
    hub.add("org/hostile", copied)
    run_all_verbs("hf://org/hostile", str(copied))
    there = {path.name for path in copied.iterdir()}
    assert all(one.path.rpartition("/")[2] in there for one in hub.requests("/resolve/"))
    hosts = {one.server for one in hub.seen}
    assert hosts <= {"hub", "store"}
    assert all("org/hostile" in one.path for one in hub.seen if one.server == "hub")
