"""Make `fixtures/oracle/*.json.gz`: files that transformers saves for tiny random models.

Needs torch, transformers and safetensors; run once with each version of transformers, newest first, because of equal
records of two versions only the first is kept:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 safetensors
    python -m venv four && four/bin/pip install torch==2.13.0 transformers==4.57.6 safetensors
    five/bin/python -m tests.oracle.make_records [MODEL_TYPE ...]
    four/bin/python -m tests.oracle.make_records [MODEL_TYPE ...]

Without arguments all types that have a definition are made, and torch's own attention module: those of `TYPES` with
every switch of every class, the others with every class and a choice of switches of one class. Each run replaces
the records of its own version and keeps those of others. A file is gzip (mtime 0) of one JSON object:

    {"model_type": ..., "records": [...], "unmoved": {writer: {class: ["key-value", ...]}}}

A record has
    class, variant, writer  the variant is "" for the base, "key-value" for one switch, "key-value,key-value"
                            for two, with the key as the config has it, dotted for one inside another
    given                   the arguments of the configuration class: a sparse config, other keys have their default
    config                  config.json as written
    num_parameters          sum over model.parameters(): ties once, no buffers
    unwritten               how many of these are computed and never saved; absent for 0
    tied                    groups of names in memory that are one parameter
    buffers                 names on disk that are buffers
    tensors                 name on disk to [dtype, shape], from the header of the written file

`unmoved` lists the switches that were tried and affect no tensor. All hyperparameters of a base are distinct numbers,
so that no wrong formula agrees by chance. Types with a definition are found automatically; arguments that the general
rules (`tiny.py`) do not find are in MENDS, and types that cannot be built are in LEFT_OUT with the reason.
"""

from __future__ import annotations

import contextlib
import copy
import gzip
import importlib
import itertools
import json
import math
import os
import signal
import sys
import tempfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.oracle.record_parts import LATER_COMBINED, LATER_MENDS
from tests.oracle.tiny import declared, flat, merged, tiny, usual_names

ORACLE = Path(__file__).parents[2] / "fixtures" / "oracle"
CATALOG = Path(__file__).parents[2] / "inspector" / "architectures" / "catalog.json"

# The types that are tried with every switch of every class, with their arguments beyond NUMBERS.
TYPES: dict[str, dict[str, Any]] = {
    "bart": {
        "encoder_layers": 3,
        "decoder_layers": 4,
        "encoder_attention_heads": 6,
        "decoder_attention_heads": 8,
        "encoder_ffn_dim": 92,
        "decoder_ffn_dim": 84,
        "decoder_start_token_id": 4,
        "forced_eos_token_id": 4,
    },
    "bert": {},
    "bloom": {},
    "deepseek_v3": {
        "num_key_value_heads": 6,
        "n_routed_experts": 10,
        "n_shared_experts": 2,
        "n_group": 2,
        "topk_group": 1,
        "num_experts_per_tok": 4,
        "kv_lora_rank": 14,
        "q_lora_rank": 18,
        "qk_rope_head_dim": 10,
        "qk_nope_head_dim": 12,
        "v_head_dim": 26,
        "first_k_dense_replace": 1,
    },
    "distilbert": {"hidden_dim": 92},
    "falcon": {"num_kv_heads": 2, "ffn_hidden_size": 92},
    "gemma": {},
    "gemma2": {},
    "gemma3_text": {},
    "gpt2": {},
    "gpt_neox": {},
    "llama": {},
    "mistral": {"sliding_window": 33},
    "mixtral": {"num_experts_per_tok": 4},
    "mpt": {"expansion_ratio": 3},
    "opt": {"ffn_dim": 92},
    "phi": {},
    "phi3": {},
    "qwen2": {"max_window_layers": 1, "sliding_window": 33},
    "qwen2_moe": {"shared_expert_intermediate_size": 36, "max_window_layers": 1, "sliding_window": 33},
    "qwen3": {"max_window_layers": 1, "sliding_window": 33},
    "qwen3_moe": {"num_experts_per_tok": 4, "sliding_window": 33},
    "roberta": {},
    "stablelm": {},
    "starcoder2": {},
    "swin": {
        "image_size": 60,
        "patch_size": 4,
        "embed_dim": 24,
        "depths": [2, 3],
        "num_heads": [2, 4],
        "window_size": 5,
        "num_channels": 1,
    },
    "t5": {"d_ff": 92, "num_decoder_layers": 4, "relative_attention_num_buckets": 9},
    "vit": {"image_size": 40, "patch_size": 8, "num_channels": 1},
    "wav2vec2": {
        "conv_dim": [20, 28],
        "conv_kernel": [4, 2],
        "conv_stride": [2, 2],
        "num_conv_pos_embeddings": 16,
        "num_conv_pos_embedding_groups": 4,
        "num_codevectors_per_group": 9,
        "codevector_dim": 14,
        "proj_codevector_dim": 18,
        "classifier_proj_size": 22,
        "tdnn_dim": [26, 34],
        "tdnn_kernel": [5, 3],
        "tdnn_dilation": [1, 1],
        "xvector_output_dim": 38,
        "num_adapter_layers": 2,
    },
    "whisper": {
        "encoder_layers": 3,
        "decoder_layers": 4,
        "encoder_attention_heads": 6,
        "decoder_attention_heads": 8,
        "encoder_ffn_dim": 92,
        "decoder_ffn_dim": 84,
        "num_mel_bins": 13,
        "max_source_positions": 34,
        "max_target_positions": 70,
        "decoder_start_token_id": 5,
        "begin_suppress_tokens": None,
        "classifier_proj_size": 22,
    },
}

