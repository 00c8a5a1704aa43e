"""What a checkpoint's own files state of the model: its config in transformers' keys, and slices put together.

The loader returns the key-values of a GGUF file and the settings of litgpt as they are; here they become the config
that every later stage reads. A checkpoint with a config.json passes through unchanged.
"""

from __future__ import annotations

from msgspec.structs import replace

from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config


def with_stated_config(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with the config that its files state in another writer's words, where they are understood.

    Metadata inside the weight files come before a config next to them. Files that each hold a slice of every matrix
    are put together. Idempotent.
    """
    if checkpoint.by_rank:
        from inspector.dialects.meta_slices import joined

        checkpoint = joined(checkpoint)
    stated, config = checkpoint.metadata, checkpoint.config
    if stated is not None and config is None:
        from inspector.dialects import gguf_config
        from inspector.dialects.gguf import WRITER
        from inspector.dialects.gguf_heads import head_findings
        from inspector.dialects.gguf_required import missing_keys

        values = gguf_config.config_of(stated.values, checkpoint.tensors)
        if values is not None:
            config = Config(stated.file, values, "config", WRITER)
            heads = head_findings(stated, values["model_type"], checkpoint.tensors)
            disagreeing = (*heads, *missing_keys(stated, checkpoint.tensors))
            checkpoint = replace(checkpoint, findings=(*checkpoint.findings, *disagreeing))
    if config is not None and config.kind == "litgpt":
        from inspector.dialects import litgpt

        values = litgpt.config_of(config.values)
        config = None if values is None else Config(config.file, values, "config")
    return checkpoint if config is checkpoint.config else replace(checkpoint, config=config)
