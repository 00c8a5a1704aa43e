"""The config that a GGUF file's key-values amount to, in transformers' words. Pure; tables, and a few shapes.

llama.cpp's converter leaves out what its loader does not need (whether the attention has a bias, whether the
head is tied): that is read from which tensors there are. Source: llama.cpp's convert_hf_to_gguf.py, the
`set_gguf_parameters` of each model class, and gguf-py 0.19.0 `constants.py` (Keys).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.loader.gguf import ArrayOf
from inspector.loader.gguf_names import TABLES, Names
from inspector.loader.layout import Layout

KEYS: Final = {
    "block_count": "num_hidden_layers",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "context_length": "max_position_embeddings",
    "vocab_size": "vocab_size",
    "attention.sliding_window": "sliding_window",
}
"""Key below the architecture's name -> key of a config; what each model type adds or says otherwise is below."""
_EXPERTS: Final = {"expert_used_count": "num_experts_per_tok"}
_LATENT: Final = {
    "attention.q_lora_rank": "q_lora_rank",
    "attention.kv_lora_rank": "kv_lora_rank",
    "rope.dimension_count": "qk_rope_head_dim",
    "expert_count": "n_routed_experts",
    "expert_shared_count": "n_shared_experts",
    "expert_feed_forward_length": "moe_intermediate_size",
    "leading_dense_block_count": "first_k_dense_replace",
    "nextn_predict_layers": "num_nextn_predict_layers",
}
BY_TYPE: Final[Mapping[str, Mapping[str, str]]] = {
    "mixtral": _EXPERTS | {"expert_count": "num_local_experts"},
    "phimoe": _EXPERTS | {"expert_count": "num_local_experts"},
    "olmoe": _EXPERTS | {"expert_count": "num_experts"},
    "qwen2_moe": _EXPERTS
    | {
        "expert_count": "num_experts",
        "expert_feed_forward_length": "moe_intermediate_size",
        "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
    },
    "qwen3_moe": _EXPERTS | {"expert_count": "num_experts", "expert_feed_forward_length": "moe_intermediate_size"},
    "deepseek": _EXPERTS
    | {
        "expert_count": "n_routed_experts",
        "expert_shared_count": "n_shared_experts",
        "expert_feed_forward_length": "moe_intermediate_size",
        "leading_dense_block_count": "first_k_dense_replace",
    },
    "deepseek_v2": _EXPERTS | _LATENT,
    "deepseek_v3": _EXPERTS | _LATENT,
    "gpt2": {"block_count": "n_layer", "embedding_length": "n_embd", "attention.head_count": "n_head",
             "context_length": "n_positions", "feed_forward_length": "n_inner"},
    "gpt_bigcode": {"block_count": "n_layer", "embedding_length": "n_embd", "attention.head_count": "n_head",
                    "context_length": "n_positions", "feed_forward_length": "n_inner"},
    "bloom": {"block_count": "n_layer", "embedding_length": "hidden_size", "attention.head_count": "n_head"},
    "mpt": {"block_count": "n_layers", "embedding_length": "d_model", "attention.head_count": "n_heads"},
    "falcon": {"attention.head_count_kv": "num_kv_heads", "feed_forward_length": "ffn_hidden_size"},
}  # fmt: skip
_WITHOUT: Final = {
    "bloom": {"feed_forward_length", "context_length", "attention.head_count_kv", "attention.key_length"},
    "mpt": {"feed_forward_length", "attention.head_count_kv", "attention.key_length", "context_length"},
    "gpt2": {"attention.head_count_kv", "attention.key_length"},
    "gpt_bigcode": {"attention.head_count_kv", "attention.key_length"},
    "gpt_neox": {"attention.head_count_kv", "attention.key_length"},
    "bert": {"attention.head_count_kv", "attention.key_length"},
    "falcon": {"attention.key_length", "context_length"},
    "stablelm": {"attention.key_length"},
    "deepseek_v2": {"attention.key_length", "attention.head_count_kv"},
    "deepseek_v3": {"attention.key_length", "attention.head_count_kv"},
}
"""Keys that say nothing a model of the type reads."""
BIASES: Final[Mapping[str, Mapping[str, str]]] = {
    "llama": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_gate.bias"},
    "smollm3": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_gate.bias"},
    "granite": {"attention_bias": "attn_q.bias", "mlp_bias": "ffn_gate.bias"},
    "seed_oss": {"attention_bias": "attn_q.bias", "attention_out_bias": "attn_output.bias"},
    "qwen3": {"attention_bias": "attn_q.bias"},
    "qwen3_moe": {"attention_bias": "attn_q.bias"},
    "qwen2_moe": {"qkv_bias": "attn_q.bias"},
    "gemma": {"attention_bias": "attn_q.bias"},
    "gemma2": {"attention_bias": "attn_q.bias"},
    "gemma3_text": {"attention_bias": "attn_q.bias"},
    "phimoe": {"attention_bias": "attn_q.bias", "lm_head_bias": "output.bias"},
    "olmo": {"attention_bias": "attn_q.bias"},
    "olmo2": {"attention_bias": "attn_q.bias"},
    "cohere": {"attention_bias": "attn_q.bias", "use_qk_norm": "attn_q_norm.weight"},
    "cohere2": {"attention_bias": "attn_q.bias"},
    "stablelm": {"use_qkv_bias": "attn_q.bias", "qk_layernorm": "attn_q_norm.weight"},
    "starcoder2": {"use_bias": "attn_q.bias"},
    "falcon": {"bias": "attn_qkv.bias"},
    "gpt_neox": {"attention_bias": "attn_qkv.bias"},
}
"""Switches that the key-values do not have -> the tensor that tells them, at the top or in the first layer."""


