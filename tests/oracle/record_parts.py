"""Arguments of tiny models beyond those of `tiny.py`, of types that came later; those with `timm_wrapper` need timm."""

from __future__ import annotations

from typing import Any

PERCEPTION = {
    "model_type": "timm_wrapper",
    "architecture": "vit_pe_core_large_patch14_336",
    "num_labels": 22,
    "model_args": {"embed_dim": 64, "depth": 2, "num_heads": 4, "img_size": [28, 42]},
}
LANGUAGE_TOWER = {
    "model_type": "timm_wrapper",
    "architecture": "vit_pe_core_large_patch14_336",
    "model_args": {
        "embed_dim": 64,
        "depth": 2,
        "num_heads": 4,
        "img_size": [28, 42],
        "mlp_ratio": 2.5,
        "global_pool": "",
        "use_post_transformer_norm": False,
        "init_values": 0.1,
    },
}
PE_AUDIO = {"downsampling_ratios": [2, 3], "hidden_size": 96, "codebook_dim": 14}

LATER_MENDS: dict[str, dict[str, Any]] = {
    "pe_audio": {"audio_config": {"dac_config": PE_AUDIO}},
    "pe_audio_encoder": {"dac_config": PE_AUDIO},
    "pe_video": {"video_config": {"vision_config": PERCEPTION}},
    "pe_video_encoder": {"vision_config": PERCEPTION},
    "perception_lm": {"vision_config": LANGUAGE_TOWER},
}
WITH_TOWERS: tuple[dict[str, Any], ...] = (
    {"vision_config.architecture": "vit_pe_lang_gigantic_patch14_448"},
    {"vision_config.architecture": "vit_pe_spatial_base_patch16_512"},
    {"vision_config.model_args.class_token": False},
    {"vision_config.model_args": {"embed_dim": 64, "depth": 2, "num_heads": 4, "img_size": [28, 42]}},
)
LATER_COMBINED: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "perception_lm": tuple(("PerceptionLMModel", changes) for changes in WITH_TOWERS),
}
