"""Changes of tensor names: exact names, or patterns in which each `*` means the same text on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

Change = tuple[str, str]
"""The name, or the pattern, before and after."""


def renamed(name: str, changes: Iterable[Change]) -> str:
    """The name after the first matching change.

    A pattern that begins with `*` applies anywhere in the name, and before the other changes: until it no longer fits,
    or once if what it makes fits it again.
    """
    for old, new in changes:
        pattern = _compiled(old)
        found = pattern.fullmatch(name)
        if found is not None and not old.startswith("*"):
            return _filled(new, found.groups())
        while found is not None:
            name = _filled(new, found.groups())
            found = None if pattern.fullmatch(new) else pattern.fullmatch(name)
    return name


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("(.*?)".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def _filled(pattern: str, texts: tuple[str, ...]) -> str:
    parts = pattern.split("*")
    return "".join(part + text for part, text in zip(parts, (*texts, ""), strict=False))
