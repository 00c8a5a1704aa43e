"""Recognises stored weights that belong to an adapter, and adapters that PEFT loads."""

from __future__ import annotations

from inspector.adapters.expected import PROMPTS
from inspector.adapters.methods import PEFT_TYPES
from inspector.adapters.names import (
    OWN_PREFIX,
    PROMPT_TENSORS,
    adapter_kind,
    is_adapter,
    is_unmerged,
    saved_name,
    tuner_name,
)
from inspector.adapters.tools import is_tool_adapter, tool_tensors
from inspector.auditing.adapter.mlx import MLX_KEYS, of_whole_layers
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import PEFT
from inspector.matcher.families import Families


def of_peft(checkpoint: Checkpoint) -> bool:
    """True if the config is one that PEFT loads; the config of mlx-lm has the same file name and other keys."""
    return checkpoint.adapter is not None and not MLX_KEYS & checkpoint.adapter.values.keys()


def holds_adapter(checkpoint: Checkpoint, stored: Families) -> bool:
    """True if the weights belong to an adapter, by their names; its config may be absent."""
    if of_peft(checkpoint):
        tuned = sum(bool(tuner_name(key)) or key in PROMPT_TENSORS or key.startswith(OWN_PREFIX) for key in stored)
        read = PEFT.finds(checkpoint.set_name)  # whatever it holds: without a tensor of the method it adds nothing
        most = read and (not tuned or 2 * tuned >= len(stored) or _is_prompt(checkpoint) or _has_biases(stored))
        named = not stored or most or is_adapter(map(saved_name, stored))
        return named and (bool(stored) or checkpoint.set_name.startswith(tuple(PEFT.stems.values())))
    if of_whole_layers(checkpoint) or is_tool_adapter(tool_tensors(stored), stored):
        return True
    if checkpoint.adapter is None and adapter_kind(stored) is not None and _of_vectors(stored):
        return not is_unmerged(stored)
    return is_adapter(stored) and (checkpoint.adapter is not None or adapter_kind(stored) is not None)


def _of_vectors(stored: Families) -> bool:
    """True if all tensors but those of the method are vectors: norms and biases that the adapter trains as a whole."""
    others = (family for key, family in stored.items() if tuner_name(key) is None)
    return all(len(part.layout.shape) == 1 for family in others for part in family.stored)


def _has_biases(stored: Families) -> bool:
    """True if all tensors but those of the method are biases: an adapter may train all biases of its base."""
    return all(tuner_name(key) is not None or key.endswith(".bias") for key in stored)


def _is_prompt(checkpoint: Checkpoint) -> bool:
    """True if the config is that of a prompt: its only tensor cannot be recognised under another name."""
    kind = None if checkpoint.adapter is None else checkpoint.adapter.values.get("peft_type")
    return isinstance(kind, str) and kind in PEFT_TYPES and kind.lower() in PROMPTS