def architecture_of(values: Mapping[str, object]) -> str | None:
    """The name of the table that reads a file: its architecture, with experts told from dense."""
    name = values.get("general.architecture")
    if type(name) is not str:
        return None
    if name == "llama" and _number(values.get("llama.expert_count")):
        return "mixtral"
    if name == "deepseek2" and values.get("deepseek2.expert_gating_func") == 2:
        return "deepseek3"
    return name


def names_of(values: Mapping[str, object]) -> Names | None:
    """The names of a file's architecture; None where no table has them."""
    return TABLES.get(architecture_of(values) or "")


def config_of(values: Mapping[str, object], tensors: Mapping[str, Layout]) -> dict[str, object] | None:
    """A config.json of what the key-values say; None where the architecture is in no table.

    tensors: under the file's own names; those of all parts where the model is split.
    """
    prefix = values.get("general.architecture")
    names = names_of(values)
    if names is None or type(prefix) is not str:
        return None
    kind = names.model_type
    without = _WITHOUT.get(kind, set())
    config: dict[str, object] = {"architectures": [names.class_name], "model_type": kind}
    for key, word in {**KEYS, **BY_TYPE.get(kind, {})}.items():
        found = _number(values.get(f"{prefix}.{key}"))
        if found is not None and key not in without:
            config[word] = found
    _vocabulary(config, values, tensors)
    for word, stored in BIASES.get(kind, {}).items():
        config[word] = stored in tensors or f"blk.0.{stored}" in tensors
    config["tie_word_embeddings"] = "output.weight" not in tensors
    _shapes(config, kind, values, tensors)
    return config


def _vocabulary(config: dict[str, object], values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    """The vocabulary's rows, where no key says them: the tokens, else the table of embeddings itself."""
    if "vocab_size" in config:
        return
    tokens = values.get("tokenizer.ggml.tokens")
    table = tensors.get("token_embd.weight")
    if isinstance(tokens, ArrayOf):
        config["vocab_size"] = tokens.count
    elif table is not None and len(table.shape) == 2:
        config["vocab_size"] = table.shape[0]


def _shapes(config: dict[str, object], kind: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> None:
    """What only the presence or the number of tensors tells."""
    if kind == "falcon":
        second = any(name.startswith("blk.0.attn_norm_2.") for name in tensors)
        heads = config.get("num_kv_heads")
        config |= {"new_decoder_architecture": second, "multi_query": heads == 1, "parallel_attn": True}
    elif kind == "stablelm":
        config["use_parallel_residual"] = "blk.0.ffn_norm.weight" not in tensors
    elif kind == "bert":
        types = tensors.get("token_types.weight")
        config["type_vocab_size"] = types.shape[0] if types is not None and types.shape else 2
    elif kind == "gpt_bigcode":
        config["multi_query"] = _number(values.get("starcoder.attention.head_count_kv")) == 1
    elif kind in ("deepseek_v2", "deepseek_v3"):
        _latent(config, values)


def _latent(config: dict[str, object], values: Mapping[str, object]) -> None:
    """Widths of latent attention: with `key_length_mla` the plain keys are those of the compressed form."""
    rotary = config.get("qk_rope_head_dim")
    whole = _number(values.get("deepseek2.attention.key_length_mla"))
    width = _number(values.get("deepseek2.attention.value_length_mla"))
    if whole is None:
        whole = _number(values.get("deepseek2.attention.key_length"))
        width = _number(values.get("deepseek2.attention.value_length"))
    if whole is not None and isinstance(rotary, int):
        config["qk_nope_head_dim"] = whole - rotary
    if width is not None:
        config["v_head_dim"] = width
    config.setdefault("q_lora_rank", None)


def _number(found: object) -> int | None:
    """A number; of a list with one for each layer the one that all have."""
    if isinstance(found, list) and found and all(one == found[0] for one in found):
        found = found[0]
    return found if type(found) is int else None
