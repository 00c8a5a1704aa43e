"""Adds to a checkpoint what its own files state in other formats: its config in transformers' keys, and joined slices.

The loader returns the key-values of a GGUF file and the settings of litgpt unchanged; here they become the config that
every later stage reads. A checkpoint with a config.json passes through unchanged.
"""

from __future__ import annotations

from msgspec.structs import replace

from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config


def with_stated_config(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with the config that follows from its files in another writer's format, if it is understood.

    Metadata inside the weight files take precedence over a config next to them. Files with slices of every matrix are
    joined. Idempotent.
    """
    if checkpoint.by_rank:
        from inspector.dialects.meta_slices import joined

        checkpoint = joined(checkpoint)
    stated, config = checkpoint.metadata, checkpoint.config
    if stated is not None and config is None:
        checkpoint, config = _of_gguf(checkpoint, stated)
    if config is not None and config.kind == "litgpt":
        from inspector.dialects import litgpt

        values = litgpt.config_of(config.values)
        config = None if values is None else Config(config.file, values, "config")
    if config is not None and config.kind == "config":
        from inspector.dialects import timm, whisper

        if (values := timm.config_of(config.values)) is not None:
            config = Config(config.file, values, "config")
        elif (values := whisper.config_of(config.values)) is not None and whisper.has_own_names(checkpoint.tensors):
            config = Config(config.file, values, "config", whisper.MLX_WHISPER)
    return checkpoint if config is checkpoint.config else replace(checkpoint, config=config)


def _of_gguf(checkpoint: Checkpoint, stated: Config) -> tuple[Checkpoint, Config | None]:
    """The checkpoint with findings on its key-values, and the config that they state.

    If the length of lists is not the number of layers, the config is derived from corrected lists.
    """
    from inspector.dialects import gguf_config
    from inspector.dialects.gguf import WRITER
    from inspector.dialects.gguf_contradictions import contradictions
    from inspector.dialects.gguf_heads import head_findings
    from inspector.dialects.gguf_kinds import kind_findings
    from inspector.dialects.gguf_layer_lists import layer_kinds
    from inspector.dialects.gguf_required import list_lengths, missing_keys, pre_tokenizer, short_lists, with_lengths
    from inspector.dialects.gguf_shapes import in_original_shapes
    from inspector.dialects.gguf_sizes import rotary_factors, size_findings, with_sizes
    from inspector.dialects.gguf_vocabulary import key_types, special_tokens, start_of_text, vocabulary_kind

    tensors = in_original_shapes(stated.values, checkpoint.tensors)
    checkpoint = checkpoint if tensors is checkpoint.tensors else replace(checkpoint, tensors=tensors)
    kind = tuple(kind_findings(stated, checkpoint.tensors))
    if kind:
        return replace(checkpoint, findings=(*checkpoint.findings, *kind)), None
    lists = list_lengths(stated, checkpoint.tensors)
    meant = stated.values if lists is None else with_lengths(stated.values, lists, checkpoint.tensors)
    values = gguf_config.config_of(meant, checkpoint.tensors)
    if values is None:
        return checkpoint, None
    model_type = values["model_type"]
    wrong = list(size_findings(stated, model_type, checkpoint.tensors))
    values = gguf_config.config_of(with_sizes(meant, wrong), checkpoint.tensors) or values
    right = replace(stated, values=dict(with_sizes(stated.values, wrong)))
    found = [
        *head_findings(right, model_type, checkpoint.tensors),
        *wrong,
        *contradictions(stated),
        *layer_kinds(stated, checkpoint.tensors),
        *missing_keys(stated, checkpoint.tensors),
        *pre_tokenizer(stated),
        *short_lists(stated),
        *key_types(stated),
        *vocabulary_kind(stated),
        *special_tokens(stated),
        *start_of_text(stated),
        *rotary_factors(stated, checkpoint.tensors),
        *([] if lists is None else [lists]),
    ]
    checkpoint = replace(checkpoint, findings=(*checkpoint.findings, *found))
    return checkpoint, Config(stated.file, values, "config", WRITER)
