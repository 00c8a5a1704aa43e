"""The token and the cache of one call, instead of those of the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from msgspec import Struct


class Access(Struct, frozen=True):
    """token: to send; True: the stored one, False: none, None: by the environment. cache_dir: "" for the default."""

    token: str | bool | None = None
    cache_dir: str = ""

    def __repr__(self) -> str:
        return "Access(...)"


_OF_THE_ENVIRONMENT: Final = Access()
ACCESS: Final = ContextVar("access", default=_OF_THE_ENVIRONMENT)
"""Of the current call. Not an argument of each function: like the environment, it applies to all requests."""


@contextmanager
def access(token: str | bool | None = None, cache_dir: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Context manager in which all requests use this token and this cache of the Hub's client."""
    folder = os.path.expanduser(os.fspath(cache_dir)) if cache_dir else ""
    before = ACCESS.set(Access(token if token != "" else None, folder))
    try:
        yield
    finally:
        ACCESS.reset(before)
