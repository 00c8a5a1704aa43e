"""Names of files that are not whole: unfinished downloads and saves, and the pieces of a file that was split."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from inspector.findings.finding import UNFINISHED

UNFINISHED_ENDINGS: Final = (*UNFINISHED, ".tmp")
_TEMPORARY: Final = r"\.?tmp[A-Za-z0-9_-]*(?:\..*)?|.*\.safetensors\.[A-Za-z0-9]*tmp[A-Za-z0-9]*"
"""Names under which programs write a file until it is complete."""
_PART: Final = re.compile(
    r"(?P<before>(?P<whole>.*\.(?:gguf|safetensors|bin|pth?|ckpt|zip|tar|7z|rar|t?gz|xz|zst))(?:(?P<word>[._-]?(?:part|chunk|split)[._-]?)|\.-?))"
    r"(?:\d{1,4}(?:of\d{1,4})?|aa[a-z]{1,2}|(?(word)[a-z]{1,2}|[ab][a-z]))",
    re.ASCII | re.DOTALL,
)
"""Names of the pieces of a file that was split for uploading; `split` numbers them with letters: aa, ab or a, b."""


def is_unfinished(name: str) -> bool:
    """True for a name of a file that is still written, or of a piece of a file."""
    return name.endswith(UNFINISHED_ENDINGS) or is_temporary(name) or is_part(name)


def is_temporary(name: str) -> bool:
    return "tmp" in name and re.fullmatch(_TEMPORARY, name[:255], re.ASCII | re.DOTALL) is not None


def is_part(name: str) -> bool:
    return _PART.fullmatch(name[-255:]) is not None


def whole_of(parts: Sequence[str]) -> tuple[str, ...]:
    """(beginning of the names of the pieces of one file, its own name); () if their order is not that of the names."""
    found = {(match["before"], match["whole"]) for name in parts if (match := _PART.fullmatch(name)) is not None}
    return found.pop() if len(parts) > 1 and len(found) == 1 and len(set(map(len, parts))) == 1 else ()
