"""Token and cache as arguments of a call: the token is sent like that of the environment, and never printed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import snapshot_download

import inspector
from inspector.loader.sources.access import ACCESS
from tests.hub.conftest import Environment
from tests.hub.stand_in import StandIn
from tests.hub.test_cli import SECRET, echo, run

pytestmark = pytest.mark.thinned

OTHER = "hf_ofTheEnvironment"


def sent(hub: StandIn) -> set[str]:
    """The tokens that the Hub received."""
    return {one.headers.get("authorization", "").removeprefix("Bearer ") for one in hub.seen if one.server == "hub"}


CALLS: dict[str, Any] = {
    "load": lambda **access: inspector.load("org/tiny", **access),
    "audit": lambda **access: inspector.audit("org/tiny", **access),
    "compare": lambda **access: inspector.compare("org/tiny", "org/single", **access),
    "formula": lambda **access: inspector.formula("org/tiny", **access),
    "values": lambda **access: inspector.audit("org/tiny", tensors=("model.norm.weight",), **access),
}


def call_hub(call: str, **access: Any) -> None:
    """Make a call, which the Hub may refuse."""
    with suppress(inspector.FormulaError):
        CALLS[call](**access)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("token", "arrives"), [(SECRET, SECRET), (False, ""), (True, OTHER), (None, OTHER), ("", OTHER)]
)
def test_a_token_replaces_that_of_the_environment(
    hub: StandIn, monkeypatch: Environment, call: str, token: str | bool | None, arrives: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", OTHER)
    call_hub(call, token=token)
    assert sent(hub) == {arrives}
    assert not any("authorization" in one.headers for one in hub.seen if one.server == "store")
    assert ACCESS.get().token is None


def test_the_environment_may_forbid_the_stored_token(hub: StandIn, monkeypatch: Environment) -> None:
    monkeypatch.setenv("HF_TOKEN", OTHER)
    monkeypatch.setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
    call_hub("load")
    assert sent(hub) == {""}
    hub.forget()
    call_hub("load", token=True)
    assert sent(hub) == {OTHER}


def test_values_are_fetched_with_the_token_of_the_audit(hub: StandIn) -> None:
    opened = inspector.load("org/tiny", token=SECRET)
    hub.forget()
    assert opened.reach is not None
    assert isinstance(opened.reach().read_part(next(iter(opened.file_of.values())), 0, 8), bytes)
    assert sent(hub) == {SECRET}


@pytest.mark.parametrize("verb", ["audit", "count", "tensors", "formula"])
def test_the_command_sends_a_token_and_prints_it_nowhere(hub: StandIn, tmp_path: Path, verb: str) -> None:
    done = run(hub, tmp_path, verb, "org/tiny", "--token", SECRET)
    assert (done.returncode, sent(hub)) == (0, {SECRET})
    hub.fail("/api/", echo)
    for words in (("--format", "json"), ("--debug",), ("--nothing",)):
        done = run(hub, tmp_path, verb, "org/tiny", "--token", SECRET, *words)
        assert done.returncode
        assert SECRET not in done.stdout + done.stderr


def test_a_cache_in_another_folder(hub: StandIn, tmp_path: Path) -> None:
    cache = tmp_path / "elsewhere"
    snapshot_download("org/tiny", cache_dir=cache, endpoint=hub.endpoint, token=False)
    hub.forget()
    assert not inspector.load("org/tiny", local_files_only=True).readable
    assert inspector.load("org/tiny", local_files_only=True, cache_dir=cache).readable
    assert run(hub, tmp_path, "count", "org/tiny", "--cached").returncode == 3
    done = run(hub, tmp_path, "count", "org/tiny", "--cached", "--cache-dir", str(cache))
    assert done.returncode == 0
    place = str(next(cache.glob("models--org--tiny/snapshots/*")))
    done = run(hub, tmp_path, "compare", place, place, "org/projector", "--cached")
    assert (done.returncode, "not-cached" in done.stdout) == (3, True)
    assert not hub.seen
