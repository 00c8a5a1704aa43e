"""The stand-in, an environment without any other Hub, and small checkpoints to serve."""

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
    """The fixture of pytest with variables that apply at once.

    huggingface_hub reads its variables when it is imported, and its session those of proxies when it is made.
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
        """Sets a variable."""
        self._patch.setenv(name, value)
        self._apply()

    def delenv(self, name: str, raising: bool = True) -> None:
        """Removes a variable."""
        self._patch.delenv(name, raising)
        self._apply()

    def undo(self) -> None:
        """Takes everything back."""
        self._patch.undo()
        self._apply()

    def _apply(self) -> None:
        importlib.reload(huggingface_hub.constants)
        huggingface_hub.close_session()


@pytest.fixture
def monkeypatch() -> Iterator[Environment]:
    """In place of the fixture of pytest."""
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
    """The same in one file."""
    return write(tmp_path_factory.mktemp("models") / "single", dict(llama(TINY)), TINY)


@pytest.fixture
def hub(folder: Path, single: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in as the endpoint, without the one answer for all headers."""
    with StandIn(one_answer=False) as server:
        server.add("org/tiny", folder)
        server.add("org/single", single)
        monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
        yield server


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Shortens the patience: silence and head in seconds, and whatever else `Limits` has."""

    def shorten(**limits: float) -> None:
        monkeypatch.setattr(hub_room, "Limits", lambda **_: Limits(**{"pause": 0.02, **limits}))  # type: ignore[arg-type]

    return shorten


@pytest.fixture(scope="session")
def truth(folder: Path) -> Checkpoint:
    """What a local reading of the sharded one gives."""
    return load(str(folder))


def rules(checkpoint: Checkpoint) -> list[str]:
    """The names of all evidence, sorted."""
    return sorted(one.name for one in checkpoint.findings)


def reported(checkpoint: Checkpoint) -> str:
    """All findings as they are printed, in one line."""
    from inspector.auditing.start import audit_loaded
    from inspector.report.text import audit_text

    return " ".join(audit_text(audit_loaded(checkpoint), verbose=True).split())


def equal(one: Checkpoint, other: Checkpoint) -> bool:
    """Whether two readings say the same of the checkpoint, apart from where it lies."""
    same = (one.tensors, one.file_of, one.files, one.set_name, one.lost, one.cut, one.readable, one.other_sets)
    return same == (
        other.tensors, other.file_of, other.files, other.set_name, other.lost, other.cut, other.readable,
        other.other_sets,
    )  # fmt: skip
