"""The config.json that litgpt's `model_config.yaml` (older: `lit_config.json`) amounts to. Pure.

litgpt has one model class; which of transformers' types it stands for follows from the modules that its switches
give it. The class never ties its head, and its vocabulary has `padded_vocab_size` rows. Source: litgpt's config.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.loader import strict_json

_KEYS: Final = {
    "n_embd": "hidden_size",
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_query_groups": "num_key_value_heads",
    "head_size": "head_dim",
    "intermediate_size": "intermediate_size",
    "block_size": "max_position_embeddings",
}
_LATENT: Final = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
_CLASSES: Final = {
    "llama": "Llama", "qwen2": "Qwen2", "qwen3": "Qwen3", "olmo2": "Olmo2", "stablelm": "StableLm", "phi": "Phi",
    "gemma": "Gemma", "gemma2": "Gemma2", "gemma3_text": "Gemma3", "mixtral": "Mixtral", "qwen3_moe": "Qwen3Moe",
    "deepseek_v3": "DeepseekV3", "gpt_neox": "GPTNeoX", "falcon": "Falcon",
}  # fmt: skip
Values = Mapping[str, object]


def read_values(name: str, raw: bytes) -> dict[str, object] | None:
    """The top-level keys of either file; None where it is not one."""
    if name.endswith(".json"):
        values = strict_json.decode_config(raw)
        return values if isinstance(values, dict) else None
    return flat_yaml(raw.decode("utf-8", "replace"))


def flat_yaml(text: str) -> dict[str, object]:
    """The plain values at the top of a YAML text; blocks below a key and lists are passed over."""
    values: dict[str, object] = {}
    for line in text.splitlines():
        key, colon, rest = line.partition(":")
        if colon and rest.strip() and key == key.strip() and not key.startswith(("#", "-", '"', "'", "{", "[")):
            values[key] = _plain(rest.strip())
    return values


def _plain(text: str) -> object:
    if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1:
        return text[1:-1]
    words: dict[str, object] = {"true": True, "false": False, "null": None, "~": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text) if len(text) < 40 else text
        except ValueError:
            continue
    return text


def as_config(values: Values) -> dict[str, object] | None:
    """A config.json of what litgpt's says; None where it says too little."""
    sizes = {name: _number(values.get(name)) for name in ("n_embd", "n_layer", "n_head")}
    if None in sizes.values():
        return None
    kind = _type(values)
    config: dict[str, object] = {"architectures": [f"{_CLASSES[kind]}ForCausalLM"], "model_type": kind}
    config |= {word: found for key, word in _KEYS.items() if (found := _number(values.get(key))) is not None}
    width, heads = sizes["n_embd"], sizes["n_head"]
    assert width is not None and heads is not None
    config.setdefault("num_key_value_heads", heads)
    config.setdefault("intermediate_size", 4 * width)
    if heads and not width % heads:
        config.setdefault("head_dim", width // heads)
    config["vocab_size"] = _rows(values)
    config["tie_word_embeddings"] = False
    _switches(config, kind, values)
    return {key: value for key, value in config.items() if value is not None or key == "q_lora_rank"}


def _type(values: Values) -> str:
    """The type of transformers whose modules these switches give."""
    mlp = values.get("mlp_class_name") or values.get("_mlp_class") or "GptNeoxMLP"
    rms = "RMSNorm" in str(values.get("norm_class_name") or values.get("_norm_class") or "LayerNorm")
    normed = bool(values.get("norm_qk"))
    if mlp == "GemmaMLP":
        return "gemma3_text" if normed else "gemma2" if values.get("post_mlp_norm") else "gemma"
    if mlp == "LLaMAMoE":
        if values.get("latent_attention"):
            return "deepseek_v3"
        return "qwen3_moe" if normed else "mixtral"
    if mlp == "LLaMAMLP":
        if normed:
            return "olmo2" if values.get("norm_qk_type") == "olmo2" else "qwen3"
        if not rms:
            return "stablelm"
        return "qwen2" if _qkv_bias(values) and not values.get("bias") else "llama"
    if values.get("lm_head_bias"):
        return "phi"
    return "gpt_neox" if values.get("bias", True) else "falcon"


def _qkv_bias(values: Values) -> bool:
    return bool(values.get("attn_bias"))


def _rows(values: Values) -> int | None:
    """The rows of the vocabulary: given, or rounded up to `padding_multiple` (512 unless given)."""
    padded, plain = (_number(values.get(key)) for key in ("padded_vocab_size", "vocab_size"))
    multiple = _number(values.get("padding_multiple")) or 512
    return padded if padded is not None or plain is None else -(-plain // multiple) * multiple


def _switches(config: dict[str, object], kind: str, values: Values) -> None:
    """What single types call by names of their own."""
    bias = bool(values.get("bias", True))
    experts = _number(values.get("n_expert"))
    if kind in ("llama", "qwen3", "qwen3_moe"):
        config["attention_bias"] = bias or _qkv_bias(values)
    if kind == "llama":
        config["mlp_bias"] = bias
    if kind == "mixtral":
        config["num_local_experts"] = experts
    if kind == "qwen3_moe":
        config |= {"num_experts": experts, "moe_intermediate_size": _number(values.get("moe_intermediate_size"))}
    if kind == "deepseek_v3":
        config |= {key: _number(values.get(key)) for key in _LATENT}
        config |= {
            "n_routed_experts": experts,
            "n_shared_experts": _number(values.get("n_shared_expert")),
            "moe_intermediate_size": _number(values.get("moe_intermediate_size")),
            "first_k_dense_replace": _number(values.get("first_k_dense_replace")) or 0,
            "num_nextn_predict_layers": 0,
        }
    if kind == "gpt_neox":
        config["attention_bias"] = bias
    if kind == "stablelm":
        config |= {"use_parallel_residual": bool(values.get("shared_attention_norm")), "use_qkv_bias": bias}
    if kind == "falcon":
        groups = config["num_key_value_heads"]
        config |= {"num_kv_heads": groups, "new_decoder_architecture": not values.get("shared_attention_norm"),
                   "multi_query": groups == 1, "parallel_attn": True, "bias": False}  # fmt: skip


def _number(found: object) -> int | None:
    return found if type(found) is int else None
