"""Predicts what mlx-lm does with weights that other tools quantized.

Source: `load_model`, `_transform_awq_weights` and `_compressed_tensors_quantization` in `mlx_lm/utils.py` 0.32.2, which
read four bits in AWQ's layout and adopt the settings of some formats. Only the `sanitize` of a few model types reads
the tensors themselves; all other types refuse unknown names. Measured with Llama and Mixtral.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION
from inspector.loading.awq import misread_layout
from inspector.loading.outcome import REFUSES, UNKNOWN

OWN_BLOCK: Final = "quantization"
BITS: Final = 4
FORMATS: Final = frozenset({"nvfp4-pack-quantized", "mxfp4-pack-quantized", "pack-quantized"})
"""Formats of compressed-tensors with settings that mlx-lm adopts."""
SCALED: Final = frozenset({
    "deepseek_v3", "deepseek_v32", "glm_moe_dsa", "joyai_llm_flash", "kimi_k2", "kimi_k25", "kimi_vl", "llava",
    "mimo_v2_flash", "minimax", "minimax_m2", "minimax_m3_vl", "ministral3", "mistral3", "mistral4",
})  # fmt: skip
"""Model types that apply the scales of fp8 themselves (`weight_scale_inv` in their module, or in its base)."""
PACKED: Final = frozenset({
    "bailing_hybrid", "bailing_moe_v3", "deepseek_v2", "deepseek_v3", "deepseek_v32", "deepseek_v41",
    "deepseek_v41_text", "glm4_moe_lite", "joyai_llm_flash", "kimi_k2", "kimi_k25", "kimi_k3", "kimi_linear",
    "kimi_vl", "longcat_flash", "minicpm3", "mistral4", "muse_spark", "youtu_llm",
})  # fmt: skip
"""Model types that may read `weight_packed` themselves."""
NOT_RECORDED: Final = "whether its class of this type reads the quantized tensors was not recorded"
SCALES: Final = ("weight_scale_inv", "weight_scale")
ORDER: Final = ".g_idx"
EXPERTS: Final = ".experts."

Answer = tuple[str, str]
"""(outcome, reason)."""


def of_other_tool(values: Mapping[str, Any], model_type: str | None, names: Iterable[str]) -> Answer | None:
    """What mlx-lm does with another tool's block; None if nothing prevents loading, or without such a block."""
    block = values.get(QUANTIZATION)
    if not isinstance(block, Mapping) or OWN_BLOCK in values:
        return None
    method = block.get("quant_method")
    rule = RULES.get(method) if isinstance(method, str) else None
    return None if rule is None else rule(block, model_type, tuple(names))


def _of_compressed_tensors(block: Mapping[str, Any], model_type: str | None, names: tuple[str, ...]) -> Answer:
    stated = block.get("format")
    if stated not in FORMATS:
        return REFUSES, f"unsupported compressed-tensors format '{stated}'"
    return (UNKNOWN, NOT_RECORDED) if model_type in PACKED else (REFUSES, "its model has no weight_packed")


def _of_fp8(block: Mapping[str, Any], model_type: str | None, names: tuple[str, ...]) -> Answer | None:
    scale = next((name for name in names if name.endswith(SCALES)), None)
    if scale is None:
        return None
    taken = model_type in SCALED or block.get("scale_fmt") == "ue8m0"
    return (UNKNOWN, NOT_RECORDED) if taken else (REFUSES, f"its model has no {scale.rpartition('.')[2]}")


def _of_awq(block: Mapping[str, Any], model_type: str | None, names: tuple[str, ...]) -> Answer | None:
    """What mlx-lm does with AWQ's layout."""
    if block.get("bits", BITS) != BITS:
        return REFUSES, f"it reads {BITS} bits of AWQ only"
    if because := misread_layout(block):
        return REFUSES, because
    return (UNKNOWN, NOT_RECORDED) if any(EXPERTS in name for name in names) else None


def _of_gptq(block: Mapping[str, Any], model_type: str | None, names: tuple[str, ...]) -> Answer | None:
    """What mlx-lm does with GPTQ: it reads the tensors as those of AWQ."""
    if block.get("bits", BITS) != BITS:
        return REFUSES, f"it reads {BITS} bits of AWQ only"
    return REFUSES, "it reads no g_idx" if any(name.endswith(ORDER) for name in names) else "it reads AWQ's layout only"


Rule = Callable[[Mapping[str, Any], str | None, tuple[str, ...]], Answer | None]
"""The result for a block, a model type and the names of the tensors."""
RULES: Final[Mapping[str, Rule]] = {
    "awq": _of_awq, "compressed-tensors": _of_compressed_tensors, "fp8": _of_fp8, "gptq": _of_gptq,
}  # fmt: skip
"""Method -> what mlx-lm does with it."""
