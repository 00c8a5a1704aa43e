"""Predicts what vLLM does with the stored head of a model that ties it to the embedding.

Source: the classes of vLLM 0.33. Most have a module for the head, which is the embedding if the config ties it, and
skip the tensor of a stored copy. Some compute the logits with the embedding itself: of these, Cohere's drop the tensor
by a rule of their own, and those below give it to `AutoWeightsLoader`, which raises for a name without a module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.findings.finding import NO_OWN_HEAD

_HEADLESS: Final = frozenset({"Gemma2ForCausalLM", "Gemma3nForCausalLM", "Gemma3nForConditionalGeneration"})
_WITH_TEXT_MODEL: Final = frozenset({"PaliGemmaForConditionalGeneration"})
"""Classes that have the class of the text model in them, as vLLM's list names it for the type of `text_config`."""
_HEADLESS_TEXT: Final = frozenset({"gemma2"})


def head_refused(class_name: str | None, values: Mapping[str, Any]) -> str:
    """Why vLLM refuses a stored head that the config ties to the embedding; empty if it does not."""
    text = values.get("text_config")
    inner = text.get("model_type") if isinstance(text, Mapping) else None
    refused = class_name in _HEADLESS or (class_name in _WITH_TEXT_MODEL and inner in _HEADLESS_TEXT)
    return NO_OWN_HEAD if refused else ""
