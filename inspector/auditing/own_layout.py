"""Whether a checkpoint is laid out for the program that named its tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.dialects.language import Dialect
    from inspector.loader.checkpoint import Checkpoint


def finds(writer: Dialect, checkpoint: Checkpoint) -> bool:
    """True if the writer's own program finds its config and the audited weights, or if no other config exists."""
    if checkpoint.config is not None and checkpoint.config.file in writer.own_configs:
        return True
    return (not writer.own_files or _is_named(writer, checkpoint)) and _has_config(writer, checkpoint)


def is_laid_out_for(writer: str, checkpoint: Checkpoint) -> bool:
    """True if the weights have the file name of their writer's program and its config is next to them, whose
    config.json says nothing else.
    """
    from inspector.dialects.catalog import dialects_by

    known = dialects_by(writer) if writer else ()
    return any(one.copies_config and _is_named(one, checkpoint) and _has_config(one, checkpoint) for one in known)


def _is_named(writer: Dialect, checkpoint: Checkpoint) -> bool:
    return bool(writer.own_files) and checkpoint.set_name.startswith(writer.own_files)


def _has_config(writer: Dialect, checkpoint: Checkpoint) -> bool:
    return any(file in checkpoint.siblings for file in writer.own_configs)
