"""Judges a GGUF file by its own metadata where a config.json beside it is of another model, or of none: no program that
reads GGUF files reads that config (transformers with `gguf_file=` neither, measured with 5.23).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from inspector.auditing.result import Audit, Skipped
from inspector.loader.checkpoint import Checkpoint

BESIDE: Final = "config.json"
_NAMING: Final = frozenset({"model_type", "architectures", "auto_map", "_class_name"})
"""Keys of a config.json by which programs choose a class."""


def without_config_beside(audited: Audit, checkpoint: Checkpoint, audit: Callable[[Checkpoint], Audit]) -> Audit:
    """The audit by the metadata of the file if the config.json beside it names no model, or gives more errors.

    checkpoint: as it was read.
    """
    config = audited.checkpoint.config
    beside = config is not None and config.file == BESIDE and checkpoint.metadata is not None
    unnamed = beside and _names_none(audited)
    if not beside or not (unnamed or _errors(audited)):
        return audited
    own = audit(replace(checkpoint, config=None))
    if own.checkpoint.config is None or (_errors(own) >= _errors(audited) and not unnamed):
        return audited
    because = "it has no model_type" if unnamed else "it does not fit the tensors"
    return replace(own, skipped=(*own.skipped, Skipped(BESIDE, f"{because}, and no program reads it with a GGUF file")))


def _names_none(audited: Audit) -> bool:
    """True if the config.json beside the file names no model, by its type, class or code."""
    config = audited.checkpoint.config
    return audited.case is None and config is not None and _NAMING.isdisjoint(config.values)


def _errors(audited: Audit) -> int:
    return sum(one.severity == "error" for one in audited.findings)
