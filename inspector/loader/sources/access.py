"""The token and cache folder of one call, which replace those of the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from msgspec import Struct


class Access(Struct, frozen=True):
    """token: the token to send; True for the stored one, False for none, None for the environment's. cache_dir: "" for
    the default.
    """

    token: str | bool | None = None
    cache_dir: str = ""

    def __repr__(self) -> str:
        return "Access(...)"


_OF_THE_ENVIRONMENT: Final = Access()
ACCESS: Final = ContextVar("access", default=_OF_THE_ENVIRONMENT)
"""The access of the current call. It is no function argument because, like the environment, it applies
to all requests.
"""


@contextmanager
def access(token: str | bool | None = None, cache_dir: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Context manager in which all requests use this token and this cache folder of the Hub's client."""
    folder = os.path.expanduser(os.fspath(cache_dir)) if cache_dir else ""
    before = ACCESS.set(Access(token if token != "" else None, folder))
    try:
        yield
    finally:
        ACCESS.reset(before)
