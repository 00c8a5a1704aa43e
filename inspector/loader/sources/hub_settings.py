"""What huggingface_hub knows of this machine: endpoint, token, cache, offline mode, user agent.

Only its table of constants is imported, and only when a repository is asked for: the client itself takes
longer to load than an audit. The environment is read again where a variable is set, so that a change
after that import counts as it would for a new process.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from inspector.loader.sources.address import Misread
from inspector.loader.sources.web import origin_of
from inspector.loader.sources.wire import Origin

DEFAULT_ENDPOINT: Final = "https://huggingface.co"
_TRUE: Final = frozenset({"1", "ON", "YES", "TRUE"})


@dataclass(frozen=True, slots=True)
class Settings:
    """endpoint: without a slash at its end. token: never shown. patience: seconds without an answer."""

    endpoint: str
    origin: Origin
    token: str | None = field(repr=False)
    agent: str
    offline: bool
    cache: str
    patience: float

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts whose pages are those of the Hub."""
        return frozenset({self.origin.authority.lower(), self.origin.host})


def settings() -> Settings | Misread:
    """The settings as they are now, or what is wrong with them."""
    stated = os.environ["HF_ENDPOINT"] if "HF_ENDPOINT" in os.environ else str(_constant("ENDPOINT"))
    endpoint = (stated.strip() or DEFAULT_ENDPOINT).rstrip("/")
    origin = origin_of(endpoint)
    if origin is None or any(mark in endpoint for mark in "@?# ") or not endpoint.isascii():
        shown = endpoint.rpartition("@")[2]
        return Misread(shown, "is the endpoint by HF_ENDPOINT, and no web address such as https://huggingface.co")
    return Settings(endpoint, origin, _token(), _agent(), offline(), cache_folder(), _patience())


def hosts() -> frozenset[str]:
    """Hosts whose addresses mean the Hub, whatever else is wrong with the settings."""
    found = settings()
    return frozenset() if isinstance(found, Misread) else found.hosts


def offline() -> bool:
    """Whether no connection may be made."""
    stated = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE")
    return stated.upper() in _TRUE if stated else bool(_constant("HF_HUB_OFFLINE"))


def cache_folder() -> str:
    """The folder in which the client keeps what it downloads."""
    for name, below in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if stated := os.environ.get(name):
            return os.path.join(os.path.expandvars(os.path.expanduser(stated)), below).rstrip("/")
    return str(_constant("HF_HUB_CACHE"))


def _token() -> str | None:
    """The token that the client would send."""
    if (os.environ.get("HF_HUB_DISABLE_IMPLICIT_TOKEN") or "").upper() in _TRUE:
        return None
    if not os.environ.get("HF_OIDC_RESOURCE") and "COLAB_RELEASE_TAG" not in os.environ:
        stated = _environment("HF_TOKEN") or _environment("HUGGING_FACE_HUB_TOKEN")
        if stated:
            return _clean(stated)
        path = _token_path()
        try:
            written = _clean(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return None
        if not _renewed(path):
            return written
    from huggingface_hub import get_token  # a token that has to be fetched or renewed: the client's own business

    return get_token()


def _token_path() -> str:
    if stated := os.environ.get("HF_TOKEN_PATH"):
        return os.path.expandvars(os.path.expanduser(stated))
    if home := os.environ.get("HF_HOME"):
        return os.path.join(os.path.expandvars(os.path.expanduser(home)), "token")
    return str(_constant("HF_TOKEN_PATH"))


def _renewed(path: str) -> bool:
    """Whether tokens of the kind that expires are stored beside the token file."""
    try:
        return "refresh_token" in (Path(path).parent / "stored_tokens").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _clean(token: str) -> str | None:
    """A token as it may be in a header: one word of printable ASCII."""
    token = token.replace("\r", "").replace("\n", "").strip()
    return token if token and token.isascii() and token.isprintable() and " " not in token else None


def _agent() -> str:
    from inspector import __version__

    version = getattr(_client(), "__version__", "unknown")
    agent = f"checkpoint-inspector/{__version__}; hf_hub/{version}; python/{platform.python_version()}"
    origin = os.environ.get("HF_HUB_USER_AGENT_ORIGIN", "")
    return f"{agent}; origin/{origin}" if origin.isascii() and origin.isprintable() and origin else agent


def _patience() -> float:
    stated = os.environ.get("HF_HUB_DOWNLOAD_TIMEOUT", "")
    return min(60.0, max(1.0, float(stated))) if stated.isascii() and stated.isdigit() else 10.0


def _environment(name: str) -> str:
    return os.environ.get(name, "").strip()


def _constant(name: str) -> object:
    return getattr(_constants(), name, "")


@cache
def _constants() -> ModuleType | None:
    try:
        from huggingface_hub import constants
    except (ImportError, ValueError):  # ValueError: a number in the environment that is none
        return None
    return constants


@cache
def _client() -> ModuleType | None:
    try:
        import huggingface_hub
    except ImportError:
        return None
    return huggingface_hub
