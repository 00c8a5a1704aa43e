"""Tiny arguments as in `diffusers_bases.py` for components other than transformers, UNets and autoencoders."""

from __future__ import annotations

from typing import Any

VOCODER: dict[str, Any] = {
    "in_channels": 6, "hidden_channels": 32, "out_channels": 3, "upsample_kernel_sizes": [8, 4],
    "upsample_factors": [4, 2], "resnet_kernel_sizes": [3, 5, 7], "resnet_dilations": [[1, 3], [1, 3], [1, 3]],
    "act_fn": "snakebeta", "antialias": True, "antialias_kernel_size": 10,
}  # fmt: skip
U_TRANSFORMER: dict[str, Any] = {
    "num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 5, "out_channels": 6, "num_layers": 5,
    "sample_size": 8, "patch_size": 2,
}  # fmt: skip
ACE: dict[str, Any] = {
    "hidden_size": 48, "intermediate_size": 52, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 10,
}  # fmt: skip
RESNETS_1D: dict[str, Any] = {
    "time_embedding_type": "positional", "down_block_types": ("DownResnetBlock1D",) * 3, "extra_in_channels": 0,
    "up_block_types": ("UpResnetBlock1D",) * 2, "mid_block_type": "MidResTemporalBlock1D", "in_channels": 14,
    "out_channels": 14, "out_block_type": "OutConv1DBlock", "act_fn": "mish", "use_timestep_embedding": True,
}  # fmt: skip
PART_BASES: dict[str, dict[str, Any]] = {
    "LTXLatentUpsamplerModel": {"in_channels": 6, "mid_channels": 32, "num_blocks_per_stage": 2},
    "LTX2LatentUpsamplerModel": {"in_channels": 6, "mid_channels": 32, "num_blocks_per_stage": 2},
    "LTX2TextConnectors": {
        "caption_channels": 20, "text_proj_in_factor": 3, "video_connector_num_attention_heads": 2,
        "video_connector_attention_head_dim": 10, "video_connector_num_layers": 2,
        "video_connector_num_learnable_registers": 7, "audio_connector_num_attention_heads": 4,
        "audio_connector_attention_head_dim": 5, "audio_connector_num_layers": 1,
        "audio_connector_num_learnable_registers": 9, "video_hidden_dim": 20, "audio_hidden_dim": 28,
    },
    "LTX2DurationHead": {
        "video_cross_attention_dim": 22, "audio_cross_attention_dim": 26, "pooler_hidden_dim": 12, "num_queries": 3,
        "num_pooler_heads": 2, "mlp_hidden_dim": 14,
    },
    "LTX2Vocoder": VOCODER,
    "LTX2VocoderWithBWE": {
        **VOCODER, "bwe_in_channels": 5, "bwe_hidden_channels": 24, "bwe_out_channels": 3,
        "bwe_upsample_kernel_sizes": [6, 4, 4], "bwe_upsample_factors": [2, 2, 2], "bwe_resnet_kernel_sizes": [3, 7],
        "bwe_resnet_dilations": [[1, 3, 5], [1, 3, 5]], "bwe_antialias_kernel_size": 14, "filter_length": 16,
        "hop_length": 4, "window_length": 16, "num_mel_channels": 5,
    },
    "AceStepLyricEncoder": {**ACE, "text_hidden_dim": 20, "num_lyric_encoder_hidden_layers": 2},
    "AceStepTimbreEncoder": {**ACE, "timbre_hidden_dim": 7, "num_timbre_encoder_hidden_layers": 2},
    "AceStepConditionEncoder": {
        **ACE, "text_hidden_dim": 20, "num_lyric_encoder_hidden_layers": 2, "timbre_hidden_dim": 7,
        "num_timbre_encoder_hidden_layers": 1,
    },
    "AceStepAudioTokenizer": {**ACE, "audio_acoustic_hidden_dim": 9, "fsq_dim": 48},
    "AceStepAudioTokenDetokenizer": {**ACE, "audio_acoustic_hidden_dim": 9, "pool_window_size": 3},
    "StableUnCLIPImageNormalizer": {"embedding_dim": 20},
    "CLIPImageProjection": {"hidden_size": 20},
    "UnCLIPTextProjModel": {
        "clip_embeddings_dim": 20, "time_embed_dim": 28, "cross_attention_dim": 36, "clip_extra_context_tokens": 3,
    },
    "StableAudio3DurationEmbedder": {"output_dim": 20, "fourier_dim": 14},
    "UNet1DModel": {
        "sample_size": 64, "in_channels": 3, "out_channels": 5, "block_out_channels": (32, 64, 96),
        "extra_in_channels": 6,
    },
    "AutoencoderKLMiniMaxH3": {
        "in_channels": 3, "out_channels": 5, "latent_channels": 6, "block_out_channels": (8, 16, 16, 24),
        "spatial_downsample_factors": (2, 1, 2, 1), "temporal_downsample_factors": (1, 2, 2, 1),
        "norm_num_groups": 4, "decoder_num_layers": 2, "decoder_num_attention_heads": 3,
        "decoder_attention_head_dim": 16, "decoder_num_register_tokens": 7,
    },
    "AutoencoderKLMiniMaxH3Audio": {
        "encoder_dim": 6, "encoder_rates": (2, 4), "latent_dim": 48, "latent_channels": 12, "num_attention_heads": 4,
        "decoder_dim": 32, "decoder_rates": (2, 2, 2), "decoder_kernel_sizes": (6, 4, 4),
        "resblock_kernel_sizes": (3, 5), "resblock_dilation_sizes": ((1, 3, 5), (1, 3, 5)),
    },
    "AnimaTextConditioner": {
        "source_dim": 20, "target_dim": 28, "model_dim": 48, "num_layers": 2, "num_attention_heads": 4,
        "target_vocab_size": 37,
    },
    "MiniMaxMusic3ConditionEncoder": {"condition_hidden_dim": 20, "num_condition_layers": 3, "out_dim": 14},
    "MiniMaxMusic3RVQDepthDecoder": {
        "hidden_size": 48, "num_layers": 2, "num_attention_heads": 4, "intermediate_size": 52, "audio_vocab_size": 21,
        "num_codebooks": 4, "max_position_embeddings": 11,
    },
    "MiniMaxMusic3Transformer1DModel": {
        "in_channels": 6, "condition_dim": 20, "num_layers": 2, "num_attention_heads": 3, "attention_head_dim": 16,
        "ff_inner_dim": 52, "rotary_dim": 8, "fourier_embedding_dim": 18,
    },
    "MiniMaxMusic3Vocoder": {
        "latent_channels": 12, "decoder_input_dim": 20, "decoder_hidden_dim": 32, "upsampling_ratios": (4, 2),
    },
    "StableAudio3DiTModel": {
        "io_channels": 6, "patch_size": 1, "embed_dim": 48, "depth": 2, "num_heads": 3, "cond_token_dim": 20,
        "global_cond_dim": 28, "local_add_cond_dim": 7, "timestep_features_dim": 18, "num_memory_tokens": 5,
    },
    "UTransformer2DModel": U_TRANSFORMER,
    "UniDiffuserModel": {**U_TRANSFORMER, "text_dim": 20, "clip_img_dim": 22, "num_text_tokens": 7},
    "UniDiffuserTextDecoder": {
        "prefix_length": 7, "prefix_inner_dim": 20, "prefix_hidden_dim": 14, "vocab_size": 37, "n_positions": 11,
        "n_embd": 24, "n_layer": 2, "n_head": 3,
    },
    "AudioLDM2UNet2DConditionModel": {
        "in_channels": 4, "out_channels": 6, "block_out_channels": (24, 40), "layers_per_block": 1,
        "norm_num_groups": 8, "cross_attention_dim": ((None, 28), (36,)), "attention_head_dim": 8,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
    },
    "LearnedClassifierFreeSamplingEmbeddings": {"learnable": True, "hidden_size": 20, "length": 9},
    "WuerstchenDiffNeXt": {
        "c_in": 3,
        "c_out": 5,
        "c_r": 14,
        "patch_size": 2,
        "c_cond": 18,
        "c_hidden": [8, 12, 20],
        "nhead": [-1, 3, 5],
        "blocks": [2, 1, 3],
        "level_config": ["CT", "CTA", "CTA"],
        "inject_effnet": [False, True, True],
        "effnet_embd": 7,
        "clip_embd": 22,
    },
    "WuerstchenPrior": {"c_in": 6, "c": 32, "c_cond": 20, "c_r": 14, "depth": 2, "nhead": 4},
    "PaellaVQModel": {
        "in_channels": 3, "out_channels": 5, "levels": 3, "bottleneck_blocks": 2, "embed_dim": 32,
        "latent_channels": 6, "num_vq_embeddings": 37,
    },
}  # fmt: skip
U_TRANSFORMERS: tuple[dict[str, Any], ...] = (
    {"cross_attention_dim": 28},
    {"cross_attention_dim": 28, "only_cross_attention": True},
    {"norm_type": "ada_norm", "num_embeds_ada_norm": 9},
    {"norm_type": "ada_norm", "num_embeds_ada_norm": 9, "cross_attention_dim": 28},
    {"activation_fn": "gelu"},
    {"norm_elementwise_affine": False},
    {"block_type": "other"},
)
PART_VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "LTXLatentUpsamplerModel": (
        {"dims": 2},
        {"temporal_upsample": True},
        {"temporal_upsample": True, "spatial_upsample": False},
    ),
    "LTX2LatentUpsamplerModel": (
        {"dims": 2},
        {"temporal_upsample": True},
        {"temporal_upsample": True, "spatial_upsample": False},
        {"use_rational_resampler": False},
        {"rational_spatial_scale": 0.75},
        {"rational_spatial_scale": 1.5},
        {"rational_spatial_scale": 4.0},
    ),
    "LTX2TextConnectors": (
        {"per_modality_projections": True, "proj_bias": True},
        {"video_connector_num_learnable_registers": None},
        {"video_gated_attn": True, "audio_gated_attn": True},
    ),
    "LTX2Vocoder": (
        {"antialias_kernel_size": None},
        {"act_fn": "snake"},
        {"act_fn": "leaky_relu", "antialias": False},
        {"act_fn": "snake", "antialias": False},
        {"resnet_kernel_sizes": [3, 5], "resnet_dilations": [[1, 3, 5], [1, 3, 5]]},
    ),
    "AceStepAudioTokenizer": ({"fsq_input_levels": [4, 4, 3]},),
    "AnimaTextConditioner": (
        {"use_self_attention": False},
        {"use_layer_norm": True},
        {"use_layer_norm": True, "use_self_attention": False},
        {"target_dim": 48},
        {"mlp_ratio": 2.33},
    ),
    "StableAudio3DiTModel": (
        {"use_differential_attention": False},
        {"num_memory_tokens": 0},
        {"patch_size": 2},
        {"num_heads": 1},
        {"ff_mult": 2.33},
    ),
    "UTransformer2DModel": U_TRANSFORMERS,
    "UniDiffuserModel": (
        *U_TRANSFORMERS,
        {"use_timestep_embedding": True, "use_data_type_embedding": True},
    ),
    "UniDiffuserTextDecoder": ({"n_inner": 30},),
    "AudioLDM2UNet2DConditionModel": (
        {
            "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
            "layers_per_block": (1, 2),
            "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
            "transformer_layers_per_block": (1, 2),
        },
        {"cross_attention_dim": ((None, 28), (36, None, 20))},
        {"cross_attention_dim": 28},
        {"cross_attention_dim": (28, 36)},
        {"only_cross_attention": True},
        {"use_linear_projection": True, "attention_head_dim": (8, 4)},
        {
            "class_embed_type": "simple_projection",
            "projection_class_embeddings_input_dim": 22,
            "class_embeddings_concat": True,
        },
        {"class_embed_type": "timestep"},
        {"class_embed_type": "projection", "projection_class_embeddings_input_dim": 22},
        {"num_class_embeds": 11},
        {"resnet_time_scale_shift": "scale_shift"},
    ),
    "UNet1DModel": (
        RESNETS_1D,
        {**RESNETS_1D, "downsample_each_block": True, "layers_per_block": 2},
        {
            **RESNETS_1D,
            "mid_block_type": "ValueFunctionMidBlock1D",
            "out_block_type": "ValueFunction",
            "up_block_types": (),
            "downsample_each_block": True,
        },
        {"down_block_types": ("DownBlock1D", "DownBlock1DNoSkip", "AttnDownBlock1D")},
        {"up_block_types": ("UpBlock1D", "AttnUpBlock1D", "UpBlock1DNoSkip")},
        {"time_embedding_dim": 26, "use_timestep_embedding": True, "act_fn": "silu"},
        {
            "block_out_channels": (32, 64),
            "down_block_types": ("DownBlock1D", "AttnDownBlock1D"),
            "up_block_types": ("UpBlock1D", "UpBlock1DNoSkip"),
        },
    ),
    "PaellaVQModel": ({"levels": 1}, {"levels": 2, "bottleneck_blocks": 1}),
    "LTX2VocoderWithBWE": ({"bwe_act_fn": "snake"}, {"bwe_antialias": False}, {"bwe_final_bias": True}),
}