# Other types: arguments beyond those of `tiny.py`; a dotted key is inside another configuration.
CROSSED = {"decoder.is_decoder": True, "decoder.add_cross_attention": True}
CLAP_AUDIO = {
    "patch_embeds_hidden_size": 24,
    "hidden_size": 192,
    "depths": [1, 2, 3, 1],
    "num_attention_heads": [2, 4, 6, 8],
    "num_hidden_layers": 4,
    "window_size": 4,
    "spec_size": 64,
    "num_mel_bins": 16,
    "patch_size": 4,
}
# Without timm, a backbone of transformers; widths that the segmentation's norms divide.
DETR = {
    "d_model": 128,
    "encoder_attention_heads": 8,
    "use_timm_backbone": False,
    "use_pretrained_backbone": False,
    "backbone": None,
    "backbone_config": {
        "model_type": "resnet",
        "embedding_size": 16,
        "hidden_sizes": [24, 48, 72, 96],
        "depths": [1, 2, 1, 1],
        "out_features": ["stage1", "stage2", "stage3", "stage4"],
    },
}
QWEN4_EXP = {
    "num_hidden_layers": 4,
    "layer_types": ["linear_attention", "indexed_attention", "linear_attention", "indexed_attention"],
    "hc_count": 3,
    "hc_lowrank": 18,
    "ple_layer_ids": [1, 3],
    "ple_embed_dim": 40,
    "ngram_size": 3,
    "heads_per_ngram": 2,
    "ngram_vocab_size_base": 21,
    "make_ngram_vocab_size_divisible_by": 8,
    "split_ngram_parts": 5,
    "indexer_n_heads": 3,
    "indexer_kv_heads": 1,
    "indexer_head_dim": 22,
    "indexer_budget": 16,
    "indexer_compress_ratio": 4,
}
INKLING_TEXT = {
    "num_hidden_layers": 4,
    "layer_types": ["hybrid_sliding", "hybrid", "hybrid_sliding", "hybrid_sliding"],
    "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"],
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
    "head_dim": 20,
    "swa_num_attention_heads": 8,
    "swa_num_key_value_heads": 2,
    "swa_head_dim": 12,
    "sliding_window_size": 33,
    "d_rel": 10,
    "rel_extent": 41,
}
GLM5_NEXT = {
    "num_hidden_layers": 4,
    "num_key_value_heads": 6,
    "qk_rope_head_dim": 0,
    "index_kpool": 3,
    "linear_num_heads": 4,
    "hc_mult": 3,
    "layer_types": ["linear_attention", "indexed_attention", "linear_attention", "indexed_attention"],
    "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"],
    "indexer_types": ["full", "full", "full", "shared"],
}
MISTRAL_LARGE4 = {
    "num_hidden_layers": 4,
    "no_rope_layers": [1, 0, 1, 1],
    "kv_source_layers": [0, 1, 1, 3],
    "indexer_types": ["full", "full", "shared", "full"],
}
GEMMA4_VISION_BELOW = {
    "model_type": "gemma4_vision",
    "hidden_size": 72,
    "intermediate_size": 60,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 18,
    "patch_size": 8,
    "position_embedding_size": 27,
}
GEMMA4_AUDIO_BELOW = {
    "model_type": "gemma4_audio",
    "hidden_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "output_proj_dims": 34,
    "subsampling_conv_channels": [20, 12],
    "conv_kernel_size": 5,
}
COMPASS_ROTARY = {"full_attention": {"rope_type": "default", "rope_theta": 10000.0}}
STEP_TEXT = {
    "layer_types": ["full_attention", "sliding_attention", "sliding_attention"],
    "num_sliding_attention_heads": 8,
    "mlp_layer_types": ["dense", "sparse", "sparse"],
}
DPR_BELOW = {
    "model_type": "dpr",
    "hidden_size": 72,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 60,
    "vocab_size": 109,
    "max_position_embeddings": 50,
}
BART_BELOW = {
    "model_type": "bart",
    "d_model": 48,
    "encoder_layers": 3,
    "decoder_layers": 4,
    "encoder_attention_heads": 6,
    "decoder_attention_heads": 8,
    "encoder_ffn_dim": 92,
    "decoder_ffn_dim": 84,
    "vocab_size": 107,
    "max_position_embeddings": 70,
    "decoder_start_token_id": 4,
    "forced_eos_token_id": 4,
}
INKLING2_TEXT = {
    "swa_num_attention_heads": 8,
    "swa_num_key_value_heads": 4,
    "layer_types": ["hybrid_sliding", "hybrid", "hybrid_sliding"],
}
ROTARY = {"text_config": {"rope_scaling": {"rope_type": "default", "mrope_section": [2, 4, 4]}}}
PHI4_AUDIO = {
    "hidden_size": 72,
    "intermediate_size": 52,
    "num_blocks": 2,
    "num_attention_heads": 4,
    "input_size": 43,
    "ext_pw_out_channel": 30,
    "depthwise_separable_out_channel": 26,
    "nemo_conv_channels": 14,
    "bias_max_distance": 29,
}
PHI4_VISION = {
    "hidden_size": 36,
    "intermediate_size": 68,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "image_size": 40,
    "patch_size": 8,
    "crop_size": 27,
}
ERNIE_TEXT = {
    "hidden_size": 256,
    "intermediate_size": 92,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "moe_intermediate_size": [28, 36],
    "moe_num_experts": 7,
    "moe_k": 2,
    "vocab_size": 107,
}
ERNIE_VISION = {"depth": 2, "hidden_size": 24, "num_heads": 4, "intermediate_size": 52, "patch_size": 8}
CHAMELEON_VQ = {
    "embed_dim": 14,
    "num_embeddings": 29,
    "latent_channels": 10,
    "resolution": 64,
    "base_channels": 32,
    "channel_multiplier": [1, 2, 3],
    "num_res_blocks": 1,
    "attn_resolutions": [32],
}
EMU3_VQ = {
    "codebook_size": 29,
    "embed_dim": 14,
    "latent_channels": 5,
    "base_channels": 32,
    "channel_multiplier": [1, 2, 3],
    "num_res_blocks": 1,
    "attn_resolutions": [1],
    "hidden_size": 24,
    "num_attention_heads": 2,
}
T5GEMMA2 = {
    "vocab_size": 107,
    "hidden_size": 48,
    "intermediate_size": 84,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 20,
}
VIBEVOICE_AUDIO = {"hidden_size": 14, "num_filters": 4, "downsampling_ratios": [2, 3], "depths": [1, 3, 2]}
OMNI_DIT = {
    "enc_emb_dim": 10,
    "enc_dim": 14,
    "enc_channels": [12, 16, 20, 24],
    "enc_kernel_sizes": [5, 3, 3, 1],
    "enc_dilations": [1, 2, 3, 1],
    "enc_attention_channels": 18,
    "enc_se_channels": 22,
    "num_embeds": 29,
}
OMNI_BIGVGAN = {
    "upsample_initial_channel": 40,
    "resblock_kernel_sizes": [3, 5],
    "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5]],
    "upsample_rates": [3, 2],
    "upsample_kernel_sizes": [7, 4],
}
STAGES = ["stage1", "stage2", "stage3", "stage4"]
BELOW_DETECTORS: dict[str, Any] = {
    "backbone_config": {
        "model_type": "resnet",
        "embedding_size": 8,
        "hidden_sizes": [12, 20, 28, 36],
        "depths": [2, 1, 2, 1],
        "layer_type": "basic",
        "num_channels": 1,
        "out_features": ["stage2", "stage3", "stage4"],
    },
    "backbone": None,
    "use_timm_backbone": False,
    "use_pretrained_backbone": False,
    "decoder_ffn_dim": 84,
    "encoder_ffn_dim": 92,
    "encoder_layers": 3,
    "decoder_layers": 4,
    "num_queries": 11,
}
PANOPTIC = {
    **BELOW_DETECTORS,
    "d_model": 128,
    "encoder_attention_heads": 8,
    "decoder_attention_heads": 8,
    "backbone_config": {**BELOW_DETECTORS["backbone_config"], "out_features": STAGES},
}
SWIN_BELOW = {
    "model_type": "swin",
    "embed_dim": 12,
    "depths": [1, 2, 1, 1],
    "num_heads": [2, 3, 4, 6],
    "image_size": 64,
    "patch_size": 4,
    "window_size": 4,
    "num_channels": 1,
    "out_features": ["stage2", "stage3", "stage4"],
}
BERT_BELOW = {
    "model_type": "bert",
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 109,
}
GROUNDING = {
    **BELOW_DETECTORS,
    "d_model": 64,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 8,
    "backbone_config": SWIN_BELOW,
    "text_config": BERT_BELOW,
}
RT_DETR = {
    **BELOW_DETECTORS,
    "backbone_config": {
        **BELOW_DETECTORS["backbone_config"],
        "model_type": "rt_detr_resnet",
        "layer_type": "bottleneck",
    },
    "encoder_hidden_dim": 40,
    "encoder_in_channels": [20, 28, 36],
    "decoder_in_channels": [40, 40, 40],
    "encoder_layers": 2,
    "encoder_attention_heads": 4,
    "num_denoising": 5,
    "feat_strides": [8, 16, 32],
    "num_feature_levels": 3,
}
ALL_MAPS = {**SWIN_BELOW, "out_features": STAGES}
MASKS = {
    "backbone_config": ALL_MAPS,
    "decoder_layers": 4,
    "encoder_layers": 2,
    "hidden_dim": 48,
    "dim_feedforward": 92,
    "encoder_feedforward_dim": 84,
    "num_attention_heads": 4,
    "num_queries": 11,
}
DINO_BELOW = {
    "model_type": "dinov2",
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "image_size": 40,
    "patch_size": 8,
    "num_channels": 1,
}
HIERA_BELOW = {
    "model_type": "sam2_hiera_det_model",
    "hidden_size": 12,
    "num_attention_heads": 1,
    "blocks_per_stage": [1, 2, 3, 1],
    "embed_dim_per_stage": [12, 24, 36, 48],
    "num_attention_heads_per_stage": [1, 2, 3, 4],
    "global_attention_blocks": [4],
    "window_positional_embedding_background_size": [5, 3],
    "window_size_per_stage": [6, 4, 8, 4],
    "image_size": [64, 64],
}
TRACKING: dict[str, Any] = {
    "vision_config": {"backbone_config": HIERA_BELOW, "backbone_channel_list": [48, 36, 24, 12], "fpn_hidden_size": 32},
    "prompt_encoder_config": {
        "hidden_size": 32,
        "mask_input_channels": 12,
        "image_size": 64,
        "num_point_embeddings": 3,
    },
    "mask_decoder_config": {
        "hidden_size": 32,
        "mlp_dim": 36,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "iou_head_hidden_dim": 28,
    },
}
SERIES = {
    "prediction_length": 6,
    "context_length": 9,
    "lags_sequence": [1, 2, 3],
    "num_time_features": 2,
    "d_model": 48,
}
SERIES |= {"encoder_ffn_dim": 84, "decoder_ffn_dim": 92, "encoder_layers": 3, "decoder_layers": 2}
SERIES |= {"encoder_attention_heads": 4, "decoder_attention_heads": 6}
CATEGORIES = {"num_static_categorical_features": 2, "cardinality": [7, 11], "embedding_dimension": [3, 5]}
BEIT_BELOW = {
    **DINO_BELOW,
    "model_type": "beit",
    "intermediate_size": 92,
    "out_features": STAGES[:3],
    "reshape_hidden_states": False,
}
BINS = {"n_bins": 9, "min_depth": 0.001, "max_depth": 10.0}
SMALL_EFFICIENT = {"width_coefficient": 0.3, "depth_coefficient": 0.4, "hidden_dim": 96, "image_size": 40}
SAM3_TOWER: dict[str, Any] = {
    "backbone_config": {
        "model_type": "sam3_vit_model",
        "hidden_size": 48,
        "intermediate_size": 92,
        "num_hidden_layers": 3,
        "num_attention_heads": 6,
        "image_size": 64,
        "pretrain_image_size": 32,
        "patch_size": 8,
        "window_size": 4,
        "global_attn_indexes": [1],
    },
    "fpn_hidden_size": 32,
    "backbone_feature_sizes": [[32, 32], [16, 16], [8, 8]],
}
MEMORIES = {
    "memory_attention_hidden_size": 32,
    "memory_attention_feed_forward_hidden_size": 44,
    "memory_attention_num_layers": 2,
    "memory_encoder_hidden_size": 32,
    "memory_encoder_output_channels": 64,
    "memory_fuser_embed_dim": 32,
    "memory_fuser_intermediate_dim": 56,
    "mask_downsampler_embed_dim": 32,
    "image_size": 64,
}
SAM3_PART = {"hidden_size": 32, "intermediate_size": 44, "num_layers": 2, "num_attention_heads": 4}
SAM3: dict[str, Any] = {
    "vision_config": SAM3_TOWER,
    "text_config": {
        "hidden_size": 36,
        "intermediate_size": 52,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "vocab_size": 109,
    },
    "geometry_encoder_config": SAM3_PART,
    "detr_encoder_config": SAM3_PART,
    "detr_decoder_config": {**SAM3_PART, "num_queries": 11},
    "mask_decoder_config": {"hidden_size": 32, "num_attention_heads": 4, "num_upsampling_stages": 2},
}
LW_TOWER = {
    "model_type": "lw_detr_vit",
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "image_size": 64,
    "pretrain_image_size": 40,
    "patch_size": 8,
    "num_channels": 1,
    "out_indices": [1, 3],
}
HGNET = {
    "stem_channels": [1, 8, 12],
    "hidden_sizes": [20, 28, 36, 44],
    "stage_in_channels": [12, 20, 28, 36],
    "stage_mid_channels": [6, 10, 14, 18],
    "stage_out_channels": [20, 28, 36, 44],
    "stage_num_blocks": [1, 2, 1, 1],
    "stage_numb_of_layers": [2, 3, 2, 2],
}
OCR_SAM = {"downsample_channels": [22, 34], "global_attn_indexes": [1]}
OCR_VISION = {"sam_config": OCR_SAM}
UVDOC_TOWER = {
    "kernel_size": 3,
    "resnet_head": [[3, 12], [12, 16]],
    "resnet_configs": [[[16, 16, 1, False], [16, 16, 2, False]], [[16, 24, 1, True], [24, 24, 3, False]]],
    "stage_configs": [[[24, 1]], [[24, 2], [24, 3]], [[24, 4]]],
}
DOCLAYOUT = {
    **{
        key: RT_DETR[key]
        for key in (
            "encoder_ffn_dim",
            "decoder_ffn_dim",
            "encoder_hidden_dim",
            "encoder_layers",
            "encoder_attention_heads",
            "num_denoising",
            "feat_strides",
            "num_feature_levels",
            "decoder_in_channels",
            "num_queries",
            "decoder_layers",
        )
    },
    "d_model": 40,
    "decoder_attention_heads": 4,
}
MENDS: dict[str, dict[str, Any]] = {
    "pp_doclayout_v2": {
        **DOCLAYOUT,
        "backbone_config": {"model_type": "hgnet_v2", **HGNET, "out_features": STAGES[1:]},
        "encoder_in_channels": [28, 36, 44],
        "reading_order_config": {
            "hidden_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 60,
            "vocab_size": 4,
            "max_position_embeddings": 50,
            "max_2d_position_embeddings": 71,
            "coordinate_size": 9,
            "shape_size": 7,
            "num_classes": 13,
            "relation_bias_embed_dim": 10,
            "global_pointer_head_size": 11,
            "rel_pos_bins": 17,
            "rel_2d_pos_bins": 19,
        },
    },
    "pp_doclayout_v3": {
        **DOCLAYOUT,
        "backbone_config": {"model_type": "hgnet_v2", **HGNET, "out_features": STAGES},
        "encoder_in_channels": [28, 36, 44],
        "x4_feat_dim": 20,
        "mask_feature_channels": [14, 18],
        "num_prototypes": 15,
        "global_pointer_head_size": 11,
    },
    "slanet": {
        "backbone_config": {"scale": 0.2, "out_features": [f"stage{n}" for n in range(2, 6)]},
        "post_conv_out_channels": 34,
        "out_channels": 27,
    },
    "uvdoc_backbone": UVDOC_TOWER,
    "uvdoc": {
        "backbone_config": UVDOC_TOWER,
        "bridge_connector": [24, 28],
        "out_point_positions2D": [[28, 14], [14, 2]],
    },
    "pp_lcnet_v3": {"divisor": 8, "scale": 0.6, "conv_symmetric_num": 3},
    "pp_ocrv5_mobile_rec": {"head_out_channels": 27, "backbone_config": {"scale": 0.2, "conv_symmetric_num": 2}},
    "pp_ocrv5_mobile_det": {
        "backbone_config": {"scale": 0.2, "conv_symmetric_num": 2, "out_features": [f"stage{n}" for n in range(2, 6)]},
        "neck_out_channels": 48,
        "reduction": 3,
        "layer_list_out_channels": [9, 15, 27, 33],
    },
    "textnet": {
        "hidden_sizes": [24, 24, 40, 56],
        "depths": [2, 3, 2],
        "conv_layer_kernel_sizes": [[[3, 3], [3, 3]], [[3, 3], [1, 3], [3, 1]], [[3, 3], [3, 1]]],
        "conv_layer_strides": [[1, 2], [2, 1, 1], [2, 1]],
        "stem_out_channels": 24,
        "out_features": ["stage3"],
    },
    "efficientloftr": {
        "stage_num_blocks": [1, 2, 3],
        "stage_stride": [2, 1, 2],
        "out_features": [24, 24, 48],
    },
    "molmo2": {
        "vision_config": {"image_size": [40, 40], "num_position_embeddings": 31},
        "adapter_config": {"hidden_size": 72, "text_hidden_size": 48, "vision_feature_layer": [1, 0]},
    },
    "molmo2_vision": {"image_size": [40, 40], "num_position_embeddings": 31},
    "univnet": {"model_in_channels": 9, "model_hidden_channels": 6, "kernel_predictor_hidden_channels": 10},
    "patchtsmixer": {"num_input_channels": 5},
    "vitmatte": {
        "hidden_size": 48,
        "convstream_hidden_sizes": [10, 14, 18],
        "fusion_hidden_sizes": [44, 34, 26, 22],
        "backbone_config": {
            "model_type": "vitdet",
            "hidden_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 6,
            "num_channels": 4,
            "image_size": 64,
            "pretrain_image_size": 48,
            "patch_size": 8,
            "out_features": ["stage2"],
        },
    },
    "canary": {"decoder_config": {"vocab_size": 107}},
    "kyutai_speech_to_text": {"audio_pad_token_id": 7, "codec_config": {"upsample_groups": 12}},
    "fun_asr_nano": {
        "adaptor_config": {"hidden_size": 48, "intermediate_size": 12},
        "audio_config": {"num_timestamp_prediction_layers": 1, "num_mel_bins": 6},
    },
    "fun_asr_nano_encoder": {"num_timestamp_prediction_layers": 1, "num_mel_bins": 6},
    "moonshine_streaming": {"num_key_value_heads": 3},
    "granite_speech5_ctc": {"encoder_config": {"vocab_size": 107}},
    "deepseek_ocr2": {"text_config": {"mlp_layer_types": ["dense", "sparse", "sparse"]}, "vision_config": OCR_VISION},
    "deepseek_ocr2_vision": OCR_VISION,
    "deepseek_ocr2_sam_vision_model": OCR_SAM,
    "unlimited_ocr": {"vision_config": OCR_VISION},
    "unlimited_ocr_vision": OCR_VISION,
    "unlimited_ocr_sam_vision_model": OCR_SAM,
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense", "sparse", "sparse"]},
    "bark": {"codec_config": {"num_filters": 4, "upsampling_ratios": [2, 3]}},
    "chameleon": {"vq_config": CHAMELEON_VQ, "vocabulary_map": {"<image>": 5}},
    "chameleon_vqgan": CHAMELEON_VQ,
    "csm": {"codec_config": {"upsample_groups": 12}},
    "emu3": {"vq_config": EMU3_VQ, "vocabulary_map": {"<image>": 5}},
    "emu3_vqgan": EMU3_VQ,
    "deepseek_v4": {
        "o_groups": 3,
        "layer_types": ["compressed_sparse_attention", "sliding_attention", "heavily_compressed_attention"],
        "mlp_layer_types": ["hash_moe", "moe", "moe"],
        "compress_rates": {"compressed_sparse_attention": 5, "heavily_compressed_attention": 17},
        "hc_mult": 3,
    },
    "glm5_next": {"text_config": GLM5_NEXT},
    "embedding_gemma2": {
        "text_config": {"global_head_dim": 28},
        "vision_config": GEMMA4_VISION_BELOW,
        "audio_config": GEMMA4_AUDIO_BELOW,
    },
    "nemotron_h_omni": {
        "vision_hidden_size": 72,
        "vision_config": {"video_temporal_patch_size": 2},
        "audio_config": {
            "hidden_size": 48,
            "intermediate_size": 60,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "subsampling_conv_channels": 6,
            "num_mel_bins": 25,
            "projection_hidden_size": 36,
            "projection_bias": True,
        },
    },
    "qwen4_exp": {"text_config": QWEN4_EXP},
    "qwen4_exp_text": QWEN4_EXP,
    "inkling_mm_model": {"text_config": INKLING_TEXT, "audio_config": {"text_hidden_size": 48}},
    "inkling_text": INKLING_TEXT,
    "perceiver": {
        "d_latents": 48,
        "d_model": 40,
        "image_size": 12,
        "num_self_attention_heads": 4,
        "num_cross_attention_heads": 1,
        "num_self_attends_per_block": 2,
    },
    "lightglue": {
        "descriptor_dim": 48,
        "keypoint_detector_config": {
            "encoder_hidden_sizes": [10, 14, 18, 22],
            "decoder_hidden_size": 26,
            "keypoint_decoder_dim": 65,
            "descriptor_decoder_dim": 48,
        },
    },
    "pp_ocrv5_server_rec": {"backbone_config": HGNET, "head_out_channels": 27},
    "pp_ocrv5_server_det": {
        "backbone_config": HGNET,
        "neck_out_channels": 48,
        "kernel_list": [3, 2, 4],
        "scale_factor_list": [1, 2, 4, 8],
        "intraclass_block_config": {
            "reduce_channel": [1, 1, 0],
            "return_channel": [1, 1, 0],
            **{
                f"{name}_{ratio}ratio": [kernel, [1, 1], [size // 2 for size in kernel]]
                for name, at in (
                    ("vertical_long_to_small_conv", 0),
                    ("horizontal_small_to_long_conv", 1),
                    ("symmetric_conv_long", 2),
                )
                for ratio, size in (("long", 7), ("mid", 5), ("short", 3))
                for kernel in [[[size, 1], [1, size], [size, size]][at]]
            },
        },
    },
    "granite4_vision": {
        "downsample_rate": "3/4",
        "deepstack_layer_map": [[0, 0], [1, 2]],
        "vision_config": {"hidden_size": 128, "num_attention_heads": 4},
        "qformer_config": {"num_hidden_layers": 2},
    },
    "diffusion_gemma": {"text_config": {"global_head_dim": 28}},
    "gemma4_unified": {
        "text_config": {"global_head_dim": 28},
        "vision_config": {
            "patch_size": 2,
            "pooling_kernel_size": 3,
            "mm_embed_dim": 40,
            "mm_posemb_size": 27,
            "output_proj_dims": 34,
        },
        "audio_config": {"audio_embed_dim": 22},
    },
    "hy_v4": {"hc_mult": 3},
    "zaya": {"num_experts_per_tok": 1, "router_hidden_size": 18, "cca_time0": 3, "cca_time1": 4},
    "axk2": {"n_routed_experts": 10},
    "cohere_compass": {"text_config": {"rope_parameters": COMPASS_ROTARY}},
    "cohere_compass_text": {"rope_parameters": COMPASS_ROTARY},
    "beam": {"mlp_layer_types": ["dense", "sparse", "sparse"]},
    "step3p5": STEP_TEXT,
    "step3p7": {"text_config": STEP_TEXT, "vision_config": {"mlp_ratio": 0.75}},
    "step3p5_vision": {"mlp_ratio": 1.75},
    "muse_spark": {"text_config": {"mlp_layer_types": ["dense", "sparse", "sparse"]}},
    "muse_spark_text": {"mlp_layer_types": ["dense", "sparse", "sparse"]},
    "muse_spark_audio": {"num_hidden_layers": 4, "patch_sizes": [6, 5, 3, 4]},
    "hrm_text": {"num_hidden_layers": 3, "num_layers_per_stack": None},
    "rag": {"question_encoder": DPR_BELOW, "generator": BART_BELOW},
    "reformer": {
        "attention_head_size": 10,
        "attn_layers": ["local", "lsh", "lsh"],
        "axial_pos_embds_dim": [20, 28],
        "axial_pos_shape": [7, 10],
        "feed_forward_size": 92,
        "num_buckets": 4,
    },
    "inkling2": {"text_config": INKLING2_TEXT, "vision_config": {"text_hidden_size": 48}},
    "inkling2_text": INKLING2_TEXT,
    "mistral_large4": {"text_config": MISTRAL_LARGE4, "vision_config": {"head_dim": None}},
    "mistral_large4_text": MISTRAL_LARGE4,
    "glm5_next_text": GLM5_NEXT,
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "rope_theta": 10000.0},
        "ffn_config": {"ffn_hidden_size": 92, "moe_num_experts": 11, "moe_top_k": 4, "hidden_size": 48},
    },
    "bit": {"num_groups": 8},
    "conditional_detr": PANOPTIC,
    "detr": PANOPTIC,
    "table-transformer": BELOW_DETECTORS,
    "mllama": {"text_config": {"rope_scaling": {"rope_type": "default"}}, "vision_config": {"max_num_tiles": 4}},
    "qwen3_vl": ROTARY,
    "qwen3_vl_moe": ROTARY,
    "clap": {"audio_config": CLAP_AUDIO},
    "clap_audio_model": CLAP_AUDIO,
    "dinov3_convnext": {"hidden_sizes": [24, 48, 72, 96], "depths": [2, 3, 1, 2]},
    "gemma3n_text": {"num_hidden_layers": 7, "num_kv_shared_layers": 2},
    "gpt_neo": {"num_layers": 3, "attention_types": [[["global", "local", "local"], 1]]},
    "efficientnet": {"width_coefficient": 0.3, "depth_coefficient": 0.4, "hidden_dim": 96, "image_size": 40},
    "esmc": {"num_key_value_heads": 6},
    "led": {"attention_window": 14},
    "lfm2_moe": {"layer_types": ["conv", "full_attention", "conv"]},
    "longformer": {"attention_window": 14},
    "mamba2": {"head_dim": 12, "num_heads": 8},
    "janus": {"vision_config": {"patch_size": 8}, "vq_config": {"channel_multiplier": [1, 2], "num_res_blocks": 1}},
    "janus_vqgan": {"channel_multiplier": [1, 2], "num_res_blocks": 1},
    "marian": {"decoder_vocab_size": 107},
    "mimi": {"upsample_groups": 12},
    "phi4_multimodal": {"audio_config": PHI4_AUDIO, "vision_config": PHI4_VISION},
    "phi4_multimodal_audio": PHI4_AUDIO,
    "squeezebert": {"embedding_size": 48},
    "qwen3_omni_moe_audio_encoder": {"downsample_hidden_size": 14},
    "qwen3_omni_moe_thinker": {"audio_config": {"downsample_hidden_size": 14, "output_dim": 48}},
    "qwen3_asr": {"audio_config": {"downsample_hidden_size": 14, "output_dim": 48}},
    "qwen3_asr_encoder": {"downsample_hidden_size": 14},
    "ernie4_5_vl_moe": {"text_config": ERNIE_TEXT, "vision_config": ERNIE_VISION},
    "ernie4_5_vl_moe_text": ERNIE_TEXT,
    "granite_speech": {"encoder_config": {"context_size": 27, "max_pos_emb": 31}},
    "hunyuan_vl": {"vision_config": {"patch_size": 8, "max_image_size": 40}},
    "hunyuan_vl_vision": {"patch_size": 8, "max_image_size": 40},
    "minimax_m3_vl": {"text_config": {"dense_intermediate_size": 76}},
    "moshi": {"audio_encoder_config": {"upsample_groups": 12}},
    "pix2struct_text_model": {"initializer_range": 0.02},
    "qwen2_5_omni": {
        "thinker_config": {"audio_config": {"output_dim": 48}, "vision_config": {"out_hidden_size": 48}},
        "token2wav_config": {"dit_config": OMNI_DIT, "bigvgan_config": OMNI_BIGVGAN},
    },
    "qwen3_omni_moe_talker_text": {"shared_expert_intermediate_size": 36, "num_experts": 7},
    "qwen2_5_omni_bigvgan": OMNI_BIGVGAN,
    "qwen2_5_omni_dit": OMNI_DIT,
    "qwen2_5_omni_token2wav": {"dit_config": OMNI_DIT, "bigvgan_config": OMNI_BIGVGAN},
    "qwen3_omni_moe": {
        "thinker_config": {"audio_config": {"downsample_hidden_size": 14, "output_dim": 48}},
        "talker_config": {
            "thinker_hidden_size": 42,
            "spatial_merge_size": 2,
            "text_config": {"shared_expert_intermediate_size": 36, "num_experts": 7},
            "code_predictor_config": {"num_code_groups": 4, "max_window_layers": 28},
        },
        "code2wav_config": {
            "decoder_dim": 40,
            "upsample_rates": [3, 2],
            "upsampling_ratios": [2, 3],
            "codebook_size": 19,
            "num_quantizers": 4,
        },
    },
    "t5gemma2": {"decoder": {**T5GEMMA2, "num_hidden_layers": 2}, "encoder": {"text_config": T5GEMMA2}},
    "t5gemma2_decoder": {"dropout_rate": 0.0},
    "t5gemma2_encoder": {"text_config": {"dropout_rate": 0.0}},
    "t5gemma2_text": {"dropout_rate": 0.0},
    "vibevoice": {"audio_config": VIBEVOICE_AUDIO, "semantic_model_config": {**VIBEVOICE_AUDIO, "hidden_size": 18}},
    "vibevoice_acoustic_tokenizer": VIBEVOICE_AUDIO,
    "vibevoice_acoustic_tokenizer_decoder": VIBEVOICE_AUDIO,
    "vibevoice_acoustic_tokenizer_encoder": VIBEVOICE_AUDIO,
    "vibevoice_asr": {
        "acoustic_tokenizer_encoder_config": VIBEVOICE_AUDIO,
        "semantic_tokenizer_encoder_config": {**VIBEVOICE_AUDIO, "hidden_size": 18},
        "acoustic_tokenizer_chunk_size": 60,
    },
    "xlnet": {"d_head": 8},
    "zamba": {"num_hidden_layers": 7, "attn_layer_period": 3, "attn_layer_offset": 1},
    "zamba2": {
        "num_hidden_layers": 5,
        "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid", "mamba"],
        "hybrid_layer_ids": [1, 3],
        "num_mem_blocks": 2,
    },
    "encoder-decoder": CROSSED,
    "speech-encoder-decoder": CROSSED,
    "vision-encoder-decoder": CROSSED,
    "hgnet_v2": HGNET,
    "d_fine": {
        **{
            key: value
            for key, value in RT_DETR.items()
            if key not in ("backbone", "use_timm_backbone", "use_pretrained_backbone")
        },
        "backbone_config": {"model_type": "hgnet_v2", **HGNET, "out_features": STAGES[1:]},
        "encoder_in_channels": [28, 36, 44],
        "d_model": 40,
        "decoder_attention_heads": 4,
        "max_num_bins": 8,
        "lqe_hidden_dim": 18,
    },
    "lw_detr": {
        "backbone_config": LW_TOWER,
        "projector_scale_factors": [2.0, 0.5, 1.0],
        "d_model": 64,
        "decoder_layers": 2,
        "decoder_ffn_dim": 92,
        "decoder_self_attention_heads": 8,
        "decoder_cross_attention_heads": 4,
        "num_queries": 11,
        "group_detr": 3,
    },
    "lw_detr_vit": {key: value for key, value in LW_TOWER.items() if key != "model_type"},
    "radio": {"max_img_size": 64, "patch_size": 8, "image_size": 40},
    "sam3_vision_model": SAM3_TOWER,
    "sam3_vit_model": {key: value for key, value in SAM3_TOWER["backbone_config"].items() if key != "model_type"},
    "sam3": SAM3,
    "sam3_lite_text": {**SAM3, "text_config": {**SAM3["text_config"], "num_hidden_layers": 4}},
    "sam3_lite_text_text_model": {"num_hidden_layers": 4},
    "sam3_video": {
        "detector_config": {"model_type": "sam3", **SAM3},
        "tracker_config": {"model_type": "sam3_tracker_video", **TRACKING, **MEMORIES, "vision_config": SAM3_TOWER},
    },
    "bridgetower": {
        "hidden_size": 64,
        "num_attention_heads": 4,
        "contrastive_hidden_size": 34,
        "text_config": {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 3},
        "vision_config": {"hidden_size": 64, "num_hidden_layers": 3, "image_size": 40, "patch_size": 8},
    },
    "bridgetower_vision_model": {"hidden_size": 64, "num_hidden_layers": 3, "image_size": 40, "patch_size": 8},
    "sam3_tracker": {**TRACKING, "vision_config": SAM3_TOWER},
    "sam3_tracker_video": {**TRACKING, **MEMORIES, "vision_config": SAM3_TOWER},
    "patchtst": {
        "context_length": 24,
        "patch_length": 6,
        "patch_stride": 4,
        "num_input_channels": 3,
        "prediction_length": 7,
        "num_targets": 5,
    },
    "timesfm2_5": {"horizon_length": 18, "patch_length": 8, "context_length": 64, "output_quantile_len": 22},
    "timesfm": {"horizon_length": 18, "patch_length": 8, "context_length": 64},
    "tvp": {
        "backbone_config": BELOW_DETECTORS["backbone_config"],
        "num_frames": 3,
        "visual_prompt_size": 6,
        "max_img_size": 32,
        "max_grid_row_position_embeddings": 34,
        "max_grid_col_position_embeddings": 38,
    },
    "align": {"vision_config": SMALL_EFFICIENT},
    "align_vision_model": SMALL_EFFICIENT,
    "vjepa2": {
        "crop_size": 32,
        "image_size": 32,
        "patch_size": 8,
        "frames_per_clip": 4,
        "in_chans": 1,
        "pred_hidden_size": 24,
        "pred_num_attention_heads": 4,
    },
    "superglue": {
        "keypoint_detector_config": {
            "model_type": "superpoint",
            "encoder_hidden_sizes": [12, 20, 28],
            "decoder_hidden_size": 44,
            "descriptor_decoder_dim": 48,
        },
        "keypoint_encoder_sizes": [10, 18],
        "gnn_layers_types": ["self", "cross", "self"],
    },
    "xclip": {
        "vision_config": {
            "mit_hidden_size": 32,
            "mit_intermediate_size": 44,
            "mit_num_attention_heads": 4,
            "num_frames": 5,
        }
    },
    "zoedepth": {
        "backbone_config": {**BEIT_BELOW, "num_hidden_layers": 4, "out_features": STAGES},
        "neck_hidden_sizes": [12, 24, 36, 40],
        "fusion_hidden_size": 20,
        "bottleneck_features": 20,
        "num_attractors": [8, 4, 2, 1],
        "bin_embedding_dim": 28,
        "num_relative_features": 32,
        "bin_configurations": [BINS],
    },
    "upernet": {
        "backbone_config": {**BELOW_DETECTORS["backbone_config"], "out_features": STAGES},
        "hidden_size": 44,
        "auxiliary_channels": 26,
    },
    "prompt_depth_anything": {
        "backbone_config": {
            **DINO_BELOW,
            "num_hidden_layers": 4,
            "out_features": STAGES,
            "reshape_hidden_states": False,
        },
        "reassemble_hidden_size": 48,
        "patch_size": 8,
        "neck_hidden_sizes": [12, 24, 36, 40],
        "fusion_hidden_size": 20,
        "head_hidden_size": 28,
    },
    "vitdet": {"image_size": 48, "pretrain_image_size": 40, "patch_size": 8},
    "eomt": {"image_size": 40, "patch_size": 8, "num_channels": 1, "num_blocks": 2, "num_queries": 11},
    "superpoint": {"encoder_hidden_sizes": [12, 20, 28, 36], "decoder_hidden_size": 44, "keypoint_decoder_dim": 65},
    "time_series_transformer": SERIES,
    "informer": SERIES,
    "autoformer": {**SERIES, "moving_average": 5},
    "decision_transformer": {"max_ep_len": 44, "state_dim": 17, "act_dim": 4},
    "lxmert": {"num_qa_labels": 38, "num_object_labels": 34, "num_attr_labels": 26, "visual_feat_dim": 22},
    "mgp-str": {"num_bpe_labels": 127, "num_wordpiece_labels": 109, "image_size": [16, 40]},
    "focalnet": {
        "embed_dim": 12,
        "depths": [2, 1, 2, 1],
        "focal_levels": [2, 3, 2, 1],
        "focal_windows": [3, 5, 3, 3],
        "encoder_stride": 8,
    },
    "levit": {
        "hidden_sizes": [32, 48, 80],
        "key_dim": [8, 12, 16],
        "depths": [2, 1, 2],
        "num_attention_heads": [3, 4, 5],
    },
    "cvt": {
        "embed_dim": [12, 24, 36],
        "num_heads": [1, 2, 3],
        "depth": [1, 2, 3],
        "patch_sizes": [7, 3, 3],
        "mlp_ratio": [4.0, 3.0, 2.0],
        "kernel_qkv": [3, 3, 3],
        "qkv_bias": [True, True, True],
    },
    "swin2sr": {"embed_dim": 24, "depths": [1, 2], "num_heads": [2, 3], "window_size": 4, "image_size": 32},
    "swiftformer": {"embed_dims": [16, 20, 28, 36], "depths": [2, 1, 3, 2], "image_size": 64},
    "glpn": {
        "hidden_sizes": [16, 20, 28, 36],
        "num_attention_heads": [1, 2, 4, 3],
        "depths": [1, 2, 1, 1],
        "decoder_hidden_size": 24,
    },
    "depth_pro": {
        "image_model_config": DINO_BELOW,
        "patch_model_config": DINO_BELOW,
        "fov_model_config": DINO_BELOW,
        "fusion_hidden_size": 20,
        "intermediate_feature_dims": [28, 36],
        "intermediate_hook_ids": [2, 1],
        "scaled_images_feature_dims": [44, 52, 60],
        "patch_size": 40,
    },
    "sam2": TRACKING,
    "sam2_vision_model": TRACKING["vision_config"],
    "sam2_hiera_det_model": {key: value for key, value in HIERA_BELOW.items() if key != "model_type"},
    "sam2_video": {
        **TRACKING,
        **MEMORIES,
    },
    "vitpose": {
        "backbone_config": {
            "model_type": "vitpose_backbone",
            "hidden_size": 48,
            "num_hidden_layers": 3,
            "num_attention_heads": 6,
            "image_size": [40, 24],
            "patch_size": [8, 4],
            "num_channels": 1,
            "part_features": 12,
        }
    },
    "maskformer": {
        "backbone_config": {**ALL_MAPS, "model_type": "maskformer-swin"},
        "decoder_config": {"model_type": "detr", **BELOW_DETECTORS, "d_model": 48, "decoder_attention_heads": 6},
        "fpn_feature_size": 64,
        "mask_feature_size": 36,
    },
    "maskformer-swin": {key: value for key, value in ALL_MAPS.items() if key != "model_type"},
    "mask2former": {**MASKS, "feature_size": 64, "mask_feature_size": 36, "feature_strides": [4, 8, 16, 32]},
    "oneformer": {
        **MASKS,
        "conv_dim": 64,
        "mask_dim": 36,
        "strides": [4, 8, 16, 32],
        "query_dec_layers": 2,
        "task_seq_len": 23,
        "text_encoder_width": 128,
        "text_encoder_num_layers": 2,
        "text_encoder_vocab_size": 73,
        "text_encoder_n_ctx": 6,
        "text_encoder_context_length": 17,
    },
    "rt_detr": RT_DETR,
    "rt_detr_v2": RT_DETR,
    "rt_detr_resnet": {
        "hidden_sizes": [12, 20, 28, 36],
        "depths": [2, 1, 2, 1],
        "embedding_size": 8,
        "num_channels": 1,
    },
    "mobilevitv2": {"width_multiplier": 0.45, "base_attn_unit_dims": [96, 144, 208], "image_size": 64},
    "vilt": {"num_images": 3},
    "dab-detr": BELOW_DETECTORS,
    "deformable_detr": {**BELOW_DETECTORS, "d_model": 64, "encoder_attention_heads": 4, "decoder_attention_heads": 8},
    "grounding-dino": GROUNDING,
    "mm-grounding-dino": GROUNDING,
    "vision-text-dual-encoder": {"vision_config.model_type": "vit", "text_config.model_type": "bert"},
}
# Switches together that a random search found to be more than each alone: class and changes.
UNTIED, TEXT_UNTIED = {"tie_word_embeddings": False}, {"text_config.tie_word_embeddings": False}
TEXT_TIED = {"text_config.tie_word_embeddings": True}
READS_ALONE = {"add_cross_attention": True, "is_decoder": True}
LEARNED = {"position_embedding_type": "learned"}
THREE_STAGES = {"backbone_config.out_features": ["stage1", "stage2", "stage3"]}
COMBINED: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "beit": (("BeitBackbone", {"use_mean_pooling": False}),),
    "evolla": (
        (
            "EvollaModel",
            {"protein_encoder_config.is_decoder": True, "protein_encoder_config.add_cross_attention": True},
        ),
    ),
    "longt5": (("LongT5EncoderModel", {"is_decoder": True}),),
    "reformer": (("ReformerModelWithLMHead", {"is_decoder": True}),),
    "hrm_text": (("HrmTextForCausalLM", {"attention_bias": True}),),
    "granitemoe": (("GraniteMoeForCausalLM", {"num_local_experts": 0}),),
    "arcee": (("ArceeForCausalLM", {"head_dim": 7}),),
    "conditional_detr": (("ConditionalDetrForObjectDetection", LEARNED),),
    "convnext": (("ConvNextModel", {"patch_size": [4, 2]}),),
    "detr": (
        ("DetrForSegmentation", LEARNED),
        ("DetrModel", THREE_STAGES),
        ("DetrForObjectDetection", {"position_embedding_type": "learned"}),
    ),
    "dinov2": (("Dinov2Model", {"hidden_size": 64}),),
    "gemma4_text": (("Gemma4ForCausalLM", {"num_hidden_layers": 12}),),
    "llava": (("LlavaForConditionalGeneration", {"text_config.tie_word_embeddings": True}),),
    "maskformer-swin": (("MaskFormerSwinBackbone", {"out_features": ["stage4"]}),),
    "llava_onevision": (("LlavaOnevisionForConditionalGeneration", {"text_config.tie_word_embeddings": True}),),
    "mllama": (("MllamaForConditionalGeneration", {"text_config.tie_word_embeddings": True}),),
    "mt5": (("MT5ForConditionalGeneration", {"feed_forward_proj": "relu"}),),
    "umt5": (("UMT5ForConditionalGeneration", {"feed_forward_proj": "relu"}),),
    "audioflamingo3": (
        ("AudioFlamingo3ForConditionalGeneration", {**TEXT_TIED, "projector_bias": False}),
        ("AudioFlamingo3ForConditionalGeneration", {"tie_word_embeddings": True, **TEXT_TIED}),
    ),
    "blip": (
        ("BlipForConditionalGeneration", UNTIED),
        ("BlipForConditionalGeneration", TEXT_UNTIED),
        ("BlipForConditionalGeneration", {**UNTIED, **TEXT_UNTIED}),
    ),
    "canine": (("CanineModel", READS_ALONE),),
    "chameleon": (
        ("ChameleonForConditionalGeneration", {"vq_config.attn_type": "none", "attention_bias": True}),
        ("ChameleonForConditionalGeneration", {"vq_config.attn_resolutions": None, "tie_word_embeddings": True}),
        ("ChameleonForConditionalGeneration", {"vq_config.double_latent": True, "vq_config.num_res_blocks": 2}),
    ),
    "clap_text_model": (("ClapTextModel", READS_ALONE),),
    "csm": (
        ("CsmForConditionalGeneration", {"tie_codebooks_embeddings": False, "attention_bias": True}),
        ("CsmForConditionalGeneration", {"depth_decoder_config.num_codebooks": 5, "mlp_bias": True}),
    ),
    "dinov3_convnext": (("DINOv3ConvNextModel", {"layer_scale_init_value": 0.0, "image_size": 80}),),
    "dpt": (
        (
            "DPTForDepthEstimation",
            {
                "is_hybrid": True,
                "backbone_featmap_shape": [1, 56, 5, 5],
                "neck_ignore_stages": [0, 1],
                "backbone_config": {
                    "model_type": "bit",
                    "num_groups": 4,
                    "embedding_size": 16,
                    "hidden_sizes": [20, 40, 56],
                    "depths": [2, 1, 2],
                    "layer_type": "bottleneck",
                    "out_features": STAGES[:3],
                },
            },
        ),
        (
            "DPTForDepthEstimation",
            {
                "backbone_config": {
                    "model_type": "dinov2",
                    "hidden_size": 36,
                    "num_hidden_layers": 4,
                    "num_attention_heads": 3,
                    "image_size": 40,
                    "patch_size": 8,
                    "out_features": STAGES,
                    "reshape_hidden_states": False,
                }
            },
        ),
        (
            "DPTForDepthEstimation",
            {
                "add_projection": False,
                "backbone_config": {
                    "model_type": "swinv2",
                    "embed_dim": 24,
                    "depths": [1, 2, 1, 1],
                    "num_heads": [2, 3, 4, 6],
                    "image_size": 64,
                    "patch_size": 4,
                    "window_size": 4,
                    "out_features": STAGES,
                },
            },
        ),
    ),
    "glmasr": (
        ("GlmAsrForConditionalGeneration", {**UNTIED, **TEXT_TIED}),
        ("GlmAsrForConditionalGeneration", {"audio_config.num_attention_heads": 4, "audio_config.head_dim": 14}),
    ),
    "emu3": (
        ("Emu3ForConditionalGeneration", {"vq_config.double_latent": True, "vq_config.num_res_blocks": 2}),
        (
            "Emu3ForConditionalGeneration",
            {"vq_config.temporal_downsample_factor": 8, "vq_config.attn_resolutions": [0, 2]},
        ),
        ("Emu3ForConditionalGeneration", {**TEXT_TIED, "text_config.num_key_value_heads": 3}),
    ),
    "ernie4_5_vl_moe": (
        ("Ernie4_5_VLMoeForConditionalGeneration", {**UNTIED, **TEXT_UNTIED, "text_config.use_bias": True}),
        (
            "Ernie4_5_VLMoeForConditionalGeneration",
            {
                "text_config.mlp_layer_types": ["sparse", "dense", "sparse"],
                "text_config.moe_num_shared_experts": 0,
                "vision_config.temporal_merge_size": 3,
            },
        ),
    ),
    "exaone4_5": (
        ("Exaone4_5_ForConditionalGeneration", TEXT_TIED),
        ("Exaone4_5_ForConditionalGeneration", {"tie_word_embeddings": True, "vision_config.num_key_value_heads": 3}),
    ),
    "glm_ocr": (
        ("GlmOcrForConditionalGeneration", TEXT_TIED),
        ("GlmOcrForConditionalGeneration", {"vision_config.attention_bias": False, "vision_config.in_channels": 2}),
    ),
    "granite_docling": (
        ("GraniteDoclingForConditionalGeneration", {"density_router_hidden_size": 14, **UNTIED}),
        ("GraniteDoclingForConditionalGeneration", {"vision_config.use_fine_route": False, **TEXT_UNTIED}),
        ("GraniteDoclingModel", {"vision_config.scale_factor": 5, "text_config.mlp_bias": True}),
    ),
    "git": (
        (
            "GitForCausalLM",
            {"position_embedding_type": "relative_key_query", "vision_config.intermediate_size": 77},
        ),
    ),
    "kosmos-2": (
        ("Kosmos2ForConditionalGeneration", TEXT_UNTIED),
        ("Kosmos2ForConditionalGeneration", {**UNTIED, **TEXT_UNTIED}),
    ),
    "kosmos-2.5": (
        ("Kosmos2_5ForConditionalGeneration", UNTIED),
        ("Kosmos2_5ForConditionalGeneration", {**UNTIED, **TEXT_UNTIED}),
    ),
    "hunyuan_vl": (
        ("HunYuanVLForConditionalGeneration", {**UNTIED, **TEXT_UNTIED, "text_config.attention_bias": True}),
        ("HunYuanVLModel", {"vision_config.head_dim": 14, "vision_config.spatial_merge_size": 3}),
    ),
    "layoutlm": (("LayoutLMModel", READS_ALONE),),
    "lfm2_vl": (
        ("Lfm2VlForConditionalGeneration", TEXT_UNTIED),
        ("Lfm2VlForConditionalGeneration", {**UNTIED, **TEXT_TIED}),
    ),
    "kimi_k25": (
        (
            "Kimi_K25ForConditionalGeneration",
            {"vision_config.merge_kernel_size": [3, 1], "text_config.attention_bias": True},
        ),
        ("Kimi_K25ForConditionalGeneration", {**UNTIED, **TEXT_TIED}),
    ),
    "granite_speech": (
        ("GraniteSpeechForConditionalGeneration", {**UNTIED, **TEXT_TIED, "window_size": 17}),
        (
            "GraniteSpeechForConditionalGeneration",
            {"encoder_config.dim_head": 14, "encoder_config.feedforward_mult": 3},
        ),
    ),
    "granite_speech_plus": (
        (
            "GraniteSpeechPlusForConditionalGeneration",
            {"encoder_config.cat_hidden_layers": [1], "projector_config.encoder_hidden_size": 144},
        ),
    ),
    "lilt": (("LiltModel", READS_ALONE),),
    "longformer": (("LongformerModel", {"type_vocab_size": 3, **READS_ALONE}),),
    "luke": (("LukeModel", READS_ALONE),),
    "marian": (
        (
            "MarianForCausalLM",
            {"share_encoder_decoder_embeddings": False, "vocab_size": 131, **UNTIED},
        ),
        ("MarianMTModel", {"share_encoder_decoder_embeddings": False, "decoder_ffn_dim": 66}),
        ("MarianMTModel", {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": 131}),
    ),
    "markuplm": (("MarkupLMModel", READS_ALONE),),
    "minimax_m3_vl": (
        (
            "MiniMaxM3SparseForConditionalGeneration",
            {
                "text_config.mlp_layer_types": ["dense", "sparse", "sparse"],
                "text_config.layer_types": ["full_attention", "minimax_m3_sparse", "full_attention"],
            },
        ),
        ("MiniMaxM3SparseForConditionalGeneration", {**TEXT_TIED, "vision_config.spatial_merge_size": 3}),
    ),
    "moshi": (
        ("MoshiForCausalLM", {"tie_word_embeddings": True, "head_dim": None}),
        ("MoshiForConditionalGeneration", {"num_codebooks": 1, "depth_decoder_config.ffn_dim": 60}),
    ),
    "mra": (("MraModel", READS_ALONE),),
    "nystromformer": (("NystromformerModel", READS_ALONE),),
    "paddleocr_vl": (
        ("PaddleOCRVLForConditionalGeneration", {**UNTIED, **TEXT_UNTIED, "text_config.use_bias": True}),
        ("PaddleOCRVLForConditionalGeneration", {**UNTIED, "vision_config.spatial_merge_size": 3}),
    ),
    "pix2struct": (
        ("Pix2StructForConditionalGeneration", {"tie_word_embeddings": True, "vision_config.d_kv": 14}),
        ("Pix2StructForConditionalGeneration", {**TEXT_TIED, "text_config.d_ff": 66}),
    ),
    "phi4_multimodal": (
        ("Phi4MultimodalForCausalLM", {"audio_config.downsample_rate": 2, "tie_word_embeddings": True}),
        ("Phi4MultimodalModel", {"audio_config.time_reduction": 4, "vision_config.num_channels": 1}),
    ),
    "phi4_multimodal_audio": (
        ("Phi4MultimodalAudioModel", {"time_reduction": 2, "kernel_size": 4}),
        ("Phi4MultimodalAudioModel", {"time_reduction": 12, "depthwise_multiplier": 2}),
    ),
    "pvt": (("PvtForImageClassification", {"num_labels": 5, "image_size": 56}),),
    "qwen2_audio": (
        ("Qwen2AudioForConditionalGeneration", TEXT_TIED),
        ("Qwen2AudioForConditionalGeneration", {**UNTIED, **TEXT_TIED}),
    ),
    "qwen2_5_omni": (
        (
            "Qwen2_5OmniForConditionalGeneration",
            {"enable_audio_output": False, "thinker_config.tie_word_embeddings": True},
        ),
        (
            "Qwen2_5OmniForConditionalGeneration",
            {
                "talker_config.embedding_size": 66,
                "token2wav_config.dit_config.enc_res2net_scale": 4,
                "token2wav_config.dit_config.ff_mult": 3,
                "token2wav_config.bigvgan_config.upsample_rates": [3, 2, 2],
                "token2wav_config.bigvgan_config.upsample_kernel_sizes": [7, 4, 6],
            },
        ),
    ),
    "qwen3_omni_moe": (
        (
            "Qwen3OmniMoeForConditionalGeneration",
            {"enable_audio_output": False, "thinker_config.tie_word_embeddings": True},
        ),
        (
            "Qwen3OmniMoeForConditionalGeneration",
            {
                "talker_config.text_config.attention_bias": True,
                "talker_config.code_predictor_config.num_code_groups": 3,
                "code2wav_config.upsample_rates": [3, 2, 2],
                "code2wav_config.upsampling_ratios": [2],
            },
        ),
    ),
    "qwen3_asr": (
        ("Qwen3ASRForTokenClassification", {"token_classification_bias": True, "num_labels": 9}),
        ("Qwen3ASRForConditionalGeneration", {**UNTIED, **TEXT_TIED, "audio_config.num_mel_bins": 18}),
    ),
    "qwen3_omni_moe_thinker": (
        ("Qwen3OmniMoeThinkerForConditionalGeneration", {**TEXT_TIED, "audio_config.num_mel_bins": 18}),
        (
            "Qwen3OmniMoeThinkerForConditionalGeneration",
            {"tie_word_embeddings": True, "vision_config.deepstack_visual_indexes": [0]},
        ),
    ),
    "resnet": (
        (
            "ResNetForImageClassification",
            {"depths": [2, 1, 1], "layer_type": "basic", "downsample_in_first_stage": True},
        ),
        ("ResNetModel", {"hidden_sizes": [24, 48, 72]}),
    ),
    "sam": (
        ("SamModel", {"mask_decoder_config.attention_downsample_rate": 3}),
        ("SamModel", {"prompt_encoder_config.mask_input_channels": 17, "vision_config.mlp_ratio": 2.7}),
    ),
    "splinter": (("SplinterModel", READS_ALONE),),
    "t5gemma2": (
        ("T5Gemma2ForConditionalGeneration", {**UNTIED, "encoder.text_config.num_hidden_layers": 2}),
        ("T5Gemma2Model", {**UNTIED, "encoder.vision_config.vision_use_head": False}),
    ),
    "udop": (
        ("UdopForConditionalGeneration", {**UNTIED, "feed_forward_proj": "gated-gelu"}),
        (
            "UdopForConditionalGeneration",
            {"num_decoder_layers": 2, "relative_bias_args": [{"type": "1d"}, {"type": "vertical"}]},
        ),
        (
            "UdopModel",
            {"relative_bias_args": [{"type": "1d"}, {"type": "vertical", "prefix_bucket": True}], "num_channels": 1},
        ),
    ),
    "vibevoice": (
        ("VibeVoiceForConditionalGeneration", {**TEXT_TIED, "diffusion_head_config.mlp_bias": True}),
        ("VibeVoiceModel", {"audio_config.hidden_size": 22, "audio_config.ffn_expansion": 3}),
    ),
    "vibevoice_asr": (("VibeVoiceAsrForConditionalGeneration", {"tie_word_embeddings": True, **TEXT_TIED}),),
    "video_llama_3": (
        ("VideoLlama3ForConditionalGeneration", TEXT_TIED),
        ("VideoLlama3ForConditionalGeneration", {"tie_word_embeddings": True, "vision_config.num_channels": 1}),
    ),
    "visual_bert": (("VisualBertModel", READS_ALONE),),
    "voxtral": (
        ("VoxtralForConditionalGeneration", TEXT_TIED),
        ("VoxtralForConditionalGeneration", {"tie_word_embeddings": True, **TEXT_TIED, "text_config.mlp_bias": True}),
    ),
    "voxtral_realtime": (
        ("VoxtralRealtimeForConditionalGeneration", {**UNTIED, "downsample_factor": 3}),
        ("VoxtralRealtimeForConditionalGeneration", {"audio_config.head_dim": 14, "text_config.head_dim": None}),
    ),
    "yoso": (("YosoModel", READS_ALONE),),
    "deformable_detr": (
        ("DeformableDetrForObjectDetection", {"with_box_refine": True}),
        ("DeformableDetrForObjectDetection", {"with_box_refine": True, "two_stage": True}),
        ("DeformableDetrForObjectDetection", {"num_feature_levels": 1, "position_embedding_type": "learned"}),
        ("DeformableDetrForObjectDetection", {"num_feature_levels": 6, "backbone_config.layer_type": "bottleneck"}),
    ),
    "depth_pro": (
        ("DepthProForDepthEstimation", {"use_fov_model": True, "num_fov_head_layers": 1}),
        ("DepthProForDepthEstimation", {"use_fov_model": True, "use_batch_norm_in_fusion_residual": True}),
        ("DepthProForDepthEstimation", {"intermediate_feature_dims": [28, 20], "use_bias_in_fusion_residual": False}),
    ),
    "vitpose": (
        ("VitPoseForPoseEstimation", {"use_simple_decoder": False, "backbone_config.num_experts": 3}),
        ("VitPoseForPoseEstimation", {"use_simple_decoder": True, "num_labels": 9}),
    ),
    "sam2_video": (
        ("Sam2VideoModel", {"enable_occlusion_spatial_embedding": False, "num_maskmem": 5}),
        ("Sam2VideoModel", {"mask_downsampler_stride": 4, "memory_fuser_num_layers": 3}),
    ),
    "cvt": (
        ("CvtForImageClassification", {"cls_token": [True, False, True], "qkv_bias": [False, True, True]}),
        ("CvtForImageClassification", {"kernel_qkv": [3, 5, 3], "mlp_ratio": [2.5, 4.0, 3.0]}),
        ("CvtForImageClassification", {"patch_sizes": [5, 3, 3], "num_channels": 1, "depth": [2, 3, 4]}),
    ),
    "focalnet": (
        ("FocalNetForImageClassification", {"use_conv_embed": True, "use_layerscale": True}),
        ("FocalNetForImageClassification", {"use_post_layernorm_in_modulation": True, "mlp_ratio": 2.7}),
    ),
    "glpn": (("GLPNForDepthEstimation", {"decoder_hidden_size": 28, "sr_ratios": [4, 1, 2, 1]}),),
    "levit": (
        ("LevitForImageClassification", {"mlp_ratio": [2, 0, 3], "attention_ratio": [2, 3, 4]}),
        ("LevitForImageClassificationWithTeacher", {"image_size": 112, "kernel_size": 5}),
    ),
    "swiftformer": (
        ("SwiftFormerForImageClassification", {"use_layer_scale": False, "mlp_ratio": 3}),
        (
            "SwiftFormerForImageClassification",
            {"embed_dims": [16, 16, 28, 36], "downsamples": [False, True, True, True]},
        ),
    ),
    "swin2sr": (
        ("Swin2SRForImageSuperResolution", {"resi_connection": "3conv", "upsampler": "pixelshuffle_aux"}),
        ("Swin2SRForImageSuperResolution", {"upsampler": "pixelshuffledirect", "num_channels_out": 2}),
        ("Swin2SRForImageSuperResolution", {"upsampler": "nearest+conv", "upscale": 4}),
        ("Swin2SRForImageSuperResolution", {"upsampler": "pixelshuffle", "upscale": 3}),
        ("Swin2SRForImageSuperResolution", {"upsampler": "", "use_absolute_embeddings": True}),
    ),
    **{
        model_type: (
            (name, {**CATEGORIES, "distribution_output": "normal"}),
            (name, {**CATEGORIES, "num_static_real_features": 3, "input_size": 2}),
            (name, {"context_length": None, "distribution_output": "negative_binomial"}),
        )
        for model_type, name in (
            ("time_series_transformer", "TimeSeriesTransformerForPrediction"),
            ("informer", "InformerForPrediction"),
            ("autoformer", "AutoformerForPrediction"),
        )
    },
    "lxmert": (
        ("LxmertForPreTraining", {"visual_obj_loss": False, "task_qa": False}),
        ("LxmertForPreTraining", {"task_obj_predict": False, "tie_word_embeddings": False}),
    ),
    "eomt": (
        ("EomtForUniversalSegmentation", {"use_swiglu_ffn": True, "num_upscale_blocks": 3}),
        ("EomtForUniversalSegmentation", {"num_labels": 9, "num_register_tokens": 2}),
    ),
    "superpoint": (
        ("SuperPointForKeypointDetection", {"encoder_hidden_sizes": [12, 20, 44], "descriptor_decoder_dim": 30}),
    ),
    "upernet": (
        ("UperNetForSemanticSegmentation", {"auxiliary_num_convs": 3, "auxiliary_concat_input": True}),
        ("UperNetForSemanticSegmentation", {"use_auxiliary_head": False, "pool_scales": [1, 2]}),
        ("UperNetForSemanticSegmentation", {"auxiliary_in_channels": 28, "auxiliary_num_convs": 0}),
    ),
    "vitdet": (
        ("VitDetModel", {"use_relative_position_embeddings": True, "window_block_indices": [1], "window_size": 3}),
        ("VitDetModel", {"residual_block_indices": [0, 2], "use_absolute_position_embeddings": False}),
    ),
    "zoedepth": (
        (
            "ZoeDepthForDepthEstimation",
            {
                "bin_configurations": [{**BINS, "name": "nyu"}, {**BINS, "n_bins": 11, "name": "kitti"}],
                "bin_embedding_dim": 128,
                "bottleneck_features": 256,
                "fusion_hidden_size": 256,
                "num_patch_transformer_layers": 2,
                "patch_transformer_hidden_size": 128,
                "patch_transformer_intermediate_size": 92,
                "patch_transformer_num_attention_heads": 4,
            },
        ),
        ("ZoeDepthForDepthEstimation", {"bin_centers_type": "normed", "readout_type": "add"}),
        ("ZoeDepthForDepthEstimation", {"use_batch_norm_in_fusion_residual": True, "add_projection": True}),
    ),
    "superglue": (
        (
            "SuperGlueForKeypointMatching",
            {"keypoint_encoder_sizes": [10, 14, 18], "gnn_layers_types": ["self", "cross"]},
        ),
        ("SuperGlueForKeypointMatching", {"hidden_size": 96, "keypoint_detector_config.descriptor_decoder_dim": 96}),
    ),
    "vjepa2": (
        ("VJEPA2ForVideoClassification", {"num_pooler_layers": 2, "mlp_ratio": 3.0}),
        ("VJEPA2ForVideoClassification", {"pred_num_mask_tokens": 3, "pred_mlp_ratio": 2.5}),
    ),
    "patchtst": (
        ("PatchTSTForPrediction", {"share_projection": False, "loss": "mse"}),
        ("PatchTSTForPrediction", {"pooling_type": None, "distribution_output": "normal"}),
        ("PatchTSTForRegression", {"norm_type": "layernorm", "channel_attention": True}),
        ("PatchTSTForClassification", {"share_embedding": False, "use_cls_token": True}),
    ),
    "timesfm": (("TimesFmModelForPrediction", {"use_positional_embedding": True, "quantiles": [0.1, 0.5]}),),
    "sam3_vision_model": (
        ("Sam3VisionModel", {"scale_factors": [2.0, 1.0], "fpn_hidden_size": 48}),
        ("Sam3VisionModel", {"scale_factors": [4.0, 4.0, 0.5], "backbone_config.hidden_size": 96}),
    ),
    "bridgetower": (
        ("BridgeTowerForMaskedLM", {"tie_word_embeddings": True, "link_tower_type": "interpolate"}),
        ("BridgeTowerForMaskedLM", {"share_link_tower_layers": True, "link_tower_type": "scaled_add"}),
        ("BridgeTowerModel", {"share_cross_modal_transformer_layers": False, "vision_config.share_layernorm": False}),
        ("BridgeTowerModel", {"vision_config.remove_last_layer": True, "num_hidden_layers": 4}),
    ),
    "radio": (
        ("RadioModel", {"use_swiglu_ffn": True, "num_registers": 5}),
        ("RadioModel", {"video_temporal_patch_size": 2, "video_patch_dim": 92}),
    ),
    "d_fine": (
        ("DFineForObjectDetection", {"eval_idx": 1, "layer_scale": 0.5}),
        ("DFineForObjectDetection", {"decoder_n_points": [3, 6, 3], "depth_mult": 0.34, "hidden_expansion": 0.5}),
        ("DFineForObjectDetection", {"d_model": 48, "num_feature_levels": 4}),
        (
            "DFineForObjectDetection",
            {"freeze_backbone_batch_norms": False, "backbone_config.use_learnable_affine_block": True},
        ),
        ("DFineForObjectDetection", {"lqe_layers": 3, "learn_initial_query": True}),
    ),
    "lightglue": (("LightGlueForKeypointMatching", {"descriptor_dim": 72, "attention_bias": False}),),
    "pp_lcnet": (
        ("PPLCNetForImageClassification", {"scale": 0.35, "divisor": 4, "reduction": 3, "stem_channels": 20}),
        ("PPLCNetForImageClassification", {"scale": 0.25}),
        (
            "PPLCNetBackbone",
            {
                "block_configs": [
                    [[3, 16, 24, 1, True]],
                    [[5, 24, 40, 2, False], [7, 40, 56, 1, True]],
                    [[3, 56, 72, 2, False]],
                    [[3, 72, 88, 2, True], [5, 88, 96, 1, False], [3, 96, 64, 1, True]],
                    [[5, 64, 112, 2, False]],
                ]
            },
        ),
    ),
    "pp_ocrv5_server_rec": (
        ("PPOCRV5ServerRecForTextRecognition", {"qkv_bias": False, "depth": 4, "conv_kernel_size": [3, 5]}),
        ("PPOCRV5ServerRecForTextRecognition", {"hidden_size": 96, "mlp_ratio": 1.5}),
    ),
    "pp_ocrv5_server_det": (
        ("PPOCRV5ServerDetForObjectDetection", {"neck_out_channels": 64, "kernel_list": [5, 4, 2], "reduce_factor": 4}),
    ),
    "hgnet_v2": (
        (
            "HGNetV2ForImageClassification",
            {"use_learnable_affine_block": True, "stage_light_block": [True, False, True, False]},
        ),
        ("HGNetV2Backbone", {"stage_downsample": [True, False, True, True], "stage_kernel_size": [3, 5, 3, 7]}),
    ),
    "dab-detr": (
        ("DabDetrForObjectDetection", {"keep_query_pos": True, "num_patterns": 3}),
        ("DabDetrForObjectDetection", {"activation_function": "relu", "normalize_before": True}),
    ),
    "grounding-dino": (
        ("GroundingDinoForObjectDetection", {"decoder_bbox_embed_share": False, "decoder_layers": 3}),
        ("GroundingDinoForObjectDetection", {"two_stage": False, "num_feature_levels": 1}),
        ("GroundingDinoModel", {"position_embedding_type": "learned", "embedding_init_target": False}),
    ),
    "mm-grounding-dino": (
        ("MMGroundingDinoForObjectDetection", {"decoder_bbox_embed_share": False, "decoder_layers": 3}),
        ("MMGroundingDinoForObjectDetection", {"decoder_cls_embed_share": False, "num_feature_levels": 6}),
    ),
    "maskformer": (
        ("MaskFormerForInstanceSegmentation", {"backbone_config": BELOW_DETECTORS["backbone_config"]}),
        ("MaskFormerForInstanceSegmentation", {"decoder_config.d_model": 96, "backbone_config.model_type": "swin"}),
    ),
    "mask2former": (
        ("Mask2FormerForUniversalSegmentation", {"common_stride": 2, "hidden_dim": 64}),
        ("Mask2FormerForUniversalSegmentation", {"hidden_dim": 64, "enforce_input_projection": True}),
        ("Mask2FormerForUniversalSegmentation", {"backbone_config.out_features": ["stage2", "stage4"]}),
    ),
    "oneformer": (
        ("OneFormerForUniversalSegmentation", {"is_training": True}),
        (
            "OneFormerForUniversalSegmentation",
            {"is_training": True, "text_encoder_n_ctx": 0, "text_encoder_proj_layers": 3},
        ),
        ("OneFormerForUniversalSegmentation", {"common_stride": 2, "hidden_dim": 64}),
    ),
    "rt_detr": (
        ("RTDetrForObjectDetection", {"freeze_backbone_batch_norms": False, "hidden_expansion": 0.5}),
        ("RTDetrForObjectDetection", {"num_feature_levels": 5, "learn_initial_query": True}),
        ("RTDetrForObjectDetection", {"backbone_config.layer_type": "basic", "num_denoising": 0}),
    ),
    "rt_detr_resnet": (
        ("RTDetrResNetBackbone", {"layer_type": "basic", "downsample_in_first_stage": True}),
        ("RTDetrResNetBackbone", {"layer_type": "basic", "hidden_sizes": [8, 8, 20, 20]}),
        ("RTDetrResNetBackbone", {"layer_type": "bottleneck", "hidden_sizes": [8, 8, 20, 20]}),
        ("RTDetrResNetBackbone", {"downsample_in_first_stage": True, "num_channels": 2}),
    ),
    "rt_detr_v2": (
        ("RTDetrV2ForObjectDetection", {"decoder_n_levels": 4, "num_feature_levels": 4}),
        ("RTDetrV2ForObjectDetection", {"hidden_expansion": 0.5, "learn_initial_query": True}),
    ),
    "vision-encoder-decoder": (
        ("VisionEncoderDecoderModel", {"decoder.model_type": "gpt2"}),
        ("VisionEncoderDecoderModel", {"encoder.model_type": "deit", "decoder.model_type": "roberta"}),
        ("VisionEncoderDecoderModel", {"encoder.model_type": "beit", "decoder.hidden_size": 96}),
    ),
    "vision-text-dual-encoder": (
        ("VisionTextDualEncoderModel", {"vision_config.model_type": "clip_vision_model"}),
        ("VisionTextDualEncoderModel", {"vision_config.model_type": "dinov2", "text_config.model_type": "roberta"}),
    ),
}
# Types whose class saves another number for a key than it reads.
READ_ALL = ("bailing_hybrid", "hrm_text")
MENDS |= LATER_MENDS
COMBINED |= LATER_COMBINED
# Types with a definition and no records of their own.
LEFT_OUT: dict[str, str] = {
    "altclip_text_model": "transformers 5 writes names for it that it does not read",
    "fast_vlm": "its vision tower is of the package timm",
    "gemma4_assistant": "transformers 5.23 refuses a text model whose layers all share their keys",
    "gemma4_unified_assistant": "transformers 5.23 refuses a text model whose layers all share their keys",
    "gemma3n": "its vision tower is of the package timm",
    "phi4mm": "transformers has no class for it",
    "idefics_vision": "transformers has no class of its own for it",
    "internlm3": "transformers has its configuration alone",
    "iquestcoder": "transformers has its configuration alone",
    "t5_gemma_module": "a half of t5gemma, never a model of its own",
}

# The base of TYPES: by key, or by the key's usual name where the class has an alias for it (n_embd is hidden_size).
NUMBERS: dict[str, int] = {
    "vocab_size": 107,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 20,
    "intermediate_size": 92,
    "max_position_embeddings": 70,
    "type_vocab_size": 5,
    "num_local_experts": 11,
    "num_experts": 11,
    "moe_intermediate_size": 28,
}
# Numbers that are also tried together with each other switch.
TELLING_NUMBERS = [
    ("num_key_value_heads", 1),
    ("n_inner", 93),
    ("type_vocab_size", 0),
    ("num_local_experts", 3),
]
SPECIAL_TOKENS = {"pad_token_id": 0, "bos_token_id": 3, "eos_token_id": 4}
LABELS = 7

# Values to try for a key; other switches are flipped, other numbers increased by one.
OTHERS: dict[str, tuple[Any, ...]] = {
    "vocab_size": (131,),
    "hidden_size": (96,),
    "num_hidden_layers": (1, 5),
    "num_attention_heads": (4, 12),
    "num_key_value_heads": (1, 3, 6),
    "head_dim": (None, 12),
    "intermediate_size": (100,),
    "max_position_embeddings": (75,),
    "type_vocab_size": (0, 1),
    "num_local_experts": (1, 3),
    "num_experts": (1, 3),
    "n_inner": (93,),
    "num_labels": (1,),
    "position_embedding_type": ("relative_key", "relative_key_query"),
    "pruned_heads": ({1: [0, 2]},),
    "feed_forward_proj": ("gated-gelu",),
    "mlp_only_layers": ([1],),
    "q_lora_rank": (None, 22),
    "first_k_dense_replace": (0, 2, 3),
    "n_shared_experts": (0, 1),
    "word_embed_proj_dim": (32,),
    "image_size": (56, 80),
    "depths": ([2, 1, 1], [1, 3]),
    "feat_extract_norm": ("layer",),
    "mask_time_prob": (0.0,),
    "conv_dim": ([20, 32],),
    "adapter_attn_dim": (7,),
}
# Switches of the base class: tried for every type, declared by its class or not.
BASE_SWITCHES = {
    "tie_word_embeddings": True,
    "is_decoder": False,
    "add_cross_attention": False,
    "pruned_heads": {},
}
# Numbers that divide others: doubled instead of increased by one.
DIVIDING = ("heads", "groups", "rate", "ratio", "factor", "stride")
# Keys of other types, to test keys that a class does not declare.
UNEXPECTED: dict[str, tuple[Any, ...]] = {"head_dim": (12,)}
# Not tried: they affect no constructor.
INERT_WORDS = (
    "dropout",
    "token_id",
    "_eps",
    "epsilon",
    "initializer",
    "pdrop",
    "rope",
    "use_cache",
    "output_",
    "pretraining_tp",
    "return_dict",
    "chunk_size",
)

# For types beyond TYPES: how many switches are tried, and how many records are kept.
TRIED, KEPT, KEPT_PAIRS = 36, 6, 2
LARGEST = 4_000_000
SECONDS = 25

Shapes = dict[str, list[int]]


# -- what to build -------------------------------------------------------------------------------------------


def config_class_of(model_type: str) -> Any:
    import transformers  # type: ignore[import-not-found]

    return transformers.CONFIG_MAPPING[model_type]


def base_arguments(model_type: str) -> dict[str, Any]:
    """Arguments of the base record: every declared number that the rules know, then the type's own."""
    config_class = config_class_of(model_type)
    if model_type not in TYPES:
        return merged({**tiny(config_class), "num_labels": LABELS}, MENDS.get(model_type, {}))
    usual = usual_names(config_class)
    found: dict[str, Any] = {}
    for key in declared(config_class):
        number = NUMBERS.get(key, NUMBERS.get(usual.get(key, "")))
        if number is not None:
            found[key] = number
        elif key in SPECIAL_TOKENS:
            found[key] = SPECIAL_TOKENS[key]
    return {"num_labels": LABELS, **found, **TYPES[model_type]}


def model_classes(model_type: str) -> dict[str, Any]:
    """Every model class of a type: those of the auto mappings and those its module exports, by name."""
    import transformers
    from transformers.models.auto import modeling_auto  # type: ignore[import-not-found]

    config_class = config_class_of(model_type)
    names: set[str] = set()
    for attribute in dir(modeling_auto):
        if attribute.endswith("_MAPPING_NAMES"):
            entry = getattr(modeling_auto, attribute).get(model_type, ())
            names |= {entry} if isinstance(entry, str) else set(entry)
    module: Any = None
    with contextlib.suppress(ImportError):
        module = importlib.import_module(config_class.__module__.replace("configuration_", "modeling_"))
        names |= set(getattr(module, "__all__", ()))

    def concrete(name: str) -> Any:
        candidate: Any = getattr(transformers, name, None) or getattr(module, name, None)
        if not (isinstance(candidate, type) and issubclass(candidate, transformers.PreTrainedModel)):
            return None
        right = getattr(candidate, "config_class", None) is config_class and not name.endswith("PreTrainedModel")
        return candidate if right else None

    found = {name: candidate for name in sorted(names) if (candidate := concrete(name))}
    if not found and module is not None:  # a tower that is not exported
        found = {name: candidate for name in sorted(dir(module)) if (candidate := concrete(name))}
    return found


def takes_pairs(name: str) -> bool:
    """Whether two switches at once are tried: for the base model and heads on the vocabulary."""
    return name.endswith(("Model", "ForCausalLM", "ForMaskedLM", "ForPreTraining", "ForConditionalGeneration"))


def switches(model_type: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every key with the other values to try."""
    config_class = config_class_of(model_type)
    now = {key: (usual, value) for key, usual, value in flat({**BASE_SWITCHES, **arguments}, config_class)}
    for key, (usual, value) in now.items():
        if any(word in key for word in INERT_WORDS):
            continue
        name = key.rpartition(".")[2]
        if name != key and name in BASE_SWITCHES and name != "tie_word_embeddings":
            continue  # the function of a submodel is not a choice
        others = OTHERS.get(name, OTHERS.get(usual))
        if others is not None:
            yield from ((key, other) for other in others if other != value)
        elif isinstance(value, bool):
            yield key, not value
        elif isinstance(value, int):
            yield key, value * 2 if model_type not in TYPES and any(word in name for word in DIVIDING) else value + 1
        elif isinstance(value, float):
            yield key, value * 2 or 0.5
    for key, others in UNEXPECTED.items():
        if key not in now and key not in config_class.attribute_map:
            yield from ((key, other) for other in others)


def spelled(changes: Mapping[str, Any]) -> str:
    """The name of a variant: n_inner-93, attention_bias-true,head_dim-null."""
    return ",".join(f"{key}-{json.dumps(value, separators=(',', ':'))}" for key, value in changes.items()).replace(
        '"', ""
    )


# -- building and reading back -------------------------------------------------------------------------------


def build(model_type: str, model_class: Any, arguments: Mapping[str, Any]) -> Any:
    """A model with random weights. Some configuration classes modify their arguments, so they get a copy; a loss
    that needs scipy for training is not called here."""
    module = sys.modules[model_class.__module__]
    if hasattr(module, "requires_backends"):
        module.requires_backends = lambda *_: None  # type: ignore[attr-defined]
    return model_class(config_class_of(model_type)(**copy.deepcopy(dict(arguments))))


def sketched(model_type: str, model_class: Any, arguments: Mapping[str, Any]) -> tuple[Shapes, int]:
    """Shapes of a model without its weights, or with them where the class cannot do without."""
    import torch  # type: ignore[import-not-found]

    try:
        with torch.device("meta"):
            return shapes_in_memory(build(model_type, model_class, arguments))
    except (NotImplementedError, RuntimeError):
        return shapes_in_memory(build(model_type, model_class, arguments))


def shapes_in_memory(model: Any) -> tuple[Shapes, int]:
    """Names, shapes and ties of a model, which show the effect of a switch before anything is saved."""
    return {name: list(tensor.shape) for name, tensor in model.state_dict().items()}, parameters_of(model)


def parameters_of(model: Any) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def header_of(file: Path) -> dict[str, Any]:
    """Name to [dtype, shape] from the header of a safetensors file."""
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(length))
    return {name: [entry["dtype"], entry["shape"]] for name, entry in sorted(header.items()) if name != "__metadata__"}


def tied_names(model: Any) -> list[list[str]]:
    groups: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        groups.setdefault(id(parameter), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def record(
    model_type: str, model_class: Any, arguments: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Build and save one model and read the file."""
    given = merged(arguments, changes)
    model = build(model_type, model_class, given)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
        tensors = header_of(Path(folder) / "model.safetensors")
    held = {name for name, _ in model.named_buffers()}
    buffers = [name for name in tensors if name in held]
    left = unwritten(parameters_of(model), tensors, buffers)
    return {
        "class": model_class.__name__,
        "variant": spelled(changes),
        "writer": writer(),
        "given": given if model_type in TYPES or model_type in READ_ALL else kept_arguments(given, config),
        "config": config,
        "num_parameters": parameters_of(model),
        **({"unwritten": left} if left else {}),
        "tied": tied_names(model),
        "buffers": buffers,
        "tensors": tensors,
    }


def kept_arguments(given: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that the configuration class keeps: it overrides some with others, and a configuration with
    both would be inconsistent."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        held = config.get(key, len(config.get("id2label") or "ab") if key == "num_labels" else value)
        if isinstance(value, Mapping) and isinstance(held, Mapping):
            found[key] = kept_arguments(value, held)
        elif held == value or type(held) is not type(value) or isinstance(value, list):
            found[key] = value
    return found


def unwritten(parameters: int, tensors: Mapping[str, Any], buffers: Collection[str]) -> int:
    """Parameters in memory that are not in the file: computed ones that the class does not save."""
    stored: int = sum(math.prod(shape) for name, (_, shape) in tensors.items() if name not in buffers)
    return max(parameters - stored, 0)


def writer() -> str:
    import transformers

    return f"transformers {transformers.__version__}"


def records_of(model_type: str) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """All records of a type by this transformers, and by class the switches that affect no tensor."""
    records: list[dict[str, Any]] = []
    unmoved: dict[str, list[str]] = {}
    for name, model_class in model_classes(model_type).items():
        arguments = base_arguments(model_type)
        try:
            base = shapes_in_memory(build(model_type, model_class, arguments))
        except Exception:  # some heads require a certain number of labels
            arguments = {key: value for key, value in arguments.items() if key != "num_labels"}
            try:
                base = shapes_in_memory(build(model_type, model_class, arguments))
            except Exception as error:
                print(f"{name} is left out: {type(error).__name__}: {error}")
                continue
        if base == ({}, 0):
            continue  # an abstract class under an old name
        records.append(record(model_type, model_class, arguments, {}))
        seen: dict[str, Any] = {}
        for key, value in switches(model_type, arguments):
            with contextlib.suppress(Exception):  # configurations that a class refuses are skipped
                after = shapes_in_memory(build(model_type, model_class, {**arguments, key: value}))
                seen[spelled({key: value})] = after
                if after == base:
                    unmoved.setdefault(name, []).append(spelled({key: value}))
                else:
                    records.append(record(model_type, model_class, arguments, {key: value}))
        if takes_pairs(name):
            for changes in pairs(model_type, arguments):
                with contextlib.suppress(Exception):
                    after = shapes_in_memory(build(model_type, model_class, {**arguments, **changes}))
                    alone = [seen.get(spelled({key: value})) for key, value in changes.items()]
                    if after != base and after not in alone:
                        records.append(record(model_type, model_class, arguments, changes))
    return records, unmoved


def chosen_records_of(model_type: str) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """The base of every class, and a few switches and pairs of them for the class with the most parts."""
    bases: dict[str, tuple[Any, dict[str, Any]]] = {}
    sizes: dict[str, tuple[Shapes, int]] = {}
    for name, model_class in model_classes(model_type).items():
        arguments = base_arguments(model_type)
        for without in ((), ("num_labels",)):  # some heads require a certain number of labels
            given = {key: value for key, value in arguments.items() if key not in without}
            try:
                shapes = sketched(model_type, model_class, given)
            except TimeoutError:
                raise
            except Exception as error:
                if without:
                    print(f"{name} is left out: {type(error).__name__}: {str(error)[:300]}")
                continue
            if shapes[1] > LARGEST:
                print(f"{name} is left out: {shapes[1]} parameters")
            elif shapes != ({}, 0):
                bases[name], sizes[name] = (model_class, given), shapes
            break
    if not bases:
        return [], {}
    records = [attempt for name in bases if (attempt := attempted(model_type, *bases[name], {}))]
    main = max(bases, key=lambda name: (takes_pairs(name), sizes[name][1], len(sizes[name][0]), name))
    model_class, arguments = bases[main]
    moved, unmoved = movers(model_type, model_class, arguments, sizes[main])
    for changes in moved:
        attempt = attempted(model_type, model_class, arguments, changes)
        if attempt:
            records.append(attempt)
    return records, {main: unmoved} if unmoved else {}


def combined_records_of(model_type: str) -> Iterator[dict[str, Any]]:
    """The records of switches together that `COMBINED` names."""
    combined = COMBINED.get(model_type, ())
    classes = model_classes(model_type) if combined else {}
    for name, changes in combined:
        if name in classes:
            found = attempted(model_type, classes[name], base_arguments(model_type), changes)
            if found:
                yield found


def attempted(
    model_type: str, model_class: Any, arguments: Mapping[str, Any], changes: Mapping[str, Any]
) -> dict[str, Any] | None:
    """A record, or None where the class builds the model and cannot save it."""
    try:
        found = record(model_type, model_class, arguments, changes)
        named = found["config"].get("model_type") == model_type and found["config"].get("architectures")
        return found if named else None  # some configurations lose their name when they are saved
    except TimeoutError:
        raise
    except Exception as error:
        print(f"{model_class.__name__} {spelled(changes)} is not written: {type(error).__name__}: {str(error)[:200]}")
        return None


def movers(
    model_type: str, model_class: Any, arguments: Mapping[str, Any], base: tuple[Shapes, int]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Switches that affect a tensor, one per key, then pairs with a further effect; and those without effect.
    The choice is pseudorandom and reproducible."""
    moved: dict[str, tuple[Any, Any]] = {}
    unmoved: list[str] = []
    order = sorted(switches(model_type, arguments), key=lambda item: zlib.crc32(spelled(dict([item])).encode()))
    for key, value in order[:TRIED]:
        if key in moved or len(moved) == KEPT:
            continue
        after = tried(model_type, model_class, merged(arguments, {key: value}))
        if after == base:
            unmoved.append(spelled({key: value}))
        elif after is not None:
            moved[key] = value, after
    found = [{key: value} for key, (value, _) in moved.items()]
    for (key, (value, after)), (other, (second, later)) in list(itertools.combinations(moved.items(), 2))[::3]:
        if len(found) == len(moved) + KEPT_PAIRS:
            break
        changes = {key: value, other: second}
        if tried(model_type, model_class, merged(arguments, changes)) not in (None, base, after, later):
            found.append(changes)
    return found, sorted(unmoved)


def tried(model_type: str, model_class: Any, arguments: Mapping[str, Any]) -> tuple[Shapes, int] | None:
    """Shapes of a model, None where the class refuses to build it or it is not tiny."""
    try:
        shapes = sketched(model_type, model_class, arguments)
    except TimeoutError:
        raise
    except Exception:
        return None
    return shapes if shapes[1] <= LARGEST else None


def pairs(model_type: str, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Two switches at once: flags, keys that may be null, and the telling numbers."""
    telling = [
        (key, value)
        for key, value in switches(model_type, arguments)
        if isinstance(value, bool) or value is None or (key, value) in TELLING_NUMBERS
    ]
    for (key, value), (other, second) in itertools.combinations(telling, 2):
        if key != other:
            yield {key: value, other: second}


# -- torch's own attention -----------------------------------------------------------------------------------


def attention_records() -> list[dict[str, Any]]:
    """nn.MultiheadAttention as its state dict is saved: with joint or separate projections, with and without biases."""
    import torch
    from safetensors.torch import save_file

    found = []
    for bias, add_bias_kv, widths in itertools.product(
        (True, False),
        (False, True),
        ({}, {"kdim": 20}, {"vdim": 28}, {"kdim": 20, "vdim": 28}, {"kdim": 48, "vdim": 48}),
    ):
        given = {"embed_dim": 48, "num_heads": 6, "bias": bias, "add_bias_kv": add_bias_kv, **widths}
        module = torch.nn.MultiheadAttention(**given)
        with tempfile.TemporaryDirectory() as folder:
            save_file(module.state_dict(), Path(folder) / "model.safetensors")
            tensors = header_of(Path(folder) / "model.safetensors")
        changes = {
            k: v
            for k, v in given.items()
            if (k, v) not in {("embed_dim", 48), ("num_heads", 6), ("bias", True), ("add_bias_kv", False)}
        }
        found.append(
            {
                "class": "MultiheadAttention",
                "variant": spelled(changes),
                "writer": f"torch {torch.__version__.split('+')[0]}",
                "given": given,
                "config": given,
                "num_parameters": parameters_of(module),
                "tied": [],
                "buffers": [],
                "tensors": tensors,
            }
        )
    return found


# -- the files -----------------------------------------------------------------------------------------------


def read(model_type: str) -> dict[str, Any]:
    """A checked-in file, or an empty one."""
    file = ORACLE / f"{model_type}.json.gz"
    if not file.exists():
        return {"model_type": model_type, "records": [], "unmoved": {}}
    found: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return found


def write(content: Mapping[str, Any]) -> None:
    """Write a file deterministically: sorted records, no time in the gzip header."""
    records = sorted(content["records"], key=lambda r: (r["class"], r["variant"], r["writer"]))
    text = json.dumps({**content, "records": records}, separators=(",", ":"), sort_keys=True)
    ORACLE.mkdir(parents=True, exist_ok=True)
    (ORACLE / f"{content['model_type']}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def with_definitions() -> list[str]:
    """Every model type of transformers that has a definition."""
    import transformers

    known = transformers.CONFIG_MAPPING
    table: dict[str, Any] = json.loads(CATALOG.read_bytes())
    found = sorted(name for name in table if name in known and known[name].model_type == name)
    return [name for name in found if name not in LEFT_OUT]


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two versions saved the same for a model; the base of the type is kept for its configuration."""
    keys = ("class", "variant", "num_parameters", "tied", "buffers", "tensors")
    return all(one[key] == other[key] for key in keys)


def made(model_type: str) -> int:
    """Make the records of a type with this transformers; return their number."""
    content = read(model_type)
    kept = [r for r in content["records"] if r["writer"] != writer()]
    if model_type in TYPES:
        records, unmoved = records_of(model_type)
    else:
        records, unmoved = chosen_records_of(model_type)
        known = {(r["class"], r["variant"]) for r in records}
        records += [r for r in combined_records_of(model_type) if (r["class"], r["variant"]) not in known]
        varied = {r["class"] for r in records if r["variant"]}
        earlier = {(r["class"], r["variant"]): r for r in kept}
        records = [
            r
            for r in records
            if (before := earlier.get((r["class"], r["variant"]))) is None
            or not same(before, json.loads(json.dumps(r)))
            or (r["class"] in varied and not r["variant"])
        ]
    if records:
        write({**content, "records": kept + records, "unmoved": {**content["unmoved"], writer(): unmoved}})
    return len(records)


def too_long(*_: object) -> None:
    raise TimeoutError


def main(model_types: list[str]) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    signal.signal(signal.SIGALRM, too_long)
    for model_type in model_types or with_definitions():
        if model_type not in TYPES:
            signal.alarm(SECONDS)
        try:
            print(f"{model_type}: {made(model_type)} records by {writer()}", flush=True)
        except Exception as error:
            print(f"{model_type}: none, {type(error).__name__}: {str(error)[:300]}", flush=True)
        signal.alarm(0)
    if not model_types:
        write({"model_type": "torch_multihead_attention", "records": attention_records(), "unmoved": {}})


if __name__ == "__main__":
    main(sys.argv[1:])
