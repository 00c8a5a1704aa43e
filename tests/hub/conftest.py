"""Fixtures: the stand-in for the Hub, an environment that reaches no other Hub, and small checkpoints to serve."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import pytest

from inspector.loader.checkpoint import Checkpoint, load
from inspector.loader.sources import hub as hub_room
from inspector.loader.sources.web import Limits
from tests.checkpoints import write
from tests.hub.stand_in import StandIn
from tests.sparse_models import TINY, llama

VARIABLES = (
    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_CACHE", "HF_OIDC_RESOURCE",
    "HUGGINGFACE_HUB_CACHE", "HF_TOKEN_PATH", "HF_HUB_DISABLE_IMPLICIT_TOKEN", "http_proxy", "https_proxy", "all_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
)  # fmt: skip
SHARDS = 4


class Environment:
    """pytest's fixture, with environment variables that apply immediately.

    huggingface_hub reads its variables at import, and proxy variables when it creates its session.
    """

    def __init__(self) -> None:
        self._patch = pytest.MonkeyPatch()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._patch, name)

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *_: object) -> None:
        self.undo()

    def setenv(self, name: str, value: str) -> None:
        """Set a variable."""
        self._patch.setenv(name, value)
        self._apply()

    def delenv(self, name: str, raising: bool = True) -> None:
        """Remove a variable."""
        self._patch.delenv(name, raising)
        self._apply()

    def undo(self) -> None:
        """Undo all changes."""
        self._patch.undo()
        self._apply()

    def _apply(self) -> None:
        importlib.reload(huggingface_hub.constants)
        huggingface_hub.close_session()


@pytest.fixture
def monkeypatch() -> Iterator[Environment]:
    """Replaces pytest's fixture."""
    with Environment() as environment:
        yield environment


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No token, no cache, no proxy, and short pauses between tries."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(hub_room, "Limits", partial(Limits, pause=0.02))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small Llama in four shards."""
    return write(tmp_path_factory.mktemp("models") / "tiny", dict(llama(TINY)), TINY, shards=SHARDS)


@pytest.fixture(scope="session")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model in one file."""
    return write(tmp_path_factory.mktemp("models") / "single", dict(llama(TINY)), TINY)


@pytest.fixture
def hub(folder: Path, single: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in as the endpoint, without its response with all headers."""
    with StandIn(one_answer=False) as server:
        server.add("org/tiny", folder)
        server.add("org/single", single)
        monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
        yield server


@pytest.fixture
def shorten_limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Shorten time limits: `silence` and `head` in seconds, and other fields of `Limits`."""

    def shorten(**limits: float) -> None:
        monkeypatch.setattr(hub_room, "Limits", lambda **_: Limits(**{"pause": 0.02, **limits}))  # type: ignore[arg-type]

    return shorten


@pytest.fixture(scope="session")
def truth(folder: Path) -> Checkpoint:
    """The sharded checkpoint as read locally."""
    return load(str(folder))


def rules(checkpoint: Checkpoint) -> list[str]:
    """The sorted names of all findings."""
    return sorted(one.name for one in checkpoint.findings)


def reported(checkpoint: Checkpoint) -> str:
    """All findings as they are printed, in one line."""
    from inspector.auditing.start import audit_loaded
    from inspector.report.text import audit_text

    return " ".join(audit_text(audit_loaded(checkpoint), verbose=True).split())


def equal(one: Checkpoint, other: Checkpoint) -> bool:
    """Whether two readings agree on the checkpoint, apart from its location."""
    same = (one.tensors, one.file_of, one.files, one.set_name, one.lost, one.cut, one.readable, one.other_sets)
    return same == (
        other.tensors, other.file_of, other.files, other.set_name, other.lost, other.cut, other.readable,
        other.other_sets,
    )  # fmt: skip
