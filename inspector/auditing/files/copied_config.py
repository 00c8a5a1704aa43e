"""Finds a config under the name that a second download or a copy gives to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config, read_config

_COPY: Final = re.compile(
    r"(?:copy of )?(?P<stem>.+?)(?: ?\(\d+\)| - copy(?: \(\d+\))?| copy(?: \d+)?)?\.json(?:\.\d+|\.txt)?", re.IGNORECASE
)
"""Names of copies: `config (1).json` of browsers, `config.json.1` of wget, `config - Copy.json` of Windows,
`config copy.json` of macOS, `Copy of config.json` of Google Drive, and `config.json.txt`.
"""
MOST_READ: Final = 4
"""Most copies that are read."""


def copied_configs(checkpoint: Checkpoint, wanted: str) -> Iterator[Config]:
    """The readable JSON objects of a folder with the name of a copy of `wanted`."""
    stem = wanted.removesuffix(".json")
    names = [name for name in sorted(checkpoint.siblings) if name != wanted and _stem_of(name) == stem]
    source = checkpoint.reach() if names and checkpoint.reach is not None else None
    if source is None:
        return
    for name in names[:MOST_READ]:
        config, _ = read_config(source, name, "config")
        if config is not None:
            yield config


def _stem_of(name: str) -> str | None:
    found = _COPY.fullmatch(name)
    return None if found is None else found["stem"].casefold()
