"""The models that `make_author_records.py` builds: by model type, the repositories' classes with small sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEXT: Mapping[str, Any] = {
    "vocab_size": 107, "hidden_size": 40, "intermediate_size": 76, "num_hidden_layers": 2, "num_attention_heads": 5,
    "num_key_value_heads": 1, "attn_implementation": "eager",
}  # fmt: skip
INTERN_VIT: Mapping[str, Any] = {
    "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 92, "image_size": 56,
    "patch_size": 14, "qkv_bias": True, "qk_normalization": False, "norm_type": "layer_norm",
}  # fmt: skip
SIGLIP: Mapping[str, Any] = {
    "hidden_size": 48, "image_size": 56, "intermediate_size": 92, "model_type": "siglip", "num_attention_heads": 4,
    "num_hidden_layers": 3, "patch_size": 14,
}  # fmt: skip
DEEPSEEK: Mapping[str, Any] = {
    **TEXT, "model_type": "deepseek_v2", "num_key_value_heads": 5, "moe_intermediate_size": 28, "num_hidden_layers": 3,
    "n_shared_experts": 2, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_layer_freq": 1,
    "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "topk_method": "greedy", "use_mla": True,
    "q_lora_rank": None, "kv_lora_rank": 12, "qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 8,
}  # fmt: skip
OCR_TEXT: Mapping[str, Any] = {**DEEPSEEK, "hidden_size": 1280}  # as wide as the projector, a number in the code
PLAIN_ATTENTION: Mapping[str, Any] = {
    "use_mla": False, "q_lora_rank": None, "kv_lora_rank": None, "qk_nope_head_dim": 0, "qk_rope_head_dim": 0,
    "v_head_dim": 0,
}  # fmt: skip
TTM = "tsfm_public.models.tinytimemixer"
INTERNVL = "internvl.model.internvl_chat"

CHRONOS: Mapping[str, Any] = {
    "context_length": 40, "prediction_length": 6, "input_patch_size": 8, "input_patch_stride": 8,
    "quantiles": [0.1, 0.5, 0.9], "use_reg_token": True,
}  # fmt: skip
T5: Mapping[str, Any] = {
    "d_model": 48, "d_kv": 10, "d_ff": 76, "num_layers": 3, "num_heads": 4, "vocab_size": 107,
}  # fmt: skip

JANUS: Mapping[str, Any] = {
    "vision_config": {
        "model_type": "vision", "cls": "CLIPVisionTower",
        "params": {
            "image_size": 384, "model_name": "siglip_large_patch16_384", "select_feature": "same", "select_layer": -1,
        },
    },
    "aligner_config": {
        "model_type": "aligner", "cls": "MlpProjector",
        "params": {"depth": 2, "input_dim": 1024, "n_embed": 40, "projector_type": "mlp_gelu"},
    },
    "gen_vision_config": {
        "model_type": "gen_vision", "cls": "VQ-16", "params": {"image_token_size": 16384, "n_embed": 8},
    },
    "gen_aligner_config": {
        "model_type": "gen_aligner", "cls": "MlpProjector",
        "params": {"depth": 3, "input_dim": 8, "n_embed": 42, "projector_type": "mlp_gelu"},
    },
    "gen_head_config": {
        "model_type": "gen_head", "cls": "vision_head",
        "params": {"image_token_embed": 44, "image_token_size": 16384, "n_embed": 46},
    },
    "language_config": {**TEXT, "model_type": "llama"},
}  # fmt: skip

CASES: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "internvl_chat": (
        {
            "repository": "OpenGVLab/InternVL",
            "configuration": (f"{INTERNVL}.configuration_internvl_chat", "InternVLChatConfig"),
            "model": (f"{INTERNVL}.modeling_internvl_chat", "InternVLChatModel"),
            "values": {
                "vision_config": INTERN_VIT,
                "llm_config": {**TEXT, "architectures": ["InternLM2ForCausalLM"], "model_type": "internlm2"},
                "template": "internlm2-chat",
            },
            "changed": (
                {"vision_config": {**INTERN_VIT, "qk_normalization": True, "norm_type": "rms_norm"}},
                {"vision_config": {**INTERN_VIT, "qkv_bias": False}, "downsample_ratio": 0.25},
                {"llm_config": {**TEXT, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"}},
                {
                    "llm_config": {
                        **TEXT,
                        "architectures": ["Qwen2ForCausalLM"],
                        "model_type": "qwen2",
                        "tie_word_embeddings": True,
                    },
                },
                {"llm_config": {**TEXT, "architectures": ["LlamaForCausalLM"], "model_type": "llama"}},
                {"llm_config": {**TEXT, "architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "pad_token_id": 0}},
            ),
        },
    ),
    "phi3_v": (
        {
            "repository": "microsoft/Phi-3-vision-128k-instruct",
            "configuration": ("phi3_v.configuration_phi3_v", "Phi3VConfig"),
            "model": ("phi3_v.modeling_phi3_v", "Phi3VForCausalLM"),
            "values": {
                **TEXT,
                "pad_token_id": 0,
                "embd_layer": {
                    "embedding_cls": "image",
                    "hd_transform_order": "sub_glb",
                    "projection_cls": "mlp",
                    "use_hd_transform": True,
                    "with_learnable_separator": True,
                },
                "img_processor": {
                    "image_dim_out": 1024,
                    "model_name": "openai/clip-vit-large-patch14-336",
                    "name": "clip_vision_model",
                    "num_img_tokens": 144,
                },
            },
            "changed": ({"num_key_value_heads": 5},),
        },
    ),
    "qwen": (
        {
            "repository": "Qwen/Qwen-VL-Chat",
            "configuration": ("qwen_vl.configuration_qwen", "QWenConfig"),
            "model": ("qwen_vl.modeling_qwen", "QWenLMHeadModel"),
            "values": {
                **TEXT,
                "hidden_size": 256,
                "num_attention_heads": 4,
                "intermediate_size": 152,
                "kv_channels": 64,
                "seq_length": 64,
                "visual": {
                    "heads": 4,
                    "image_size": 56,
                    "image_start_id": 100,
                    "layers": 3,
                    "mlp_ratio": 4.9231,
                    "output_dim": 256,
                    "patch_size": 14,
                    "width": 48,
                },
            },
            "changed": ({"no_bias": False}, {"kv_channels": 128}),
        },
        {
            "repository": "Qwen/Qwen-Audio",
            "configuration": ("qwen_audio.configuration_qwen", "QWenConfig"),
            "model": ("qwen_audio.modeling_qwen", "QWenLMHeadModel"),
            "values": {
                **TEXT,
                "intermediate_size": 152,
                "kv_channels": 8,
                "seq_length": 64,
                "audio": {
                    "n_layer": 3,
                    "n_head": 4,
                    "n_state": 48,
                    "n_mels": 20,
                    "n_ctx": 30,
                    "output_dim": 40,
                    "avg_pool": True,
                    "add_audio_bos_eos_token": True,
                    "audio_start_id": 100,
                },
            },
        },
    ),
    "molmo": (
        {
            "repository": "allenai/Molmo-7B-D-0924",
            "configuration": ("molmo.config_molmo", "MolmoConfig"),
            "model": ("molmo.modeling_molmo", "MolmoForCausalLM"),
            "values": {
                **TEXT,
                "embedding_size": 107,
                "intermediate_size": 152,
                "max_position_embeddings": 64,
                "qkv_bias": True,
            },
            "changed": (
                {"qkv_bias": False, "attention_layer_norm": True, "norm_after": True},
                {"embedding_size": 109, "num_key_value_heads": 5},
            ),
        },
    ),
    "minicpmv": (
        {
            "repository": "openbmb/MiniCPM-V-2",
            "configuration": ("minicpmv2.configuration_minicpm", "MiniCPMVConfig"),
            "model": ("minicpmv2.modeling_minicpmv", "MiniCPMV"),
            "values": {
                **TEXT,
                "hidden_size": 128,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "query_num": 16,
                "vision_encoder": "vit_so400m_patch14_siglip_384.webli",
                "drop_vision_last_layer": True,
            },
            "changed": ({"drop_vision_last_layer": False},),
        },
        {
            "repository": "openbmb/MiniCPM-V-2_6",
            "configuration": ("minicpmv26.configuration_minicpm", "MiniCPMVConfig"),
            "model": ("minicpmv26.modeling_minicpmv", "MiniCPMV"),
            "values": {
                **TEXT,
                "hidden_size": 128,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "query_num": 16,
                "version": 2.6,
                "drop_vision_last_layer": False,
                "vision_config": SIGLIP,
            },
            "changed": ({"drop_vision_last_layer": True}, {"tie_word_embeddings": True}),
        },
    ),
    "time_moe": (
        {
            "repository": "Maple728/TimeMoE-50M",
            "configuration": ("time_moe.configuration_time_moe", "TimeMoeConfig"),
            "model": ("time_moe.modeling_time_moe", "TimeMoeForPrediction"),
            "values": {
                "hidden_size": 40,
                "intermediate_size": 76,
                "num_hidden_layers": 2,
                "num_attention_heads": 5,
                "num_key_value_heads": 5,
                "num_experts": 3,
                "num_experts_per_tok": 2,
                "horizon_lengths": [1, 8, 6],
            },
            "changed": (
                {"use_dense": True, "apply_aux_loss": False},
                {"num_key_value_heads": 1, "input_size": 2},
                {"num_experts_per_tok": 1},
            ),
        },
    ),
    "tinytimemixer": (
        {
            "repository": "ibm-granite/granite-tsfm",
            "configuration": (f"{TTM}.configuration_tinytimemixer", "TinyTimeMixerConfig"),
            "model": (f"{TTM}.modeling_tinytimemixer", "TinyTimeMixerForPrediction"),
            "values": {
                "context_length": 64,
                "patch_length": 8,
                "patch_stride": 8,
                "num_input_channels": 3,
                "prediction_length": 11,
                "d_model": 24,
                "num_layers": 2,
                "adaptive_patching_levels": 2,
                "decoder_d_model": 16,
                "decoder_num_layers": 1,
                "expansion_factor": 2,
                "use_decoder": True,
            },
            "changed": (
                {"decoder_mode": "mix_channel", "expansion_factor": 3},
                {"resolution_prefix_tuning": True, "frequency_token_vocab_size": 5, "decoder_raw_residual": True},
                {"adaptive_patching_levels": 0, "use_positional_encoding": True, "self_attn": True},
                {"decoder_adaptive_patching_levels": 2, "mode": "mix_channel", "norm_mlp": "BatchNorm"},
                {"use_decoder": False, "gated_attn": False, "patch_stride": 4},
                {"decoder_d_model": 24, "context_length": 60},
            ),
        },
    ),
    "deepseek_vl_v2": (
        {
            "repository": "deepseek-ai/deepseek-vl2-tiny",
            "configuration": ("deepseek_vl_v2.modeling_deepseek_vl_v2", "DeepseekVLV2Config"),
            "model": ("deepseek_vl_v2.modeling_deepseek_vl_v2", "DeepseekVLV2ForCausalLM"),
            "values": {
                "tile_tag": "2D",
                "vision_config": {
                    "width": 48,
                    "layers": 3,
                    "heads": 4,
                    "patch_size": 14,
                    "image_size": 56,
                    "mlp_ratio": 2.55,
                    "model_name": "siglip_so400m_patch14_384",
                },
                "projector_config": {
                    "projector_type": "downsample_mlp_gelu",
                    "input_dim": 48,
                    "n_embed": 40,
                    "depth": 2,
                    "mlp_ratio": 1,
                    "downsample_ratio": 2,
                },
                "language_config": {**DEEPSEEK, **PLAIN_ATTENTION},
            },
            "changed": (
                {"language_config": DEEPSEEK},
                {
                    "language_config": {
                        **DEEPSEEK,
                        "q_lora_rank": 14,
                        "topk_method": "noaux_tc",
                        "scoring_func": "sigmoid",
                    }
                },
                {
                    "projector_config": {
                        "projector_type": "downsample_mlp_gelu",
                        "input_dim": 48,
                        "n_embed": 40,
                        "depth": 4,
                        "mlp_ratio": 2,
                        "downsample_ratio": 3,
                    }
                },
            ),
        },
    ),
    "DeepseekOCRForCausalLM": (
        {
            "repository": "deepseek-ai/DeepSeek-OCR",
            "configuration": ("deepseek_ocr.modeling_deepseekocr", "DeepseekOCRConfig"),
            "model": ("deepseek_ocr.modeling_deepseekocr", "DeepseekOCRForCausalLM"),
            "values": OCR_TEXT,
            "changed": (PLAIN_ATTENTION,),
        },
    ),
    "DeepseekOCR2ForCausalLM": (
        {
            "repository": "deepseek-ai/DeepSeek-OCR-2",
            "configuration": ("deepseek_ocr2.modeling_deepseekocr2", "DeepseekOCR2Config"),
            "model": ("deepseek_ocr2.modeling_deepseekocr2", "DeepseekOCR2ForCausalLM"),
            "values": OCR_TEXT,
            "changed": (PLAIN_ATTENTION,),
        },
    ),
    "dots_ocr": (
        {
            "repository": "rednote-hilab/dots.ocr",
            "configuration": ("dots_ocr.configuration_dots", "DotsOCRConfig"),
            "model": ("dots_ocr.modeling_dots_ocr", "DotsOCRForCausalLM"),
            "values": {
                **TEXT,
                "tie_word_embeddings": False,
                "vision_config": {
                    "embed_dim": 36,
                    "hidden_size": 40,
                    "intermediate_size": 60,
                    "num_hidden_layers": 3,
                    "num_attention_heads": 3,
                    "patch_size": 7,
                    "attn_implementation": "sdpa",
                },
            },
            "changed": (
                {"tie_word_embeddings": True},
                {"vision_config": {"use_bias": True}},
                {"vision_config": {"post_norm": False}},
                {"vision_config": {"spatial_merge_size": 3}},
            ),
        },
    ),
    "mimo": (
        {
            "repository": "XiaomiMiMo/MiMo-7B-Base",
            "configuration": ("modeling_mimo", "MiMoConfig"),
            "model": ("modeling_mimo", "MiMoForCausalLM"),
            "values": {**TEXT, "num_nextn_predict_layers": 1},
            "changed": (
                {"num_nextn_predict_layers": 0},
                {"num_nextn_predict_layers": 2, "tie_word_embeddings": True},
                {"num_key_value_heads": 5},
            ),
        },
    ),
    "minimax_m1": (
        {
            "repository": "MiniMaxAI/MiniMax-M1-80k",
            "configuration": ("minimax_m1.modeling_minimax_m1", "MiniMaxM1Config"),
            "model": ("minimax_m1.modeling_minimax_m1", "MiniMaxM1ForCausalLM"),
            "values": {**TEXT, "head_dim": 12, "num_local_experts": 3, "attn_type_list": [0, 1], "rotary_dim": 6},
            "changed": (
                {"shared_intermediate_size": 76},
                {"attn_type_list": [0, 0, 1, 0], "num_hidden_layers": 4, "num_key_value_heads": 5},
                {"attn_type_list": [1, 1]},
            ),
        },
    ),
    "nvembed": (
        {
            "repository": "nvidia/NV-Embed-v2",
            "configuration": ("nvembed.configuration_nvembed", "NVEmbedConfig"),
            "model": ("nvembed.modeling_nvembed", "NVEmbedModel"),
            "values": {
                "text_config": {**TEXT, "model_type": "bidir_mistral"},
                "latent_attention_config": {
                    "num_latents_value": 13,
                    "num_cross_heads": 3,
                    "hidden_dim": 36,
                    "latent_dim": 40,
                    "cross_dim_head": 11,
                },
            },
            "changed": (
                {"latent_attention_config": {"num_cross_heads": 4}},
                {"latent_attention_config": {"latent_dim": 44}},
                {"latent_attention_config": {"hidden_dim": 28}},
                {"text_config": {"num_hidden_layers": 3}},
            ),
        },
    ),
    "ChronosBoltModelForForecasting": (
        {
            "repository": "amazon-science/chronos-forecasting",
            "configuration": ("transformers", "T5Config"),
            "model": ("chronos.chronos_bolt", "ChronosBoltModelForForecasting"),
            "values": {**T5, "num_decoder_layers": 2, "chronos_config": CHRONOS, "decoder_start_token_id": 0},
            "changed": (
                {"chronos_config": {**CHRONOS, "use_reg_token": False, "prediction_length": 10}},
                {"chronos_config": {**CHRONOS, "input_patch_size": 6, "input_patch_stride": 6, "quantiles": [0.5]}},
                {"feed_forward_proj": "gated-gelu", "num_decoder_layers": None},
            ),
        },
    ),
    "Chronos2Model": (
        {
            "repository": "amazon-science/chronos-forecasting",
            "configuration": ("chronos.chronos2.config", "Chronos2CoreConfig"),
            "model": ("chronos.chronos2.model", "Chronos2Model"),
            "values": {
                **{key: value for key, value in T5.items() if key != "vocab_size"},
                "chronos_config": {
                    **{key: value for key, value in CHRONOS.items() if key != "prediction_length"},
                    "output_patch_size": 8,
                },
            },
            "changed": (
                {"chronos_config": {"use_reg_token": False, "quantiles": [0.2, 0.8]}},
                {"num_layers": 2, "d_kv": 14},
            ),
        },
    ),
    "HfMoondream": (
        {
            "repository": "vikhyat/moondream",
            "configuration": ("moondream.torch.hf_moondream", "HfConfig"),
            "model": ("moondream.torch.hf_moondream", "HfMoondream"),
            "values": {},
            "constant": True,
        },
    ),
    "multi_modality": (
        {
            "repository": "deepseek-ai/Janus",
            "configuration": ("janus.models.modeling_vlm", "MultiModalityConfig"),
            "model": ("janus.models.modeling_vlm", "MultiModalityCausalLM"),
            "values": JANUS,
            "constant": True,
            "changed": (
                {
                    "vision_config": {"params": {"model_name": "siglip_so400m_patch14_384", "select_layer": -2}},
                    "aligner_config": {"params": {"depth": 1, "input_dim": 1152}},
                },
                {"aligner_config": {"params": {"depth": 3, "projector_type": "low_high_hybrid_split_mlp_gelu"}}},
            ),
        },
    ),
}
