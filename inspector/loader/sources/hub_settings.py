"""Settings of huggingface_hub: endpoint, cache, offline mode, and the headers of its requests.

Its rules and its environment variables apply, which it reads on import. Only its table of
constants is imported until there is something to request: the client itself takes a third of a second.
"""

from __future__ import annotations

import platform
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


def hosts() -> frozenset[str]:
    """Hosts of the Hub, even if the settings are invalid."""
    found = settings()
    return frozenset() if isinstance(found, InvalidAddress) else found.hosts


def offline() -> bool:
    """Whether connections are forbidden."""
    return bool(_constants().HF_HUB_OFFLINE)


def cache_folder() -> str:
    """The cache folder of the client, or the one that the call names."""
    return ACCESS.get().cache_dir or str(_constants().HF_HUB_CACHE)


def request_headers() -> dict[str, str]:
    """The headers of a request: a user agent, and the token of the call or of the client.

    Not from `build_hf_headers`, which may request and store a list of coding agents to name one of them.
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
