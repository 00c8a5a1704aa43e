"""Tiny arguments for the classes of diffusers that came later, and for those that fewer pipelines use.

As in `diffusers_bases.py`: a base of numbers that are all different, and what to change in it.
"""

from __future__ import annotations

from typing import Any

MORE_BASES: dict[str, dict[str, Any]] = {
    "HunyuanImageTransformer2DModel": {
        "in_channels": 5, "out_channels": 7, "num_attention_heads": 4, "attention_head_dim": 12, "num_layers": 2,
        "num_single_layers": 3, "num_refiner_layers": 1, "patch_size": (1, 1), "text_embed_dim": 28,
        "text_embed_2_dim": 20, "rope_axes_dim": (6, 6),
    },
    "BriaFiboTransformer2DModel": {
        "in_channels": 12, "num_layers": 2, "num_single_layers": 3, "attention_head_dim": 12,
        "num_attention_heads": 4, "joint_attention_dim": 28, "axes_dims_rope": (4, 4, 4), "text_encoder_dim": 22,
    },
    "GlmImageTransformer2DModel": {
        "patch_size": 2, "in_channels": 5, "out_channels": 7, "num_layers": 2, "attention_head_dim": 12,
        "num_attention_heads": 4, "text_embed_dim": 28, "time_embed_dim": 20, "condition_dim": 10,
        "prior_vq_quantizer_codebook_size": 33,
    },
    "PRXTransformer2DModel": {
        "in_channels": 5, "patch_size": 2, "context_in_dim": 28, "hidden_size": 48, "num_heads": 4, "depth": 2,
        "axes_dim": (6, 6),
    },
    "Krea2Transformer2DModel": {
        "in_channels": 10, "num_layers": 2, "attention_head_dim": 12, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 52, "timestep_embed_dim": 18, "text_hidden_dim": 30,
        "num_text_layers": 7, "text_num_attention_heads": 5, "text_num_key_value_heads": 5,
        "text_intermediate_size": 44, "num_layerwise_text_blocks": 1, "num_refiner_text_blocks": 3,
        "axes_dims_rope": (4, 4, 4),
    },
    "QwenImage21Transformer2DModel": {
        "in_channels": 12, "out_channels": 5, "num_layers": 2, "attention_head_dim": 12, "num_attention_heads": 4,
        "context_in_dim": 28, "axes_dims_rope": (4, 4, 4),
    },
    "ErnieImageTransformer2DModel": {
        "hidden_size": 48, "num_attention_heads": 4, "num_layers": 2, "ffn_hidden_size": 52, "in_channels": 10,
        "out_channels": 7, "patch_size": 1, "text_in_dim": 28, "rope_axes_dim": (4, 4, 4),
    },
    "Ideogram4Transformer2DModel": {
        "in_channels": 10, "num_layers": 2, "attention_head_dim": 12, "num_attention_heads": 4,
        "intermediate_size": 52, "adaln_dim": 18, "llm_features_dim": 30, "mrope_section": (2, 2, 2),
    },
    "NucleusMoEImageTransformer2DModel": {
        "patch_size": 1, "in_channels": 10, "out_channels": 7, "num_layers": 6, "attention_head_dim": 12,
        "num_attention_heads": 6, "num_key_value_heads": 2, "joint_attention_dim": 28, "axes_dims_rope": (4, 4, 4),
        "num_experts": 5, "moe_intermediate_dim": 22,
    },
    "Flux3Transformer2DModel": {
        "in_channels": 10, "cond_in_channels": 7, "num_layers": 2, "num_single_layers": 3, "attention_head_dim": 16,
        "num_attention_heads": 3, "joint_attention_dim": 28, "timestep_channels": 18, "axes_dims_rope": (4, 4, 4, 4),
    },
    "LuminaNextDiT2DModel": {
        "sample_size": 16, "patch_size": 2, "in_channels": 5, "hidden_size": 48, "num_layers": 2,
        "num_attention_heads": 4, "num_kv_heads": 2, "multiple_of": 10, "cross_attention_dim": 28,
    },
    "Kandinsky3UNet": {
        "in_channels": 5, "time_embedding_dim": 36, "groups": 4, "attention_head_dim": 8, "layers_per_block": 2,
        "block_out_channels": (16, 32, 48, 64), "cross_attention_dim": 28, "encoder_hid_dim": 22,
    },
    "Kandinsky5Transformer3DModel": {
        "in_visual_dim": 5, "in_text_dim": 28, "in_text_dim2": 22, "time_dim": 18, "out_visual_dim": 7,
        "patch_size": (1, 2, 2), "model_dim": 48, "ff_dim": 52, "num_text_blocks": 1, "num_visual_blocks": 2,
        "axes_dims": (4, 4, 4),
    },
    "Kandinsky6Transformer3DModel": {
        "in_visual_dim": 5, "in_text_dim": 28, "in_text_dim2": 22, "time_dim": 18, "out_visual_dim": 7,
        "patch_size": (1, 2, 2), "model_dim": 48, "ff_dim": 52, "num_text_blocks": 1, "num_visual_blocks": 2,
        "axes_dims": (4, 4, 4), "in_audio_dim": 9, "out_audio_dim": 11, "model_dim_a": 40, "time_dim_a": 26,
        "ff_dim_a": 44, "axes_dims_a": (4, 2, 4),
    },
    "Kandinsky6SRTransformer3DModel": {
        "in_visual_dim": 5, "time_dim": 18, "out_visual_dim": 7, "patch_size": (1, 2, 1), "model_dim": 48,
        "ff_dim": 52, "num_visual_blocks": 2, "axes_dims": (4, 4, 4),
    },
    "WanAnimateTransformer3DModel": {
        "num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 14, "latent_channels": 5,
        "out_channels": 7, "text_dim": 20, "freq_dim": 18, "ffn_dim": 44, "num_layers": 5, "image_dim": 26,
        "motion_encoder_size": 1024, "motion_style_dim": 10, "motion_dim": 4, "motion_encoder_dim": 13,
        "face_encoder_hidden_dim": 22, "face_encoder_num_heads": 3, "inject_face_latents_blocks": 2,
    },
    "HeliosTransformer3DModel": {
        "num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 5, "out_channels": 7, "text_dim": 20,
        "freq_dim": 18, "ffn_dim": 44, "num_layers": 2, "rope_dim": (4, 4, 4),
    },
    "SanaVideoTransformer3DModel": {
        "in_channels": 5, "out_channels": 7, "num_attention_heads": 4, "attention_head_dim": 12, "num_layers": 2,
        "num_cross_attention_heads": 3, "cross_attention_head_dim": 16, "cross_attention_dim": 48,
        "caption_channels": 28,
    },
    "EasyAnimateTransformer3DModel": {
        "num_attention_heads": 4, "attention_head_dim": 12, "in_channels": 5, "out_channels": 7, "patch_size": 2,
        "num_layers": 3, "mmdit_layers": 2, "time_embed_dim": 18, "text_embed_dim": 28,
    },
    "JoyImageEditTransformer3DModel": {
        "patch_size": [1, 2, 2], "in_channels": 5, "out_channels": 7, "hidden_size": 48, "num_attention_heads": 4,
        "text_dim": 28, "num_layers": 2, "rope_dim_list": [4, 4, 4],
    },
    "JoyImageEditPlusTransformer3DModel": {
        "patch_size": [1, 2, 2], "in_channels": 5, "out_channels": 7, "hidden_size": 48, "num_attention_heads": 4,
        "text_dim": 28, "num_layers": 2, "rope_dim_list": [4, 4, 4],
    },
    "AutoencoderKLHunyuanVideo15": {
        "in_channels": 3, "out_channels": 5, "latent_channels": 4, "block_out_channels": (16, 32, 64, 64),
        "layers_per_block": 1, "spatial_compression_ratio": 4, "temporal_compression_ratio": 2,
    },
    "AutoencoderKLHunyuanImageRefiner": {
        "in_channels": 3, "out_channels": 5, "latent_channels": 4, "block_out_channels": (16, 32, 64, 64),
        "layers_per_block": 1, "spatial_compression_ratio": 4, "temporal_compression_ratio": 2,
    },
    "AutoencoderKLHunyuanImage": {
        "in_channels": 3, "out_channels": 5, "latent_channels": 4, "block_out_channels": (32, 64, 96, 128),
        "layers_per_block": 1, "spatial_compression_ratio": 4, "sample_size": 32,
    },
    "AutoencoderKLMagvit": {
        "in_channels": 3, "out_channels": 5, "latent_channels": 4, "block_out_channels": [16, 24, 40],
        "down_block_types": ["SpatialDownBlock3D", "SpatialTemporalDownBlock3D", "SpatialTemporalDownBlock3D"],
        "up_block_types": ["SpatialUpBlock3D", "SpatialTemporalUpBlock3D", "SpatialTemporalUpBlock3D"],
        "layers_per_block": 1, "norm_num_groups": 8,
    },
    "AutoencoderKLAllegro": {
        "in_channels": 3, "out_channels": 5, "latent_channels": 4, "block_out_channels": (16, 24, 40),
        "down_block_types": ("AllegroDownBlock3D",) * 3, "up_block_types": ("AllegroUpBlock3D",) * 3,
        "temporal_downsample_blocks": (True, False, False), "temporal_upsample_blocks": (False, True, False),
        "layers_per_block": 1, "norm_num_groups": 8,
    },
    "AutoencoderKLCosmos": {
        "in_channels": 3, "out_channels": 5, "latent_channels": 4, "encoder_block_out_channels": (8, 12, 20, 28),
        "decode_block_out_channels": (10, 14, 22, 26), "attention_resolutions": (8,), "resolution": 64,
        "num_layers": 1,
    },
}  # fmt: skip
MORE_VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "HunyuanImageTransformer2DModel": (
        {"patch_size": (1, 2)},
        {"patch_size": (1, 2, 2), "rope_axes_dim": (4, 4, 4)},
        {"text_embed_2_dim": None},
        {"qk_norm": None},
        {"mlp_ratio": 2.7},
        {"out_channels": None},
    ),
    "PRXTransformer2DModel": ({"bottleneck_size": 14}, {"hidden_size": 60, "num_heads": 5}, {"mlp_ratio": 2.33}),
    "Krea2Transformer2DModel": ({"num_key_value_heads": 4, "num_attention_heads": 8},),
    "QwenImage21Transformer2DModel": ({"out_channels": None}, {"patch_size": 2}),
    "ErnieImageTransformer2DModel": ({"text_in_dim": 48}, {"patch_size": 2}, {"num_attention_heads": 6}),
    "NucleusMoEImageTransformer2DModel": (
        {"dense_moe_strategy": "leave_first_three_blocks_dense"},
        {"dense_moe_strategy": "leave_first_block_dense"},
        {"dense_moe_strategy": "all_moe"},
        {"dense_moe_strategy": "all_dense"},
        {"moe_enabled": False},
        {"num_layers": 3},
        {"mlp_ratio": 5.5, "num_attention_heads": 8},
        {"num_key_value_heads": None},
    ),
    "Flux3Transformer2DModel": ({"flow_map": True}, {"mlp_ratio": 2.33}),
    "LuminaNextDiT2DModel": (
        {"ffn_dim_multiplier": 1.3},
        {"learn_sigma": False},
        {"qk_norm": False},
        {"hidden_size": 1280, "num_attention_heads": 10, "num_kv_heads": 5},
    ),
    "Kandinsky3UNet": (
        {"layers_per_block": 1},
        {"layers_per_block": 3},
        {"block_out_channels": (16, 32)},
        {"block_out_channels": (32, 16, 64)},
        {"block_out_channels": (16, 32, 48, 64, 80)},
    ),
    "Kandinsky5Transformer3DModel": ({"patch_size": (2, 3, 1)}, {"axes_dims": (4, 8, 4)}),
    "Kandinsky6Transformer3DModel": (
        {"model_dim_a": None},
        {"model_dim_a": None, "time_dim_a": None, "ff_dim_a": None, "axes_dims_a": None},
        {"cross_gates": True},
        {"visual_token_type_num_embeddings": 3},
        {"time_dim_a": 0, "ff_dim_a": 0},
    ),
    "WanAnimateTransformer3DModel": (
        {"in_channels": None},
        {"latent_channels": None},
        {"out_channels": None},
        {"motion_encoder_size": 64},
        {"added_kv_proj_dim": 30, "pos_embed_seq_len": 6},
        {"image_dim": None},
        {"patch_size": (2, 1, 2)},
        {"num_layers": 8, "inject_face_latents_blocks": 3},
    ),
    "HeliosTransformer3DModel": (
        {"is_amplify_history": True},
        {"is_amplify_history": True, "history_scale_mode": "scalar"},
        {"added_kv_proj_dim": 30},
        {"has_multi_term_memory_patch": False},
        {"patch_size": (2, 1, 2)},
        {"out_channels": None},
    ),
    "SanaVideoTransformer3DModel": (
        {"guidance_embeds": True},
        {"qk_norm": None},
        {"cross_attention_dim": None},
        {"out_channels": None},
        {"patch_size": (2, 1, 2)},
        {"norm_elementwise_affine": True},
        {"mlp_ratio": 2.33},
    ),
    "EasyAnimateTransformer3DModel": (
        {"text_embed_dim_t5": 22},
        {"add_norm_text_encoder": True},
        {"add_norm_text_encoder": True, "text_embed_dim_t5": 22},
        {"after_norm": True},
        {"after_norm": True, "norm_elementwise_affine": False},
        {"activation_fn": "geglu"},
        {"mmdit_layers": 0},
    ),
    "JoyImageEditTransformer3DModel": ({"out_channels": None}, {"mlp_width_ratio": 2.33}, {"patch_size": [2, 1, 2]}),
    "JoyImageEditPlusTransformer3DModel": ({"out_channels": None}, {"mlp_width_ratio": 2.33}),
    "AutoencoderKLHunyuanVideo15": (
        {"downsample_match_channel": False},
        {"upsample_match_channel": False},
        {"downsample_match_channel": False, "upsample_match_channel": False, "spatial_compression_ratio": 16},
        {"spatial_compression_ratio": 2, "temporal_compression_ratio": 4},
        {"spatial_compression_ratio": 8, "temporal_compression_ratio": 8},
        {"layers_per_block": 3},
    ),
    "AutoencoderKLHunyuanImageRefiner": (
        {"downsample_match_channel": False},
        {"upsample_match_channel": False},
        {"spatial_compression_ratio": 8, "temporal_compression_ratio": 4},
    ),
    "AutoencoderKLHunyuanImage": (
        {"downsample_match_channel": False},
        {"upsample_match_channel": False},
        {"spatial_compression_ratio": 32},
        {"spatial_compression_ratio": 2, "layers_per_block": 3},
        {"spatial_compression_ratio": 1},
        {"spatial_compression_ratio": 1, "upsample_match_channel": False, "downsample_match_channel": False},
        {"downsample_match_channel": False, "upsample_match_channel": False, "layers_per_block": 2},
    ),
    "AutoencoderKLMagvit": (
        {"layers_per_block": 2},
        {"layers_per_block": 3},
        {
            "block_out_channels": [16, 24, 40, 40],
            "down_block_types": ["SpatialDownBlock3D", *["SpatialTemporalDownBlock3D"] * 3],
            "up_block_types": ["SpatialUpBlock3D", *["SpatialTemporalUpBlock3D"] * 3],
        },
    ),
    "AutoencoderKLAllegro": (
        {"layers_per_block": 2},
        {"temporal_downsample_blocks": (True, True, False)},
        {"temporal_upsample_blocks": (True, True, False)},
    ),
    "AutoencoderKLCosmos": (
        {"num_layers": 2},
        {"spatial_compression_ratio": 16},
        {"spatial_compression_ratio": 16, "temporal_compression_ratio": 4},
        {"temporal_compression_ratio": 16},
        {"attention_resolutions": (16, 4)},
        {"patch_size": 2},
        {"encoder_block_out_channels": (8, 12, 20), "decode_block_out_channels": (10, 14, 22, 26, 30)},
    ),
    "Kandinsky6SRTransformer3DModel": ({"patch_size": (2, 3, 1)}, {"axes_dims": (4, 8, 4)}),
}  # fmt: skip
