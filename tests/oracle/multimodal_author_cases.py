"""More multimodal models that `make_author_records.py` builds, as in `author_cases.py`.

The code of CogAgent imports apex and xformers; empty modules of these names, with torch's RMSNorm as FusedRMSNorm, do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.oracle.author_cases import SIGLIP, TEXT

EVA: Mapping[str, Any] = {
    "dropout_prob": 0.0, "hidden_act": "gelu", "hidden_size": 36, "image_size": 56, "in_channels": 3,
    "intermediate_size": 60, "layer_norm_eps": 1e-06, "num_heads": 3, "num_hidden_layers": 3, "num_positions": 17,
    "patch_size": 14,
}  # fmt: skip
CLIP_L: Mapping[str, Any] = {
    "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
    "image_size": 560, "patch_size": 14,
}  # fmt: skip
SO400M: Mapping[str, Any] = {
    "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27, "num_attention_heads": 16,
    "image_size": 384, "patch_size": 14,
}  # fmt: skip
BUNNY: Mapping[str, Any] = {
    **TEXT, "mm_vision_tower": "google/siglip-so400m-patch14-384", "mm_hidden_size": 1152,
    "mm_projector_type": "mlp2x_gelu", "continuous_training": True,
}  # fmt: skip
QWEN2: Mapping[str, Any] = {
    **TEXT, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "_attn_implementation": "eager",
}  # fmt: skip

MULTIMODAL_CASES: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "CogAgentForCausalLM": (
        {
            "repository": "THUDM/cogagent-chat-hf",
            "configuration": ("cogagent.configuration_cogagent", "CogAgentConfig"),
            "model": ("cogagent.modeling_cogagent", "CogAgentForCausalLM"),
            "values": {
                **TEXT,
                "cross_hidden_size": 1024,
                "cross_compute_hidden_size": 20,
                "cross_image_size": 112,
                "vision_config": EVA,
            },
            "changed": (
                {"cross_compute_hidden_size": 30, "cross_image_size": 140},
                {"vision_config": {"image_size": 70, "num_positions": 26, "num_hidden_layers": 2}},
            ),
            "constant": True,
        },
    ),
    "InternLMXComposer2ForCausalLM": (
        {
            "repository": "InternLM/InternLM-XComposer",
            "configuration": ("internlm_xcomposer2.configuration_internlm_xcomposer2", "InternLMXcomposer2Config"),
            "model": ("internlm_xcomposer2.modeling_internlm_xcomposer2", "InternLMXComposer2ForCausalLM"),
            "values": {**TEXT, "hidden_size": 4096, "num_attention_heads": 8, "num_key_value_heads": 2, "bias": False},
            "changed": ({"bias": True, "num_key_value_heads": 4},),
            "constant": True,
            "towers": {"CLIPVisionModel": CLIP_L},
        },
    ),
    "Keye": (
        {
            "repository": "Kwai-Keye/Keye",
            "configuration": ("keye.configuration_keye", "KeyeConfig"),
            "model": ("keye.modeling_keye", "KeyeForConditionalGeneration"),
            "values": {**TEXT, "head_dim": 12, "attention_bias": False, "vision_config": SIGLIP},
            "changed": ({"attention_bias": True}, {"tie_word_embeddings": True}),
        },
    ),
    "eagle_2_5_vl": (
        {
            "repository": "NVlabs/Eagle",
            "configuration": ("eaglevl.model.eagle2_5.configuration_eagle2_5_vl", "Eagle2_5_VLConfig"),
            "model": ("eaglevl.model.eagle2_5.modeling_eagle2_5_vl", "Eagle2_5_VLForConditionalGeneration"),
            "values": {"vision_config": {**SIGLIP, "model_type": "siglip_vision_model"}, "text_config": QWEN2},
            "changed": (
                {"mlp_connector_layers": 1},
                {"mlp_connector_layers": 1, "use_pixel_shuffle": False},
                {"text_config": {"tie_word_embeddings": True}},
                {"text_config": {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"}},
            ),
        },
    ),
    "GOT": (
        {
            "repository": "Ucas-HaoranWei/GOT-OCR2.0",
            "configuration": ("GOT.model.GOT_ocr_2_0", "GOTConfig"),
            "model": ("GOT.model.GOT_ocr_2_0", "GOTQwenForCausalLM"),
            "values": TEXT,
            "changed": ({"num_key_value_heads": 5},),
            "constant": True,
        },
    ),
    "openvla": (  # the repository's prismatic/extern/hf
        {
            "repository": "openvla/openvla",
            "configuration": ("prismatic_hf.configuration_prismatic", "OpenVLAConfig"),
            "model": ("prismatic_hf.modeling_prismatic", "OpenVLAForActionPrediction"),
            "values": {
                "vision_backbone_id": "dinosiglip-vit-so-224px",
                "llm_backbone_id": "llama2-7b-pure",
                "text_config": {**TEXT, "model_type": "llama"},
            },
            "changed": (
                {"vision_backbone_id": "dinosiglip-vit-so-384px"},
                {
                    "llm_backbone_id": "mistral-v0.1-7b-pure",
                    "text_config": {"model_type": "mistral", "num_key_value_heads": 5},
                },
            ),
            "constant": True,
        },
    ),
    **{
        f"bunny-{kind.lower()}": (
            {
                "repository": "BAAI-DCAI/Bunny",
                "configuration": (f"bunny.model.language_model.bunny_{module}", f"Bunny{kind}Config"),
                "model": (f"bunny.model.language_model.bunny_{module}", f"Bunny{kind}ForCausalLM"),
                "values": BUNNY,
                "changed": ({"num_key_value_heads": 5, "use_s2": True, "mm_hidden_size": 3456},),
                "constant": True,
                "towers": {"SiglipVisionModel": SO400M, "SiglipImageProcessor": {}},
            },
        )
        for kind, module in (("Phi", "phi"), ("Llama", "llama"), ("Qwen2", "qwen"))
    },
}
