"""Where the model that mlx-lm builds from a config differs from that of transformers, so that its strict loader refuses
the weights.

Read from `mlx_lm/models` 0.32.2, and measured (`load_model`) on the recorded models of transformers 4.57 and 5.23.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from inspector.findings.finding import ARGS_REQUIRE, NOT_UNTIED
from inspector.loading.converter import HEAD
from inspector.loading.layer_overrides import unread_overrides
from inspector.loading.mlx_keys import keys_lacking

_Values = Mapping[str, Any]

_TEXT_CLASS: Final = {
    "qwen2_vl": "qwen2", "qwen2_5_vl": "qwen2", "qwen3_vl": "qwen3", "qwen3_vl_moe": "qwen3_moe",
    "mistral3": "llama", "llava": "llama", "llama4": "llama4",
}  # fmt: skip
"""Model type -> the type whose ModelArgs are built from `text_config`."""
_BY_NESTED_TYPE: Final = frozenset({"ministral3", "mistral4"})
"""Types of `text_config` that mistral3 builds as such; it builds all others as Llama."""
_LLAMA4: Final = (
    "attention_bias", "attention_chunk_size", "head_dim", "hidden_size", "interleave_moe_layer_step",
    "intermediate_size", "intermediate_size_mlp", "max_position_embeddings", "model_type", "num_attention_heads",
    "num_experts_per_tok", "num_hidden_layers", "num_key_value_heads", "num_local_experts", "rms_norm_eps",
    "rope_scaling", "rope_theta", "use_qk_norm", "vocab_size",
)  # fmt: skip
"""Required keys of TextArgs in llama4.py."""
_VOCABULARY: Final = {"gemma3": 262208, "gemma4": 262144}
"""Type -> the default of `vocab_size` in its ModelArgs, which replaces the one of `text_config`."""


def refusal_of_model(values: _Values, stored: Collection[str]) -> str:
    """Why mlx-lm does not build or fill its model; empty if nothing is known that hinders it.

    stored: the names of the tensors.
    """
    kind = values.get("model_type")
    if not isinstance(kind, str):
        return ""
    text = values.get("text_config")
    inner: _Values = text if isinstance(text, dict) else {}
    return next(_of_text_config(kind, inner), "") or (_RULES[kind](values, inner, stored) if kind in _RULES else "")


def _of_text_config(kind: str, text: _Values) -> Iterator[str]:
    if not text or kind not in _TEXT_CLASS:
        return
    nested = text.get("model_type")
    of_own_type = kind in ("mistral3", "llava") and nested in _BY_NESTED_TYPE
    built = str(nested) if of_own_type else _TEXT_CLASS[kind]
    stated = {*text, *(["tie_word_embeddings"] if _TEXT_CLASS[kind] == "llama" else [])}
    lacking = [key for key in _LLAMA4 if key not in stated] if kind == "llama4" else keys_lacking(built, stated)
    if lacking:
        yield f"{ARGS_REQUIRE} {', '.join(lacking)}, which text_config does not state"


def _width_of_head(values: _Values, text: _Values, stored: Collection[str]) -> str:
    stated, width, heads = (values.get(key) for key in ("head_dim", "hidden_size", "num_attention_heads"))
    if not (isinstance(stated, int) and isinstance(width, int) and isinstance(heads, int) and heads):
        return ""
    return "" if stated == width // heads else "it takes hidden_size / num_attention_heads in place of head_dim"


def _default_head(values: _Values, text: _Values, stored: Collection[str]) -> str:
    width, heads = values.get("hidden_size"), values.get("num_attention_heads")
    if values.get("head_dim") is not None or not (isinstance(width, int) and isinstance(heads, int) and heads):
        return ""
    return "" if width // heads == 64 else "it takes 64 for head_dim, which config.json does not state"


def _four_times(values: _Values, text: _Values, stored: Collection[str]) -> str:
    inner, width = values.get("intermediate_size"), values.get("hidden_size")
    if not (isinstance(inner, int) and isinstance(width, int)) or inner == 4 * width:
        return ""
    return "it takes 4 * hidden_size in place of intermediate_size"


def _vocabulary(values: _Values, text: _Values, stored: Collection[str]) -> str:
    default = _VOCABULARY[values["model_type"]]
    taken = values.get("vocab_size", default)
    if not text or text.get("vocab_size", default) == taken:
        return ""
    return f"it takes vocab_size from the whole config ({default:,} without it), not from text_config"


def _biases(values: _Values, text: _Values, stored: Collection[str]) -> str:
    unbiased = [key for key in ("attention_bias", "lm_head_bias") if not values.get(key)]
    return f"its model has the biases that {' and '.join(unbiased)} leaves out" if unbiased else ""


def _packed_only(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "" if any(name.endswith(".weight_scale") for name in stored) else "it reads packed BitNet weights alone"


def _rope_scaling(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "" if isinstance(values.get("rope_scaling"), dict) else "it reads rope_scaling, which config.json lacks"


def _inner_width(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "" if values.get("n_inner") is not None or "n_inner" not in values else "it takes no null for n_inner"


def _one_expert(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "" if text.get("num_experts_per_tok") in (None, 1) else "it has one expert for each token alone"


def _head_of_text(values: _Values, text: _Values, stored: Collection[str]) -> str:
    """qwen2_vl builds no head unless `text_config` unties it."""
    of_text = text or values
    has_head = HEAD in stored or f"language_model.{HEAD}" in stored
    if not has_head or of_text.get("tie_word_embeddings", True) is False:
        return ""
    return f"its model has no {HEAD}: {'text_config' if text else 'config.json'} {NOT_UNTIED}"


def _untied(values: _Values, text: _Values, stored: Collection[str]) -> str:
    """mistral3 builds a head unless `text_config` ties it."""
    has_head = HEAD in stored or f"language_model.{HEAD}" in stored
    if has_head or not text or text.get("tie_word_embeddings"):
        return ""
    return f"its model has {HEAD}, which is not stored: text_config does not tie it"


def _plain_mxfp4(values: _Values, text: _Values, stored: Collection[str]) -> str:
    plain = any(name.endswith(".mlp.experts.gate_up_proj") for name in stored)
    return "it reads experts in MXFP4, or under its own names" if plain else ""


def _single_experts(values: _Values, text: _Values, stored: Collection[str]) -> str:
    single = any(re.search(r"\.mlp\.experts\.\d+\.", name) for name in stored)
    return "it reads stacked experts alone" if single else ""


def _mamba_by_name(values: _Values, text: _Values, stored: Collection[str]) -> str:
    kinds = values.get("layer_types")
    newer = isinstance(kinds, list) and "linear_attention" in kinds
    return 'it does not know "linear_attention" in layer_types, which was "mamba"' if newer else ""


def _dense_alone(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "its model has no experts" if any(".feed_forward.experts." in name for name in stored) else ""


def _gemma4(values: _Values, text: _Values, stored: Collection[str]) -> str:
    """transformers 5.15 and later state the widths of Gemma 4's full attention for each layer alone."""
    if because := _vocabulary({**values, "model_type": "gemma4"}, text, stored):
        return because
    return unread_overrides(text or values, "in text_config" if text else "in config.json")


