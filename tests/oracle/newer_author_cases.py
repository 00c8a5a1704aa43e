"""More models that `make_author_records.py` builds, as in `author_cases.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.oracle.author_cases import TEXT

RWKV7: Mapping[str, Any] = {
    "hidden_size": 32, "head_dim": 8, "num_hidden_layers": 3, "vocab_size": 107, "decay_low_rank_dim": 10,
    "gate_low_rank_dim": 12, "a_low_rank_dim": 14, "v_low_rank_dim": 18,
}  # fmt: skip
RWKV6: Mapping[str, Any] = {
    "hidden_size": 32, "num_heads": 4, "num_hidden_layers": 3, "vocab_size": 107, "proj_low_rank_dim": 10,
    "gate_low_rank_dim": 12,
}  # fmt: skip

NEOBERT: Mapping[str, Any] = {
    "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 92, "vocab_size": 107,
    "max_length": 33,
}  # fmt: skip

ULTRAVOX: Mapping[str, Any] = {
    "audio_config": {
        "model_type": "whisper", "_name_or_path": "openai/whisper-tiny", "d_model": 48, "encoder_layers": 3,
        "encoder_attention_heads": 4, "encoder_ffn_dim": 92, "decoder_layers": 2, "decoder_attention_heads": 4,
        "decoder_ffn_dim": 84, "num_mel_bins": 14, "max_source_positions": 33, "vocab_size": 113,
        "max_target_positions": 25, "pad_token_id": 0,
    },
    "text_config": {
        "model_type": "llama", "vocab_size": 107, "hidden_size": 40, "intermediate_size": 76, "num_hidden_layers": 2,
        "num_attention_heads": 5, "num_key_value_heads": 1, "tie_word_embeddings": False,
    },
    "hidden_size": 58, "stack_factor": 3, "torch_dtype": "float32",
}  # fmt: skip

XLM_ROBERTA_FLASH: Mapping[str, Any] = {
    "_name_or_path": "tokenizer", "vocab_size": 107, "hidden_size": 48, "num_hidden_layers": 3,
    "num_attention_heads": 4, "intermediate_size": 92, "max_position_embeddings": 66, "type_vocab_size": 1,
    "use_flash_attn": False,
    "auto_map": {
        "AutoConfig": "jinaai/xlm-roberta-flash-implementation--configuration_xlm_roberta.XLMRobertaFlashConfig",
        "AutoModel": "jinaai/xlm-roberta-flash-implementation--modeling_lora.XLMRobertaLoRA",
        "AutoModelForMaskedLM": "jinaai/xlm-roberta-flash-implementation--modeling_xlm_roberta.XLMRobertaForMaskedLM",
    },
}  # fmt: skip
FLASH_CONFIG = ("xlm_roberta_flash.configuration_xlm_roberta", "XLMRobertaFlashConfig")
FLASH_MODELS = "xlm_roberta_flash.modeling_xlm_roberta"

OVIS_VIT: Mapping[str, Any] = {
    "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 3, "num_attention_heads": 4, "image_size": 56,
    "patch_size": 14, "attn_implementation": "eager",
}  # fmt: skip

GROVE_MOE: Mapping[str, Any] = {
    **TEXT, "num_hidden_layers": 3, "head_dim": 12, "num_experts": 8, "num_experts_per_tok": 2,
    "moe_intermediate_size": 28, "auto_map": {"AutoConfig": "configuration_grove_moe.GroveMoeConfig"},
}  # fmt: skip

PARLER_TTS: Mapping[str, Any] = {
    "vocab_size": 107,
    "text_encoder": {
        "model_type": "t5", "d_model": 36, "d_kv": 10, "d_ff": 76, "num_layers": 2, "num_heads": 3, "vocab_size": 109,
        "feed_forward_proj": "gated-gelu",
    },
    "audio_encoder": {"model_type": "dac_on_the_hub", "num_codebooks": 3, "codebook_size": 22, "latent_dim": 18},
    "decoder": {
        "vocab_size": 24, "max_position_embeddings": 33, "num_hidden_layers": 2, "ffn_dim": 92,
        "num_attention_heads": 4, "hidden_size": 48, "num_codebooks": 3, "pad_token_id": 23,
    },
}  # fmt: skip

EAGLE_3: Mapping[str, Any] = {
    "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 1, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 107, "draft_vocab_size": 33, "pad_token_id": 0,
}  # fmt: skip

NEWER_CASES: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "LlamaForCausalLMEagle3": (
        {
            "repository": "SafeAILab/EAGLE",
            "configuration": ("eagle.model.configs", "EConfig"),
            "model": ("eagle.model.cnets", "Model"),
            "values": EAGLE_3,
            "changed": (
                {"target_hidden_size": 40, "hidden_size": 60, "vocab_size": 131},
                {"intermediate_size": 100, "num_key_value_heads": 1, "draft_vocab_size": 107},
            ),
            "constant": True,
            "declared": "LlamaForCausalLMEagle3",
        },
    ),
    "rwkv7": (
        {
            "repository": "fla-org/flash-linear-attention",
            "configuration": ("fla.models.rwkv7", "RWKV7Config"),
            "model": ("fla.models.rwkv7", "RWKV7ForCausalLM"),
            "values": RWKV7,
            "changed": (
                {"hidden_ratio": 3.0, "norm_first": False, "norm_bias": False},
                {"tie_word_embeddings": True, "intermediate_size": 76},
                {"attn": {"layers": [1], "num_heads": 8, "num_kv_heads": 2, "qkv_bias": True}},
            ),
        },
        {
            "repository": "fla-org/flash-linear-attention",
            "configuration": ("fla.models.rwkv7", "RWKV7Config"),
            "model": ("fla.models.rwkv7", "RWKV7Model"),
            "values": RWKV7,
        },
    ),
    "rwkv6": (
        {
            "repository": "fla-org/flash-linear-attention",
            "configuration": ("fla.models.rwkv6", "RWKV6Config"),
            "model": ("fla.models.rwkv6", "RWKV6ForCausalLM"),
            "values": RWKV6,
            "changed": (
                {"hidden_ratio": 3.0, "norm_first": False, "norm_bias": False, "expand_v": 2.0},
                {"tie_word_embeddings": True, "intermediate_size": 76, "expand_k": 1.0},
                {"attn": {"layers": [1], "num_heads": 8, "num_kv_heads": 2}},
            ),
        },
        {
            "repository": "fla-org/flash-linear-attention",
            "configuration": ("fla.models.rwkv6", "RWKV6Config"),
            "model": ("fla.models.rwkv6", "RWKV6Model"),
            "values": RWKV6,
        },
    ),
    "BiRefNet": (
        {
            "repository": "briaai/RMBG-2.0",
            "configuration": ("birefnet_hf.BiRefNet_config", "BiRefNetConfig"),
            "model": ("birefnet_hf.birefnet", "BiRefNet"),
            "values": {"bb_pretrained": False},
            "constant": True,
        },
    ),
    "neobert": (
        {
            "repository": "chandar-lab/NeoBERT",
            "configuration": ("neobert_model.model", "NeoBERTConfig"),
            "model": ("neobert_model.model", "NeoBERTLMHead"),
            "values": NEOBERT,
            "changed": (
                {"hidden_size": 44, "intermediate_size": 101},
                {"rope": False, "rms_norm": False, "hidden_act": "GELU"},
            ),
        },
        {
            "repository": "chandar-lab/NeoBERT",
            "configuration": ("neobert_model.model", "NeoBERTConfig"),
            "model": ("neobert_model.model", "NeoBERT"),
            "values": NEOBERT,
        },
        {
            "repository": "chandar-lab/NeoBERT",
            "configuration": ("neobert_model.model", "NeoBERTConfig"),
            "model": ("neobert_model.model", "NeoBERTHFForSequenceClassification"),
            "values": {**NEOBERT, "num_labels": 5},
        },
    ),
    "ultravox": (
        {
            "repository": "fixie-ai/ultravox",
            "configuration": ("ultravox.model.ultravox_config", "UltravoxConfig"),
            "model": ("ultravox.model.ultravox_model", "UltravoxModel"),
            "values": ULTRAVOX,
            "changed": (
                {"projector_ln_mid": True},
                {"projector_act": "gelu", "projector_ln_mid": True},
                {"text_config": {"model_type": "qwen2", "num_key_value_heads": 5}},
            ),
            "constant": True,
        },
    ),
    "xlm-roberta-flash": (  # each model reads the folder `tokenizer`, which holds any tokenizer
        {
            "repository": "jinaai/xlm-roberta-flash-implementation",
            "configuration": FLASH_CONFIG,
            "model": ("xlm_roberta_flash.modeling_lora", "XLMRobertaLoRA"),
            "values": {
                **XLM_ROBERTA_FLASH,
                "lora_adaptations": ["query", "passage", "match"],
                "task_instructions": {"query": "", "passage": "", "match": ""},
                "lora_rank": 5,
                "lora_main_params_trainable": True,
            },
            "changed": (
                {"position_embedding_type": "absolute", "lora_rank": 7},
                {"type_vocab_size": 0, "pad_vocab_size_multiple": 8},
            ),
        },
        {
            "repository": "jinaai/xlm-roberta-flash-implementation",
            "configuration": FLASH_CONFIG,
            "model": (FLASH_MODELS, "XLMRobertaModel"),
            "values": XLM_ROBERTA_FLASH,
        },
        {
            "repository": "jinaai/xlm-roberta-flash-implementation",
            "configuration": FLASH_CONFIG,
            "model": (FLASH_MODELS, "XLMRobertaForMaskedLM"),
            "values": XLM_ROBERTA_FLASH,
            "changed": ({"tie_word_embeddings": False},),
        },
        {
            "repository": "jinaai/xlm-roberta-flash-implementation",
            "configuration": FLASH_CONFIG,
            "model": (FLASH_MODELS, "XLMRobertaForSequenceClassification"),
            "values": {**XLM_ROBERTA_FLASH, "num_labels": 5},
        },
    ),
    "ovis2_5": (  # reads the folder `tokenizer`, which holds any tokenizer and image processor
        {
            "repository": "AIDC-AI/Ovis",
            "configuration": ("ovis.model.configuration_ovis", "OvisConfig"),
            "model": ("ovis.model.modeling_ovis", "Ovis"),
            "uninitialized": True,
            "values": {
                "name_or_path": "tokenizer",
                "llm_config": {**TEXT, "head_dim": 12},
                "vit_config": OVIS_VIT,
                "visual_vocab_size": 61,
                "hidden_size": 40,
                "attn_implementation": "eager",
            },
            "changed": (
                {"vit_config": {"num_patches": 25, "hidden_stride": 3}},
                {"vit_config": {"preserve_original_pe": False}, "llm_config": {"tie_word_embeddings": True}},
                {"vit_config": {"temporal_patch_size": 2}, "llm_config": {"attention_bias": True}},
            ),
        },
    ),
    "grove_moe": (  # with the authors' copy of transformers 4.51.3, where the config is Qwen3MoeConfig
        {
            "repository": "inclusionAI/GroveMoE",
            "configuration": ("transformers.models.qwen3_moe.configuration_qwen3_moe", "Qwen3MoeConfig"),
            "model": ("transformers.models.qwen3_moe.modeling_qwen3_moe", "GroveMoeForCausalLM"),
            "values": GROVE_MOE,
            "changed": (
                {"tie_word_embeddings": True, "mlp_only_layers": [1], "num_experts": 6},
                {"decoder_sparse_step": 2, "attention_bias": True},
            ),
        },
        {
            "repository": "inclusionAI/GroveMoE",
            "configuration": ("transformers.models.qwen3_moe.configuration_qwen3_moe", "Qwen3MoeConfig"),
            "model": ("transformers.models.qwen3_moe.modeling_qwen3_moe", "GroveMoeModel"),
            "values": GROVE_MOE,
        },
    ),
    "parler_tts": (
        {
            "repository": "huggingface/parler-tts",
            "configuration": ("parler_tts", "ParlerTTSConfig"),
            "model": ("parler_tts", "ParlerTTSForConditionalGeneration"),
            "values": PARLER_TTS,
            "changed": (
                {"prompt_cross_attention": True, "decoder": {"use_fused_lm_heads": True}},
                {"decoder": {"rope_embeddings": True, "num_key_value_heads": 2}},
                {"decoder": {"num_cross_attention_key_value_heads": 1, "hidden_size": 36, "num_attention_heads": 6}},
                {"audio_encoder": {"num_codebooks": 2, "codebook_size": 14, "latent_dim": 26}},
            ),
        },
    ),
}
