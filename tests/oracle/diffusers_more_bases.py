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
}  # fmt: skip
