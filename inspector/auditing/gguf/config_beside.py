"""Judges a GGUF file by its own metadata where a config.json beside it is of another model: no program that reads GGUF
files reads that config.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from inspector.auditing.result import Audit, Skipped
from inspector.loader.checkpoint import Checkpoint

BESIDE: Final = "config.json"


def without_config_beside(audited: Audit, checkpoint: Checkpoint, audit: Callable[[Checkpoint], Audit]) -> Audit:
    """The audit by the metadata of the file if that by the config.json beside it has more errors.

    checkpoint: as it was read.
    """
    config = audited.checkpoint.config
    beside = config is not None and config.file == BESIDE and checkpoint.metadata is not None
    if not beside or not _errors(audited):
        return audited
    own = audit(replace(checkpoint, config=None))
    if own.checkpoint.config is None or _errors(own) >= _errors(audited):
        return audited
    because = "it does not fit the tensors, and no program reads it with a GGUF file"
    return replace(own, skipped=(*own.skipped, Skipped(BESIDE, because)))


def _errors(audited: Audit) -> int:
    return sum(one.severity == "error" for one in audited.findings)
