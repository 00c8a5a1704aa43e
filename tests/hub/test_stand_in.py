"""The real client of the Hub works with the stand-in, call by call."""

from __future__ import annotations

from pathlib import Path

import pytest
from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.errors import (
    DisabledRepoError,
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile

from tests.hub.conftest import SHARDS
from tests.hub.stand_in import Reply, StandIn, commit_of


@pytest.fixture
def api(hub: StandIn) -> HfApi:
    """The real client."""
    return HfApi(endpoint=hub.endpoint, token=False)


def test_model_info(api: HfApi, hub: StandIn) -> None:
    info = api.model_info("org/tiny")
    assert info.sha == hub.repositories["org/tiny"].branches["main"]
    assert info.siblings is not None
    assert "model.safetensors.index.json" in [one.rfilename for one in info.siblings]
    assert api.model_info("org/tiny", revision="main").sha == info.sha


def test_tree_with_pages(api: HfApi, hub: StandIn, folder: Path) -> None:
    hub.page = 2
    files = [one for one in api.list_repo_tree("org/tiny", recursive=True) if isinstance(one, RepoFile)]
    assert {one.path: one.size for one in files} == {path.name: path.stat().st_size for path in folder.iterdir()}
    assert len(hub.requests("/tree/")) == 3
    assert all((one.lfs is not None) == one.path.endswith(".safetensors") for one in files)


def test_files_by_redirect_and_range(api: HfApi, hub: StandIn, folder: Path, tmp_path: Path) -> None:
    name = f"model-00001-of-0000{SHARDS}.safetensors"
    path = hf_hub_download("org/tiny", name, endpoint=hub.endpoint, token=False, cache_dir=tmp_path)
    assert Path(path).read_bytes() == (folder / name).read_bytes()
    assert hub.requests("/blobs/", "store")
    metadata = api.get_safetensors_metadata("org/tiny")
    assert metadata.sharded
    assert len(metadata.files_metadata) == SHARDS
    assert any("range" in one.headers for one in hub.requests("/blobs/", "store"))


@pytest.mark.skipif(not hasattr(HfApi, "get_sharded_safetensors_metadata"), reason="version 1 of the client")
def test_the_response_with_all_headers(hub: StandIn, api: HfApi) -> None:
    hub.one_answer = True
    metadata = api.get_sharded_safetensors_metadata("org/tiny")
    assert metadata.files_metadata == api.get_safetensors_metadata("org/tiny").files_metadata


def test_redirects_within_the_api(hub: StandIn, folder: Path, tmp_path: Path) -> None:
    hub.api_redirects = True
    hub.faults.append(
        lambda seen, right: (
            Reply(200, body=(folder / "config.json").read_bytes()).having(
                etag='"x"', x_repo_commit=hub.repositories["org/tiny"].branches["main"]
            )
            if "resolve-cache" in seen.path
            else None
        )
    )
    path = hf_hub_download("org/tiny", "config.json", endpoint=hub.endpoint, token=False, cache_dir=tmp_path)
    assert Path(path).read_bytes() == (folder / "config.json").read_bytes()


def test_refusals_raise_the_exceptions_of_the_client(hub: StandIn, api: HfApi, folder: Path) -> None:
    hub.add("org/private", folder, private=True)
    hub.add("org/gated", folder, gated=True)
    hub.add("org/closed", folder, disabled=True)
    hub.renamed["org/old"] = "org/tiny"
    with pytest.raises(RepositoryNotFoundError):
        api.model_info("org/none")
    with pytest.raises(RepositoryNotFoundError):
        api.model_info("org/private")
    assert HfApi(endpoint=hub.endpoint, token=StandIn.token).model_info("org/private").private
    with pytest.raises(GatedRepoError):
        hf_hub_download("org/gated", "config.json", endpoint=hub.endpoint, token=False)
    with pytest.raises(DisabledRepoError):
        api.model_info("org/closed")
    with pytest.raises(RevisionNotFoundError):
        api.model_info("org/tiny", revision="v9")
    with pytest.raises(EntryNotFoundError):
        hf_hub_download("org/tiny", "absent.json", endpoint=hub.endpoint, token=False)
    with pytest.raises(HfHubHTTPError, match="Invalid credentials"):
        HfApi(endpoint=hub.endpoint, token="hf_bad").model_info("org/tiny")
    assert api.model_info("org/old").id == "org/tiny"


def test_a_commit_is_a_revision(api: HfApi, hub: StandIn, single: Path) -> None:
    other = commit_of("org/tiny", "second")
    hub.repositories["org/tiny"].commits[other] = single
    hub.repositories["org/tiny"].branches["next"] = other
    assert api.model_info("org/tiny", revision="next").sha == other
    assert api.file_exists("org/tiny", "model.safetensors", revision=other)
    assert not api.file_exists("org/tiny", "model.safetensors")
