"""Text models and drafts that `make_author_records.py` builds, as in `author_cases.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NEW: Mapping[str, Any] = {
    "vocab_size": 107, "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 92,
    "max_position_embeddings": 33, "type_vocab_size": 2, "num_labels": 5, "attn_implementation": "eager",
    "pad_token_id": 0, "auto_map": {"AutoConfig": "Alibaba-NLP/new-impl--configuration.NewConfig"},
}  # fmt: skip

EAGLE_1: Mapping[str, Any] = {
    "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 1, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 107, "pad_token_id": 0,
}  # fmt: skip
DFLASH: Mapping[str, Any] = {
    "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 3, "num_attention_heads": 4, "head_dim": 14,
    "num_key_value_heads": 2, "vocab_size": 107, "block_size": 8, "num_target_layers": 12,
    "dflash_config": {"mask_token_id": 5, "target_layer_ids": [1, 4, 7, 9]},
}  # fmt: skip

TELECHAT: Mapping[str, Any] = {
    "vocab_size": 107, "hidden_size": 48, "n_layer": 3, "n_head": 4, "ffn_hidden_size": 92, "num_key_value_heads": 2,
    "flash_attn": False,
}  # fmt: skip
LLADA2: Mapping[str, Any] = {
    "vocab_size": 107, "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 14, "num_experts": 8, "num_shared_experts": 1, "n_group": 2, "topk_group": 1,
    "moe_intermediate_size": 28, "first_k_dense_replace": 1, "pad_token_id": 0,
}  # fmt: skip
JET_NEMOTRON: Mapping[str, Any] = {
    "vocab_size": 107, "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "layer_types": ["jet", "attn", "swa", "jet"], "tie_word_embeddings": True,
    "efficient_attention_config": {
        "jet": {"mode": "chunk", "expand_v": 2.0, "num_heads": 3, "head_dim": 10, "norm_eps": "1e-5", "conv_size": 4,
                "dconv_generator_reduction": 6, "dconv_implementation": "triton"},
        "swa": {"window_size": 16},
    },
}  # fmt: skip


def of_gte(name: str, **values: Any) -> Mapping[str, Any]:
    """A class of GTE, in the copy of SparseCL's repository."""
    return {
        "repository": "xuhaike/SparseCL",
        "configuration": ("sparsecl.gte.configuration", "NewConfig"),
        "model": ("sparsecl.gte.modeling", name),
        "values": NEW,
        **values,
    }


TEXT_CASES: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "new": (
        of_gte(
            "NewModel",
            changed=(
                {"pack_qkv": False, "type_vocab_size": 0},
                {"position_embedding_type": "absolute", "layer_norm_type": "rms_norm"},
                {"hidden_size": 60, "intermediate_size": 100, "num_hidden_layers": 2, "vocab_size": 131},
            ),
        ),
        of_gte("NewForMaskedLM", changed=({"tie_word_embeddings": False},)),
        of_gte("NewForSequenceClassification"),
        of_gte("NewForMultipleChoice"),
        of_gte("NewForTokenClassification"),
        of_gte("NewForQuestionAnswering"),
    ),
    "EagleLlamaForCausalLM": (
        {
            "repository": "SafeAILab/EAGLE",
            "configuration": ("eagle.model.configs", "EConfig"),
            "model": ("eagle.model.cnets1", "Model"),
            "values": EAGLE_1,
            "changed": (
                {"num_hidden_layers": 3, "intermediate_size": 100, "num_key_value_heads": 1},
                {"hidden_size": 60, "vocab_size": 131, "qkv_bias": True},
            ),
            "constant": True,
            "declared": "EagleLlamaForCausalLM",
        },
    ),
    "telechat": (
        {
            "repository": "Tele-AI/TeleChat2",
            "configuration": ("telechat2.configuration_telechat", "TelechatConfig"),
            "model": ("telechat2.modeling_telechat", "TelechatForCausalLM"),
            "values": TELECHAT,
            "changed": (
                {"embed_layernorm": True, "num_key_value_heads": 4, "ffn_hidden_size": 100},
                {"hidden_size": 60, "n_layer": 2, "vocab_size": 131},
            ),
        },
        {
            "repository": "Tele-AI/TeleChat2",
            "configuration": ("telechat2.configuration_telechat", "TelechatConfig"),
            "model": ("telechat2.modeling_telechat", "TelechatModel"),
            "values": TELECHAT,
        },
    ),
    "llada2_moe": (
        {
            "repository": "ZHZisZZ/dllm",
            "configuration": ("llada2.configuration_llada2_moe", "LLaDA2MoeConfig"),
            "model": ("llada2.modeling_llada2_moe", "LLaDA2MoeModelLM"),
            "values": LLADA2,
            "changed": (
                {"use_bias": False, "use_qk_norm": False, "use_qkv_bias": True, "num_shared_experts": 2},
                {"tie_word_embeddings": True, "first_k_dense_replace": 0, "num_experts": 6, "hidden_size": 60},
                {"num_shared_experts": None, "intermediate_size": 100, "num_key_value_heads": 1},
            ),
        },
        {
            "repository": "ZHZisZZ/dllm",
            "configuration": ("llada2.configuration_llada2_moe", "LLaDA2MoeConfig"),
            "model": ("llada2.modeling_llada2_moe", "LLaDA2MoeModel"),
            "values": LLADA2,
        },
    ),
    "jet_nemotron": (
        {
            "repository": "NVlabs/Jet-Nemotron",
            "configuration": ("jetai.configuration_jet_nemotron", "JetNemotronConfig"),
            "model": ("jetai.modeling_jet_nemotron", "JetNemotronForCausalLM"),
            "values": JET_NEMOTRON,
            "changed": (
                {"tie_word_embeddings": False, "hidden_size": 60, "intermediate_size": 100},
                {"layer_types": ["attn", "jet", "jet", "swa"], "num_key_value_heads": 4, "vocab_size": 131},
            ),
        },
    ),
    "DFlashDraftModel": (
        {
            "repository": "z-lab/dflash",
            "configuration": ("transformers", "Qwen3Config"),
            "model": ("dflash.model", "DFlashDraftModel"),
            "values": DFLASH,
            "changed": (
                {"attention_bias": True, "num_hidden_layers": 2, "intermediate_size": 100},
                {"dflash_config": {"mask_token_id": 5, "target_layer_ids": [2]}, "hidden_size": 60},
            ),
        },
    ),
}
