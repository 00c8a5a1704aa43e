"""The finding on a place that cannot be read."""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.loader.sources.source import Refusal

_BARE_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_-]*"
"""Names of repositories without an organization: gpt2."""
_IN_REPOSITORY: Final = r"(?:hf\.co/|huggingface\.co/)?([A-Za-z0-9][\w-]*/[A-Za-z0-9][\w.-]*(?:/\w[\w. -]*)*)"
"""Paths of files and folders in a repository, and repositories with the name of the site: org/name/Q4_K_M.gguf."""


def no_place(refusal: Refusal, given: str = "") -> Finding:
    """The finding that a place cannot be read. given: the path as the user wrote it.

    If the path does not exist, it may be the name of a repository.
    """
    from inspector.findings.reading.place import NotARegularFile, NotFound, NotPermitted

    if refusal.reason == "permission":
        return NotPermitted(reason=refusal.reason, detail=refusal.detail, folder=refusal.folder)
    if refusal.reason == "not-regular":
        return NotARegularFile(reason=refusal.reason, detail=refusal.detail)
    if os.path.islink(given) and not os.path.exists(given):
        return NotFound(reason="broken link", detail=refusal.detail, given=given)
    named = _as_repository(given)
    similar = similar_paths(given) if refusal.reason == "absent" else ()
    return NotFound(reason=refusal.reason, detail=refusal.detail, repository=named, given=given, similar=similar)


def _as_repository(given: str) -> str:
    """The address on the Hub that a path which does not exist may mean; "" if it cannot be one."""
    if re.fullmatch(_BARE_NAME, given):
        return f"hf://{given}"
    found = re.fullmatch(_IN_REPOSITORY, given, re.ASCII)
    return "" if found is None or os.path.exists(given.partition("/")[0]) else f"hf://{found[1]}"


MOST_NAMES: Final = 2_000
"""Most names of a folder that are compared with a name that does not exist."""


def similar_paths(given: str) -> tuple[str, ...]:
    """Existing paths with a name similar to one that does not exist; empty for addresses of other places."""
    if not given or ":" in given:
        return ()
    from difflib import get_close_matches

    folder, name = os.path.split(given.rstrip("/"))
    try:
        with os.scandir(folder or ".") as entries:
            names = [entry.name for entry in islice(entries, MOST_NAMES)]
    except OSError:
        return ()
    return tuple(os.path.join(folder, near) for near in get_close_matches(name, names, 2, 0.75))


def with_similar_paths(finding: Finding, given: str) -> Finding:
    """The finding that a repository cannot be read, with local paths that the user may have meant."""
    from inspector.findings.reading.hub import OfRepository
    from inspector.findings.reading.network import HubUnreachable

    similar = similar_paths(given) if isinstance(finding, HubUnreachable | OfRepository) else ()
    return replace(finding, similar=similar) if similar else finding
