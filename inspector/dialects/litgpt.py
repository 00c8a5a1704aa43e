"""litgpt: tensor names, and the config that follows from its own config.

Source: `litgpt/scripts/convert_hf_checkpoint.py` (the maps of every family), `litgpt/model.py` (module names, and
`attn.attn`, as it called the joined matrix before 0.5.4). The joined matrix is [q; k; v]; `padded_vocab_size` rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from inspector.dialects.keys import Words, config_from
from inspector.dialects.language import DECODERS, Dialect, stored

_H: Final = "transformer.h.{0}."
LITGPT: Final = Dialect(
    writer="litgpt",
    exporter="litgpt convert_from_litgpt",
    own_configs=("model_config.yaml", "lit_config.json"),
    own_files=("lit_model",),
    copies_config=True,
    names={
        "embed.token": stored("transformer.wte", "padded"),
        "norm.final": "transformer.ln_f",
        "head.token": stored("lm_head", "padded"),
        "norm.attention": _H + "norm_1",
        "norm.mlp": _H + "norm_2",
        "norm.attention.post": _H + "post_attention_norm",
        "norm.mlp.post": _H + "post_mlp_norm",
        "attention.qkv": _H + "attn.qkv",
        "attention.output": _H + "attn.proj",
        "norm.query": (_H + "attn.norm_q", _H + "attn.q_a_norm"),
        "norm.key": _H + "attn.norm_k",
        "attention.query.down": _H + "attn.q_a_proj",
        "attention.query.up": _H + "attn.q_b_proj",
        "attention.kv.down": _H + "attn.kv_a_proj_with_mqa",
        "norm.kv": _H + "attn.kv_a_norm",
        "attention.kv.up": _H + "attn.kv_b_proj",
        "mlp.gate": _H + "mlp.fc_1",
        "mlp.up": _H + "mlp.fc_2",
        "mlp.up.alone": _H + "mlp.fc",
        "mlp.down": _H + "mlp.proj",
        "router": _H + "mlp.gate",
        "router.correction": _H + "mlp.gate.e_score_correction_bias=",
        "mlp.gate{}": _H + "mlp.experts.{1}.fc_1",
        "mlp.up{}": _H + "mlp.experts.{1}.fc_2",
        "mlp.down{}": _H + "mlp.experts.{1}.proj",
        "mlp.shared.gate": _H + "mlp.shared_experts.fc_1",
        "mlp.shared.up": _H + "mlp.shared_experts.fc_2",
        "mlp.shared.down": _H + "mlp.shared_experts.proj",
    },
    signs=(
        ("transformer.h.#.attn.qkv.weight", "transformer.h.#.attn.proj.weight"),
        ("transformer.h.#.attn.kv_a_proj_with_mqa.weight", "transformer.h.#.norm_1.weight"),
    ),
    types=DECODERS,
    prefixes=("", "model."),
)
LITGPT_OLD: Final = msgspec.structs.replace(
    LITGPT,
    names={**LITGPT.names, "attention.qkv": _H + "attn.attn"},
    signs=(("transformer.h.#.attn.attn.weight", "transformer.h.#.norm_1.weight"),),
    interleaved=("attention.qkv",),  # a group's queries, its key and its value: up to litgpt 0.4
)

SYMBOLS: Final = {
    "mlp": "mlp_class_name | _mlp_class | 'GptNeoxMLP'",
    "rms": "(norm_class_name | _norm_class) in 'RMSNorm FusedRMSNorm'",
    "biased": "bias | true",
    "groups": "n_query_groups | n_head",
}
"""Abbreviations in the tables below. litgpt has a single model class; its switches choose the modules."""

MODEL_TYPE: Final = (
    "'gemma3_text' when mlp == 'GemmaMLP' and norm_qk"
    " | 'gemma2' when mlp == 'GemmaMLP' and post_mlp_norm"
    " | 'gemma' when mlp == 'GemmaMLP'"
    " | 'deepseek_v3' when mlp == 'LLaMAMoE' and latent_attention"
    " | 'qwen3_moe' when mlp == 'LLaMAMoE' and norm_qk"
    " | 'mixtral' when mlp == 'LLaMAMoE'"
    " | 'olmo2' when mlp == 'LLaMAMLP' and norm_qk and norm_qk_type == 'olmo2'"
    " | 'qwen3' when mlp == 'LLaMAMLP' and norm_qk"
    " | 'stablelm' when mlp == 'LLaMAMLP' and not rms"
    " | 'qwen2' when mlp == 'LLaMAMLP' and attn_bias and not bias"
    " | 'llama' when mlp == 'LLaMAMLP'"
    " | 'phi' when lm_head_bias"
    " | 'gpt_neox' when biased"
    " | 'falcon'"
)
"""The model type of transformers with the modules that the switches choose."""

CLASSES: Final = {
    "llama": "Llama", "qwen2": "Qwen2", "qwen3": "Qwen3", "olmo2": "Olmo2", "stablelm": "StableLm", "phi": "Phi",
    "gemma": "Gemma", "gemma2": "Gemma2", "gemma3_text": "Gemma3", "mixtral": "Mixtral", "qwen3_moe": "Qwen3Moe",
    "deepseek_v3": "DeepseekV3", "gpt_neox": "GPTNeoX", "falcon": "Falcon",
}  # fmt: skip
"""Model type -> stem of its causal class."""

COMMON: Final = {
    "num_hidden_layers": "n_layer",
    "hidden_size": "n_embd",
    "num_attention_heads": "n_head",
    "num_key_value_heads": "groups",
    "head_dim": "head_size | n_embd / n_head",
    "intermediate_size": "intermediate_size | 4*n_embd",
    "max_position_embeddings": "block_size",
    "vocab_size": "padded_vocab_size | ceil(vocab_size, padding_multiple | 512)",
    "tie_word_embeddings": "false",  # the class never ties its head
}
ATTENTION_BIAS: Final = {"attention_bias": "biased or attn_bias"}
KEYS: Final[Mapping[str, Mapping[str, str]]] = {
    "llama": ATTENTION_BIAS | {"mlp_bias": "biased"},
    "qwen3": ATTENTION_BIAS,
    "qwen3_moe": ATTENTION_BIAS | {"num_experts": "n_expert", "moe_intermediate_size": "moe_intermediate_size"},
    "mixtral": {"num_local_experts": "n_expert"},
    "deepseek_v3": {
        "q_lora_rank": "q_lora_rank", "kv_lora_rank": "kv_lora_rank", "qk_nope_head_dim": "qk_nope_head_dim",
        "qk_rope_head_dim": "qk_rope_head_dim", "v_head_dim": "v_head_dim", "n_routed_experts": "n_expert",
        "n_shared_experts": "n_shared_expert", "moe_intermediate_size": "moe_intermediate_size",
        "first_k_dense_replace": "first_k_dense_replace | 0", "num_nextn_predict_layers": "0",
    },
    "gpt_neox": {"attention_bias": "biased"},
    "stablelm": {"use_parallel_residual": "not not shared_attention_norm", "use_qkv_bias": "biased"},
    "falcon": {
        "num_kv_heads": "groups", "multi_query": "groups == 1", "parallel_attn": "true", "bias": "false",
        "new_decoder_architecture": "not shared_attention_norm",
    },
}  # fmt: skip
"""Model type -> its config keys in addition to `COMMON`."""


def own_key(model_type: str, key: str) -> str | None:
    """The key of litgpt's config that states a config key: `n_embd` for hidden_size; None if no single key does."""
    rule = {**COMMON, **KEYS.get(model_type, {})}.get(key, "")
    first = SYMBOLS.get(rule, rule).partition(" | ")[0]
    return first if re.fullmatch("(?!true$|false$)[a-z_]+", first) else None


def config_of(values: Mapping[str, object]) -> dict[str, Any] | None:
    """The config that `model_config.yaml` or `lit_config.json` states; None if it does not contain the sizes.

    Source: litgpt's config.py.
    """
    if any(type(values.get(size)) is not int for size in ("n_embd", "n_layer", "n_head")):
        return None
    words = Words(lambda path: values.get(".".join(path)), SYMBOLS)
    model_type = str(words.value(MODEL_TYPE))
    config = config_from({**COMMON, **KEYS.get(model_type, {})}, words)
    return {"architectures": [f"{CLASSES[model_type]}ForCausalLM"], "model_type": model_type, **config}
