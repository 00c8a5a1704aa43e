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

LCNET_V4 = {
    "model_type": "pp_lcnet_v4",
    "stem_channels": [3, 20, 24],
    "block_configs": [
        [[3, 24, 24, 1, True]],
        [[3, 24, 24, 1, False], [5, 24, 28, 1, False]],
        [[3, 28, 36, [2, 1], False], [3, 36, 36, 1, True]],
        [[3, 36, 44, [2, 1], False], [5, 44, 44, 1, True], [3, 44, 44, 1, False]],
    ],
}
INTRACLASS_NAMES = ("vertical_long_to_small_conv", "horizontal_small_to_long_conv", "symmetric_conv_long")
INTRACLASS = {
    "reduce_channel": [1, 1, 0],
    "return_channel": [1, 1, 0],
    **{
        f"{name}_{ratio}ratio": [kernel, [1, 1], [size // 2 for size in kernel]]
        for at, name in enumerate(INTRACLASS_NAMES)
        for ratio, size in (("long", 7), ("mid", 5), ("short", 3))
        for kernel in [[[size, 1], [1, size], [size, size]][at]]
    },
}

SMALL_NETWORK = {
    "model_type": "timm_wrapper",
    "architecture": "repvit_m1",
    "num_classes": 2,
    "model_args": {
        "in_chans": 3,
        "features_only": True,
        "out_indices": [0, 1, 2, 3],
        "embed_dim": [16, 24, 32, 40],
        "depth": [2, 3, 2, 1],
    },
}
EDGETAM_VISION = {
    "model_type": "edgetam_vision_model",
    "fpn_hidden_size": 40,
    "backbone_channel_list": [40, 32, 24, 16],
    "backbone_config": SMALL_NETWORK,
}
PROMPT_AND_MASK = {
    "prompt_encoder_config": {"hidden_size": 40},
    "mask_decoder_config": {"hidden_size": 40, "num_attention_heads": 4, "mlp_dim": 52},
}

LATER_MENDS: dict[str, dict[str, Any]] = {
    "edgetam": {"vision_config": EDGETAM_VISION, **PROMPT_AND_MASK},
    "edgetam_vision_model": EDGETAM_VISION,
    "edgetam_video": {"vision_config": EDGETAM_VISION, **PROMPT_AND_MASK},
    "xmod": {"languages": ["en_XX", "de_DE", "sw_KE"]},
    "pe_audio": {"audio_config": {"dac_config": PE_AUDIO}},
    "pe_audio_encoder": {"dac_config": PE_AUDIO},
    "pe_video": {"video_config": {"vision_config": PERCEPTION}},
    "pe_video_encoder": {"vision_config": PERCEPTION},
    "perception_lm": {"vision_config": LANGUAGE_TOWER},
    "pp_lcnet_v4": LCNET_V4,
    "pp_ocrv6_medium_det": {
        "backbone_config": LCNET_V4,
        "neck_out_channels": 48,
        "kernel_list": [3, 2, 4],
        "scale_factor_list": [1, 2, 4, 8],
        "intraclass_block_config": INTRACLASS,
    },
    "pp_ocrv6_small_det": {
        "backbone_config": {**LCNET_V4, "stem_type": "small", "out_indices": [1, 2, 3, 4]},
        "layer_list_out_channels": [24, 28, 36, 44],
        "neck_out_channels": 48,
        "kernel_list": [3, 2, 4],
    },
    "pp_ocrv6_small_rec": {"backbone_config": LCNET_V4},
    "pp_ocrv6_tiny_rec": {"backbone_config": LCNET_V4},
    "slanext": {"vision_config": {"global_attn_indexes": [1]}},
    "layoutlmv2": {
        "image_feature_pool_shape": [3, 2, 14],
        "coordinate_size": 9,
        "shape_size": 6,
        "detectron2_config_args": {
            "MODEL.BACKBONE.NAME": "build_resnet_fpn_backbone",
            "MODEL.FPN.IN_FEATURES": ["res2", "res3", "res4", "res5"],
            "MODEL.FPN.OUT_CHANNELS": 14,
            "MODEL.PIXEL_STD": [57.375, 57.12, 58.395],
            "MODEL.RPN.IN_FEATURES": ["p2"],
            "MODEL.ROI_HEADS.IN_FEATURES": ["p2"],
            "MODEL.ROI_BOX_HEAD.FC_DIM": 2,
            "MODEL.RESNETS.DEPTH": 50,
            "MODEL.RESNETS.OUT_FEATURES": ["res2", "res3", "res4", "res5"],
            "MODEL.RESNETS.NUM_GROUPS": 2,
            "MODEL.RESNETS.WIDTH_PER_GROUP": 3,
            "MODEL.RESNETS.STEM_OUT_CHANNELS": 10,
            "MODEL.RESNETS.RES2_OUT_CHANNELS": 16,
        },
    },
    "chmv2": {"post_process_channels": [16, 20, 28, 36], "backbone_config": {"num_register_tokens": 3}},
    "transfo-xl": {"cutoffs": [27, 51], "d_embed": 40, "div_val": 2},
    "pp_formulanet": {"vision_config": {"global_attn_indexes": [1], "post_conv_in_channels": 27}},
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
