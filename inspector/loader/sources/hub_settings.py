"""Settings of huggingface_hub: endpoint, cache, offline mode, and the headers of its requests.

Its rules and environment variables apply; it reads the variables on import. Only its table of constants is imported
before the first request: importing the client itself takes a third of a second.
"""

from __future__ import annotations

import os
import platform
import stat
from typing import Any, Final

from msgspec import Struct

from inspector.loader.sources.access import ACCESS
from inspector.loader.sources.address import InvalidAddress
from inspector.loader.sources.redirects import Origin, origin_of

DEFAULT_ENDPOINT: Final = "https://huggingface.co"


class HubSettings(Struct, frozen=True):
    """endpoint: without a trailing slash. patience: timeout for an answer, in seconds."""

    endpoint: str
    origin: Origin
    patience: float

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts of Hub pages."""
        return frozenset({self.origin.authority.lower(), self.origin.host})


def settings() -> HubSettings | InvalidAddress:
    """The settings of the client, or why they are invalid."""
    try:
        constants = _constants()
    except ValueError as problem:  # an invalid number in the environment
        return InvalidAddress("the environment", f"is rejected by huggingface_hub: {problem}")
    endpoint = str(constants.ENDPOINT).strip().rstrip("/") or DEFAULT_ENDPOINT
    origin = origin_of(endpoint)
    if origin is None or any(mark in endpoint for mark in "@?# ") or not endpoint.isascii():
        shown = endpoint.rpartition("@")[2]
        return InvalidAddress(shown, "in HF_ENDPOINT is not a web address such as https://huggingface.co")
    return HubSettings(endpoint, origin, min(60.0, max(1.0, float(constants.HF_HUB_DOWNLOAD_TIMEOUT))))


_TOKEN_BYTES: Final = 65_536
"""Largest token file that is read, in bytes."""


def connection_problem() -> InvalidAddress | None:
    """Why the proxy, certificates and token of the environment prevent connections; None if they do not.

    The client's message is not repeated, since it may contain the password of a proxy.
    """
    constants = _constants()
    if ACCESS.get().token is None or ACCESS.get().token is True:
        size = _regular_size(constants.HF_TOKEN_PATH)
        if size is None or size > _TOKEN_BYTES:
            return InvalidAddress("HF_TOKEN_PATH", "does not name a file with a token")
    if not all(value.isascii() and value.isprintable() for value in request_headers().values()):
        return InvalidAddress(
            "the token", "of the call, of HF_TOKEN or of HF_TOKEN_PATH has characters that no token has"
        )
    from inspector.loader.sources.session import session

    try:
        session()
    except ImportError:
        return InvalidAddress("the proxy", "of the environment needs a package that is not installed: httpx[socks]")
    except OSError:
        return InvalidAddress("SSL_CERT_FILE or SSL_CERT_DIR", "does not name readable certificates")
    except Exception:  # other error classes of the client, which depend on its version
        return InvalidAddress("HTTPS_PROXY, HTTP_PROXY or ALL_PROXY", "is not a proxy such as http://host:8080")
    return None


def _regular_size(path: str) -> int | None:
    """Bytes of a regular file, 0 if absent; None for a pipe, a device or a folder."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def hosts() -> frozenset[str]:
    """Hosts of the Hub, even if the settings are invalid."""
    found = settings()
    return frozenset() if isinstance(found, InvalidAddress) else found.hosts


def offline() -> bool:
    """True if connections are forbidden. Invalid settings, which are reported, do not forbid them."""
    try:
        return bool(_constants().HF_HUB_OFFLINE)
    except ValueError:
        return False


def cache_folder() -> str:
    """The cache folder of the call, or that of the client."""
    return ACCESS.get().cache_dir or str(_constants().HF_HUB_CACHE)


def request_headers() -> dict[str, str]:
    """The headers of a request: a user agent, and the token of the call or of the client.

    `build_hf_headers` is not used: it may request and store a list of coding agents to name one of them.
    """
    import huggingface_hub

    from inspector import __version__

    constants = _constants()
    python = platform.python_version()
    agent = f"checkpoint-inspector/{__version__}; hf_hub/{huggingface_hub.__version__}; python/{python}"
    if constants.HF_HUB_USER_AGENT_ORIGIN:
        agent += f"; origin/{constants.HF_HUB_USER_AGENT_ORIGIN}"
    token = ACCESS.get().token
    if token is True or (token is None and not constants.HF_HUB_DISABLE_IMPLICIT_TOKEN):
        token = huggingface_hub.get_token()
    return {"user-agent": agent} | ({"authorization": f"Bearer {token}"} if token else {})


def _constants() -> Any:
    from huggingface_hub import constants

    return constants