def _per_layer(values: _Values, text: _Values, stored: Collection[str]) -> str:
    if because := _gemma4(values, text, stored):
        return because
    lacks = bool(text) and "hidden_size_per_layer_input" not in text and not any("per_layer" in one for one in stored)
    return "it takes 256 for hidden_size_per_layer_input, which text_config does not state" if lacks else ""


def _one_key_head(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "" if values.get("num_key_value_heads") in (None, 1) else "it has one key and value head alone"


def _of_own_code(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "it reads the names of nanochat's own code" if "model.embed_tokens.weight" in stored else ""


def _of_training_code(values: _Values, text: _Values, stored: Collection[str]) -> str:
    return "" if "d_model" in values else "its class is that of OLMo's training code"


_RULES: Final[Mapping[str, Callable[[_Values, _Values, Collection[str]], str]]] = {
    "mixtral": _width_of_head, "helium": _width_of_head, "falcon_h1": _default_head, "gpt_neox": _four_times,
    "gemma3": _vocabulary, "gemma4": _gemma4, "gemma4_text": _gemma4, "phimoe": _biases, "bitnet": _packed_only,
    "deepseek_v2": _rope_scaling, "minicpm3": _rope_scaling, "gpt_bigcode": _inner_width, "llama4": _one_expert,
    "qwen2_vl": _head_of_text, "qwen2_5_vl": _head_of_text, "mistral3": _untied, "gpt_oss": _plain_mxfp4,
    "qwen3_5_moe": _single_experts, "granitemoehybrid": _mamba_by_name, "llama4_text": _dense_alone,
    "olmo": _of_training_code, "gemma4_unified": _per_layer, "recurrent_gemma": _one_key_head, "nanochat": _of_own_code,
}  # fmt: skip
