"""The finding on a place that cannot be read."""

from __future__ import annotations

import re
from typing import Final

from inspector.findings.finding import Finding
from inspector.loader.sources.source import Refusal

_BARE_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_-]*"
"""Names of repositories without an organization: gpt2."""


def no_place(refusal: Refusal, given: str = "") -> Finding:
    """The finding that a place cannot be read. given: what the user wrote, which may be the name of a repository."""
    from inspector.findings.reading.place import NotARegularFile, NotFound, NotPermitted, Unreadable

    kinds: dict[str, type[Unreadable]] = {"permission": NotPermitted, "not-regular": NotARegularFile}
    kind = kinds.get(refusal.reason)
    if kind is not None:
        return kind(reason=refusal.reason, detail=refusal.detail)
    named = f"hf://{given}" if re.fullmatch(_BARE_NAME, given) else ""
    return NotFound(reason=refusal.reason, detail=refusal.detail, repository=named)
