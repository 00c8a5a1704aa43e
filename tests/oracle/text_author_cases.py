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
