"""Make `fixtures/adapters/adapters.json.gz`: adapters that PEFT saves for tiny random models.

Needs torch, transformers, accelerate, peft and scikit-learn (for AdaMSS):

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0 accelerate peft==0.21.2 scikit-learn
    five/bin/python -m tests.oracle.make_adapters

The file is gzip (mtime 0) of a JSON list of records: name, writer, class (of the base), base (its config.json),
adapter (adapter_config.json as saved), trainable (`get_nb_trainable_parameters`) and tensors, name on disk to
[dtype, shape]. All hyperparameters of a base are distinct numbers.
"""

from __future__ import annotations

import gzip
import importlib
import json
import struct
import tempfile
from pathlib import Path
from typing import Any

ADAPTERS = Path(__file__).parents[2] / "fixtures" / "adapters" / "adapters.json.gz"

LLAMA = {
    "vocab_size": 107, "hidden_size": 48, "intermediate_size": 92, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 20, "max_position_embeddings": 66,
}  # fmt: skip
BASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaForCausalLM", LLAMA),
    "llama_body": ("LlamaModel", LLAMA),
    "llama_tied": ("LlamaForCausalLM", {**LLAMA, "tie_word_embeddings": True}),
    "llama_labels": ("LlamaForSequenceClassification", {**LLAMA, "num_labels": 5, "pad_token_id": 0}),
    "qwen2": ("Qwen2ForCausalLM", {key: value for key, value in LLAMA.items() if key != "head_dim"}),
    "gpt2": ("GPT2LMHeadModel", {"vocab_size": 107, "n_embd": 48, "n_layer": 3, "n_head": 6, "n_positions": 66}),
    "gpt_neox": (
        "GPTNeoXForCausalLM",
        {key: value for key, value in LLAMA.items() if key not in ("head_dim", "num_key_value_heads")},
    ),
    "mixtral": ("MixtralForCausalLM", {**LLAMA, "head_dim": 20, "num_local_experts": 10, "num_experts_per_tok": 2}),
    "t5": (
        "T5ForConditionalGeneration",
        {"vocab_size": 107, "d_model": 48, "d_kv": 10, "d_ff": 92, "num_layers": 3, "num_decoder_layers": 4,
         "num_heads": 6, "decoder_start_token_id": 0},
    ),
    "bert": (
        "BertForSequenceClassification",
        {"vocab_size": 107, "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6,
         "intermediate_size": 92, "num_labels": 5},
    ),
    "vit": (
        "ViTForImageClassification",
        {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "intermediate_size": 92,
         "image_size": 40, "patch_size": 8, "num_labels": 5},
    ),
    "whisper": (
        "WhisperForConditionalGeneration",
        {"vocab_size": 107, "d_model": 48, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 6,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 92, "decoder_ffn_dim": 84, "num_mel_bins": 26,
         "max_source_positions": 74, "max_target_positions": 70, "decoder_start_token_id": 5, "pad_token_id": 6,
         "bos_token_id": 7, "eos_token_id": 8},
    ),
    "qwen3_moe": (
        "Qwen3MoeForCausalLM",
        {**LLAMA, "num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 28, "decoder_sparse_step": 2},
    ),
    "glm4_moe": (
        "Glm4MoeForCausalLM",
        {**LLAMA, "n_routed_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 28, "n_group": 1,
         "topk_group": 1, "first_k_dense_replace": 1, "num_nextn_predict_layers": 1},
    ),
    "siglip": (
        "SiglipVisionModel",
        {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "intermediate_size": 92,
         "image_size": 40, "patch_size": 8},
    ),
    "rwkv": ("RwkvForCausalLM", {"vocab_size": 107, "hidden_size": 48, "num_hidden_layers": 3,
                                 "attention_hidden_size": 48, "intermediate_size": 92, "context_length": 66}),
    "segformer": (
        "SegformerForSemanticSegmentation",
        {"hidden_sizes": [16, 32, 48, 64], "depths": [1, 2, 1, 1], "num_attention_heads": [1, 2, 3, 4],
         "decoder_hidden_size": 36, "num_labels": 5},
    ),
}  # fmt: skip
"""Base -> (class, arguments of its configuration)."""

LORA = {"kind": "LoraConfig", "r": 4, "lora_alpha": 9}
SEVEN = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama.default": ("llama", LORA),
    "llama.seven": ("llama", {**LORA, "target_modules": SEVEN}),
    "llama.all-linear": ("llama", {**LORA, "target_modules": "all-linear"}),
    "llama.excluded": (
        "llama",
        {**LORA, "target_modules": SEVEN, "exclude_modules": ["down_proj", "layers.1.mlp.up_proj"]},
    ),
    "llama.excluded-expression": (
        "llama",
        {**LORA, "target_modules": SEVEN, "exclude_modules": r".*layers\.[02]\.mlp.*"},
    ),
    "llama.expression": ("llama", {**LORA, "target_modules": r".*\.layers\.(0|2)\..*(q|k)_proj"}),
    "llama.expression-words": (
        "llama",
        {
            **LORA,
            "target_modules": r"(?:.*?(?:model|text).*?(?:self_attn|mlp).*?(?:q_proj|up_proj).*?)|"
            r"(?:\bmodel\.layers\.[\d]{1,}\.(?:self_attn)\.(?:(?:v_proj)))",
        },
    ),
    "llama.expression-ahead": ("llama", {**LORA, "target_modules": r"^(?!.*layers\.1\.).*(down_proj|o_proj)$"}),
    "llama.full-name": ("llama", {**LORA, "target_modules": ["model.layers.1.self_attn.q_proj", "v_proj"]}),
    "llama.layers": ("llama", {**LORA, "target_modules": ["q_proj", "v_proj"], "layers_to_transform": [0, 2]}),
    "llama.one-layer": (
        "llama",
        {**LORA, "target_modules": ["q_proj"], "layers_to_transform": 1, "layers_pattern": "layers"},
    ),
    "llama.rank-pattern": (
        "llama",
        {
            **LORA,
            "target_modules": SEVEN,
            "rank_pattern": {"layers.0.self_attn.q_proj": 3, "v_proj": 7, r".*\.2\.mlp\..*": 5},
            "alpha_pattern": {"v_proj": 14},
        },
    ),
    "llama.dora": ("llama", {**LORA, "target_modules": ["q_proj", "down_proj"], "use_dora": True}),
    "llama.rslora": ("llama", {**LORA, "use_rslora": True}),
    "llama.embedding": ("llama", {**LORA, "target_modules": ["q_proj", "embed_tokens"]}),
    "llama.embedding-dora": ("llama", {**LORA, "target_modules": ["embed_tokens"], "use_dora": True}),
    "llama.head": ("llama", {**LORA, "target_modules": ["q_proj", "lm_head"]}),
    "llama.saved": ("llama", {**LORA, "target_modules": ["q_proj"], "modules_to_save": ["lm_head", "embed_tokens"]}),
    "llama.saved-norms": (
        "llama",
        {**LORA, "target_modules": ["q_proj"], "modules_to_save": ["input_layernorm", "norm"]},
    ),
    "llama.lora-bias": ("llama", {**LORA, "target_modules": ["q_proj"], "lora_bias": True}),
    "llama.tokens": ("llama", {**LORA, "target_modules": ["q_proj"], "trainable_token_indices": [1, 5, 9]}),
    "llama.tokens-tied": ("llama_tied", {**LORA, "target_modules": ["q_proj"], "trainable_token_indices": [1, 5]}),
    "llama.body": ("llama_body", {**LORA, "target_modules": ["q_proj", "v_proj"]}),
    "llama.labels": ("llama_labels", {**LORA, "target_modules": ["q_proj", "v_proj"], "task_type": "SEQ_CLS"}),
    "llama.ia3": (
        "llama",
        {
            "kind": "IA3Config",
            "target_modules": ["k_proj", "v_proj", "down_proj"],
            "feedforward_modules": ["down_proj"],
        },
    ),
    "llama.ia3-default": ("llama", {"kind": "IA3Config"}),
    "llama.vera": ("llama", {"kind": "VeraConfig", "r": 8, "target_modules": ["q_proj", "v_proj"]}),
    "llama.vera-unsaved": (
        "llama",
        {"kind": "VeraConfig", "r": 8, "target_modules": ["q_proj", "down_proj"], "save_projection": False},
    ),
    "llama.loha": ("llama", {"kind": "LoHaConfig", "r": 4, "target_modules": ["q_proj", "up_proj"]}),
    "llama.lokr": ("llama", {"kind": "LoKrConfig", "r": 4, "target_modules": ["q_proj", "up_proj"]}),
    "llama.lokr-both": ("llama", {"kind": "LoKrConfig", "r": 2, "target_modules": SEVEN, "decompose_both": True}),
    "llama.lokr-factor": ("llama", {"kind": "LoKrConfig", "r": 16, "target_modules": SEVEN, "decompose_factor": 4}),
    "llama.oft": (
        "llama",
        {"kind": "OFTConfig", "oft_block_size": 4, "r": 0, "target_modules": ["q_proj", "down_proj"]},
    ),
    "llama.oft-shared": (
        "llama",
        {"kind": "OFTConfig", "oft_block_size": 4, "r": 0, "block_share": True, "target_modules": ["q_proj"]},
    ),
    "llama.boft": ("llama", {"kind": "BOFTConfig", "boft_block_size": 4, "target_modules": ["q_proj"]}),
    "llama.adalora": (
        "llama",
        {"kind": "AdaLoraConfig", "init_r": 6, "target_r": 4, "total_step": 10, "target_modules": ["q_proj", "v_proj"]},
    ),
    "llama.ln-tuning": ("llama", {"kind": "LNTuningConfig", "target_modules": ["input_layernorm"]}),
    "llama.prompt": ("llama", {"kind": "PromptTuningConfig", "num_virtual_tokens": 7, "task_type": "CAUSAL_LM"}),
    "llama.prefix": ("llama", {"kind": "PrefixTuningConfig", "num_virtual_tokens": 7, "task_type": "CAUSAL_LM"}),
    "llama.p-tuning": (
        "llama",
        {"kind": "PromptEncoderConfig", "num_virtual_tokens": 7, "encoder_hidden_size": 11, "task_type": "CAUSAL_LM"},
    ),
    "t5.prompt": ("t5", {"kind": "PromptTuningConfig", "num_virtual_tokens": 7, "task_type": "SEQ_2_SEQ_LM"}),
    "t5.prefix": ("t5", {"kind": "PrefixTuningConfig", "num_virtual_tokens": 7, "task_type": "SEQ_2_SEQ_LM"}),
    "t5.default": ("t5", {**LORA, "task_type": "SEQ_2_SEQ_LM"}),
    "t5.all-linear": ("t5", {**LORA, "target_modules": "all-linear"}),
    "qwen2.bias-all": ("qwen2", {**LORA, "target_modules": ["q_proj", "o_proj"], "bias": "all"}),
    "qwen2.bias-own": ("qwen2", {**LORA, "target_modules": ["q_proj", "o_proj"], "bias": "lora_only"}),
    "gpt2.default": ("gpt2", {**LORA, "fan_in_fan_out": True}),
    "gpt2.all-linear": ("gpt2", {**LORA, "target_modules": "all-linear", "fan_in_fan_out": True}),
    "gpt2.bias-all": ("gpt2", {**LORA, "target_modules": ["c_proj"], "bias": "all", "fan_in_fan_out": True}),
    "gpt2.dora": ("gpt2", {**LORA, "target_modules": ["c_fc"], "use_dora": True, "fan_in_fan_out": True}),
    "gpt2.ia3": ("gpt2", {"kind": "IA3Config", "fan_in_fan_out": True}),
    "gpt_neox.default": ("gpt_neox", LORA),
    "gpt_neox.all-linear": ("gpt_neox", {**LORA, "target_modules": "all-linear"}),
    "mixtral.attention": ("mixtral", {**LORA, "target_modules": ["q_proj", "gate"]}),
    "mixtral.parameters": (
        "mixtral",
        {**LORA, "target_modules": [], "target_parameters": ["mlp.experts.down_proj", "mlp.experts.gate_up_proj"]},
    ),
    "mixtral.one-parameter": (
        "mixtral",
        {**LORA, "target_modules": ["q_proj"], "target_parameters": ["mlp.experts.gate_up_proj"]},
    ),
    "qwen3_moe.parameters": (
        "qwen3_moe",
        {
            **LORA,
            "target_modules": ["v_proj"],
            "target_parameters": ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"],
            "rank_pattern": {"experts.gate_up_proj": 2},
        },
    ),
    "qwen3_moe.parameters-of-layers": (
        "qwen3_moe",
        {
            **LORA,
            "target_modules": ["q_proj"],
            "target_parameters": [
                "0.mlp.experts.gate_up_proj",
                "2.mlp.experts.gate_up_proj",
                "2.mlp.experts.down_proj",
            ],
        },
    ),
    "siglip.parameter-around-modules": (
        "siglip",
        {**LORA, "target_modules": ["q_proj", "fc1"], "target_parameters": ["head.probe"]},
    ),
    "segformer.saved-head": (
        "segformer",
        {**LORA, "target_modules": ["q_proj", "v_proj"], "modules_to_save": ["decode_head"]},
    ),
    "segformer.ln-tuning": ("segformer", {"kind": "LNTuningConfig", "target_modules": ["batch_norm", "layer_norm"]}),
    "rwkv.parameter-around-modules": (
        "rwkv",
        {**LORA, "target_modules": ["receptance"], "target_parameters": ["blocks.0.attention.time_mix_key"]},
    ),
    "glm4_moe.prefix": ("glm4_moe", {"kind": "PrefixTuningConfig", "num_virtual_tokens": 7, "task_type": "CAUSAL_LM"}),
    "glm4_moe.trainable-tokens": (
        "glm4_moe",
        {"kind": "TrainableTokensConfig", "token_indices": [1, 5], "target_modules": ["embed_tokens"]},
    ),
    "llama.lily": ("llama", {"kind": "LilyConfig", "r": 5, "num_B": 3, "stride_A": 2, "target_modules": SEVEN}),
    "llama.lily-expression": (
        "llama",
        {"kind": "LilyConfig", "r": 5, "num_B": 2, "target_modules": r".*\.(q|k|v|o)_proj"},
    ),
    "t5.lily": ("t5", {"kind": "LilyConfig", "r": 5, "num_B": 2, "stride_A": 3, "target_modules": ["q", "wi"]}),
    "llama.trainable-tokens-tied": (
        "llama_tied",
        {"kind": "TrainableTokensConfig", "token_indices": [1, 5], "target_modules": ["embed_tokens"]},
    ),
    "bert.labels": ("bert", {**LORA, "task_type": "SEQ_CLS"}),
    "bert.all-linear": ("bert", {**LORA, "target_modules": "all-linear", "task_type": "SEQ_CLS"}),
    "bert.bias-all": ("bert", {**LORA, "target_modules": ["query"], "bias": "all"}),
    "vit.attention": ("vit", {**LORA, "target_modules": ["q_proj", "v_proj"], "modules_to_save": ["classifier"]}),
    "vit.patches": ("vit", {**LORA, "target_modules": ["projection"], "use_dora": True}),
    "vit.patches-loha": ("vit", {"kind": "LoHaConfig", "r": 4, "target_modules": ["projection"]}),
    "whisper.attention": ("whisper", {**LORA, "target_modules": ["q_proj", "v_proj"]}),
    "whisper.convolution": ("whisper", {**LORA, "target_modules": ["conv1", "fc1"]}),
    "mixtral.all-linear": ("mixtral", {**LORA, "target_modules": "all-linear"}),
    "llama.replicated": (
        "llama",
        {**LORA, "target_modules": ["q_proj", "v_proj"], "layer_replication": [[0, 2], [1, 3]]},
    ),
    "llama.tokens-head": (
        "llama",
        {**LORA, "target_modules": ["q_proj"], "trainable_token_indices": {"embed_tokens": [1], "lm_head": [1]}},
    ),
    "qwen2.bias-lora": ("qwen2", {**LORA, "target_modules": ["q_proj"], "bias": "lora_only"}),
    "bert.prompt": ("bert", {"kind": "PromptTuningConfig", "num_virtual_tokens": 7, "task_type": "SEQ_CLS"}),
    "llama.multitask-prompt": (
        "llama",
        {
            "kind": "MultitaskPromptTuningConfig",
            "num_virtual_tokens": 7,
            "num_tasks": 3,
            "num_ranks": 2,
            "task_type": "CAUSAL_LM",
        },
    ),
    "llama.cpt": (
        "llama",
        {
            "kind": "CPTConfig",
            "cpt_token_ids": [1, 2, 3],
            "cpt_mask": [1, 1, 1],
            "cpt_tokens_type_mask": [1, 2, 3],
            "task_type": "CAUSAL_LM",
        },
    ),
    "vit.glora": ("vit", {"kind": "GloraConfig", "r": 4, "target_modules": ["q_proj"]}),
    "vit.glora-vectors": (
        "vit",
        {
            "kind": "GloraConfig",
            "target_modules": ["q_proj"],
            "config_A_B": "vector",
            "config_C": "vector",
            "config_D_E": "vector",
        },
    ),
    "llama.trainable-tokens": (
        "llama",
        {"kind": "TrainableTokensConfig", "token_indices": [1, 5], "target_modules": ["embed_tokens"]},
    ),
    "whisper.lokr-convolution": ("whisper", {"kind": "LoKrConfig", "r": 4, "target_modules": ["conv1", "fc1"]}),
    **{
        f"llama.{method}": ("llama", {"kind": kind, "target_modules": ["q_proj", "v_proj", "down_proj"], **arguments})
        for method, kind, arguments in (
            ("beft", "BeftConfig", {}),
            ("c3a", "C3AConfig", {"block_size": 4, "block_size_pattern": {"v_proj": 8}}),
            ("deft", "DeftConfig", {"r": 3}),
            ("delora", "DeloraConfig", {"r": 3}),
            ("frod", "FrodConfig", {"sparse_rate": 0.02}),
            ("fourierft", "FourierFTConfig", {"n_frequency": 50, "n_frequency_pattern": {"v_proj": 20}}),
            ("glora", "GloraConfig", {"r": 4}),
            ("glora-constant", "GloraConfig", {"config_A_B": "constant"}),
            ("glora-none", "GloraConfig", {"config_A_B": "none"}),
            ("gralora", "GraloraConfig", {"r": 8, "gralora_k": 4, "hybrid_r": 2}),
            ("hira", "HiraConfig", {"r": 3}),
            ("hra", "HRAConfig", {"r": 4}),
            ("miss", "MissConfig", {"r": 4}),
            ("miss-bat", "MissConfig", {"r": 4, "init_weights": "bat"}),
            ("miss-mini", "MissConfig", {"r": 4, "mini_r": 2, "init_weights": "mini"}),
            ("osf", "OSFConfig", {}),
            ("peanut", "PeanutConfig", {"r": 3}),
            ("poly", "PolyConfig", {"r": 4, "n_tasks": 3, "n_skills": 2}),
            ("psoft", "PsoftConfig", {"r": 5}),
            ("pvera", "PveraConfig", {"r": 9}),
            ("randlora", "RandLoraConfig", {"r": 5}),
            ("road", "RoadConfig", {"variant": "road_2", "group_size": 4}),
            ("shira", "ShiraConfig", {"r": 3}),
            ("supertuning", "SupertuningConfig", {"r": 3}),
            ("tinylora", "TinyLoraConfig", {"u": 7}),
            ("unilora", "UniLoraConfig", {}),
            ("vblora", "VBLoRAConfig", {"r": 3, "num_vectors": 11, "vector_length": 4}),
            (
                "vblora-topk",
                "VBLoRAConfig",
                {"r": 3, "num_vectors": 11, "vector_length": 4, "save_only_topk_weights": True},
            ),
            ("waveft", "WaveFTConfig", {"n_frequency": 30}),
            ("adamss", "AdamssConfig", {"r": 10, "num_subspaces": 3, "subspace_rank": 2}),
            (
                "adamss-dynamic",
                "AdamssConfig",
                {"r": 10, "num_subspaces": 3, "subspace_rank": 4, "use_dynamic_rank": True},
            ),
            ("oft-adjusted", "OFTConfig", {"oft_block_size": 32}),
            ("peanut-deep", "PeanutConfig", {"r": 3, "depth": 2}),
            ("randlora-sparse", "RandLoraConfig", {"r": 6, "sparse": True}),
            ("road-4", "RoadConfig", {"variant": "road_4", "group_size": 4}),
            ("tinylora-tied", "TinyLoraConfig", {"u": 5, "weight_tying": 0.5}),
            ("unilora-indices", "UniLoraConfig", {"save_indices": True}),
            ("osf-rank", "OSFConfig", {"effective_rank": 0.25, "rank_pattern": {"v_proj": 3}}),
            ("waveft-shares", "WaveFTConfig", {"n_frequency": 30, "proportional_parameters": True}),
        )
    },
    "qwen2.adamss": (
        "qwen2",
        {"kind": "AdamssConfig", "r": 10, "num_subspaces": 3, "subspace_rank": 2, "target_modules": ["q_proj"]},
    ),
    "llama.adaption": (
        "llama",
        {"kind": "AdaptionPromptConfig", "adapter_len": 5, "adapter_layers": 2, "task_type": "CAUSAL_LM"},
    ),
    "gpt2.adaption": (
        "gpt2",
        {"kind": "AdaptionPromptConfig", "adapter_len": 4, "adapter_layers": 3, "task_type": "CAUSAL_LM"},
    ),
    "llama.shadow": ("llama", {"kind": "ShadowConfig", "r": 5, "task_type": "CAUSAL_LM"}),
    "llama.shadow-layers": ("llama", {"kind": "ShadowConfig", "target_modules": r".*\.layers\.[01]$"}),
    "llama.shadow-sizes": (
        "llama",
        {
            "kind": "ShadowConfig",
            "r": 5,
            "task_type": "CAUSAL_LM",
            "shadow_num_hidden_layers": 2,
            "shadow_hidden_size": 24,
            "shadow_num_attention_heads": 4,
            "shadow_intermediate_size": 31,
            "update_hidden_size": 7,
        },
    ),
    "llama_labels.shadow": ("llama_labels", {"kind": "ShadowConfig", "task_type": "SEQ_CLS"}),
    "gpt2.shadow": ("gpt2", {"kind": "ShadowConfig", "task_type": "CAUSAL_LM"}),
    "llama.boft-factors": (
        "llama",
        {"kind": "BOFTConfig", "boft_block_size": 4, "boft_n_butterfly_factor": 2, "target_modules": ["q_proj"]},
    ),
    "vit.boft": ("vit", {"kind": "BOFTConfig", "boft_block_size": 4, "target_modules": ["q_proj", "projection"]}),
    "llama.oft-embedding": (
        "llama",
        {"kind": "OFTConfig", "oft_block_size": 4, "target_modules": ["q_proj", "embed_tokens"]},
    ),
    "vit.oft": ("vit", {"kind": "OFTConfig", "oft_block_size": 8, "target_modules": ["projection"]}),
    "vit.ia3": ("vit", {"kind": "IA3Config", "target_modules": ["projection"], "feedforward_modules": []}),
    "vit.hira": ("vit", {"kind": "HiraConfig", "r": 3, "target_modules": ["projection"]}),
    "whisper.hira": ("whisper", {"kind": "HiraConfig", "r": 3, "target_modules": ["conv1", "fc1"]}),
    "llama.hira-embedding": ("llama", {"kind": "HiraConfig", "r": 3, "target_modules": ["q_proj", "embed_tokens"]}),
    "llama.tinylora-embedding": (
        "llama",
        {"kind": "TinyLoraConfig", "u": 5, "target_modules": ["q_proj", "embed_tokens"]},
    ),
    "llama.cartridge": ("llama", {"kind": "CartridgeConfig", "num_virtual_tokens": 6, "task_type": "CAUSAL_LM"}),
    "llama.xlora": ("llama", {"kind": "XLoraConfig", "xlora_depth": 3, "xlora_size": 20}),
    "llama.xlora-shallow": ("llama", {"kind": "XLoraConfig", "xlora_dropout_p": 0.0}),
}
"""Name -> (base, arguments of the PEFT config with its class as `kind`)."""


def header(path: Path) -> dict[str, list[Any]]:
    """Name -> [dtype, shape] of a safetensors file."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    entries = json.loads(raw[8 : 8 + length])
    return {name: [entry["dtype"], entry["shape"]] for name, entry in entries.items() if name != "__metadata__"}


def mixed(peft: Any, model_class: Any, numbers: dict[str, Any], folder: str) -> dict[str, Any]:
    """Two LoRAs on disk, as arguments of X-LoRA."""
    paths = {}
    for number in range(2):
        lora = peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
        paths[str(number)] = f"{folder}/{number}"
        peft.get_peft_model(model_class(model_class.config_class(**numbers)), lora).save_pretrained(paths[str(number)])
    return {"adapters": paths, "hidden_size": numbers["hidden_size"], "task_type": "CAUSAL_LM"}


def tensors_of(wrapped: Any, folder: Path) -> dict[str, list[Any]]:
    """The saved tensors; for X-LoRA those in memory, because PEFT 0.21 omits layers when it saves."""
    if wrapped.active_peft_config.peft_type != "XLORA":
        return header(folder / "adapter_model.safetensors")
    state = wrapped.state_dict()
    return {name: ["F32", list(one.shape)] for name, one in state.items() if "internal_xlora_classifier" in name}


def record(name: str) -> dict[str, Any]:
    """Build one adapter, save it and read the file."""
    peft, transformers = importlib.import_module("peft"), importlib.import_module("transformers")
    base, arguments = VARIANTS[name]
    class_name, numbers = BASES[base]
    model_class = getattr(transformers, class_name)
    model = model_class(model_class.config_class(**numbers))
    chosen = {key: value for key, value in arguments.items() if key != "kind"}
    with tempfile.TemporaryDirectory() as folder:
        if arguments["kind"] == "XLoraConfig":
            chosen |= mixed(peft, model_class, numbers, folder)
            model.config.use_cache = False
        wrapped = peft.get_peft_model(model, getattr(peft, arguments["kind"])(**chosen))
        model.config.architectures = [class_name]
        model.config.save_pretrained(folder)
        wrapped.save_pretrained(folder)
        adapter = json.loads((Path(folder) / "adapter_config.json").read_text(encoding="utf-8"))
        if "adapters" in adapter:  # the paths of this run
            adapter["adapters"] = {number: number for number in adapter["adapters"]}
        return {
            "name": name,
            "writer": f"peft {peft.__version__}, transformers {transformers.__version__}",
            "class": class_name,
            "base": json.loads((Path(folder) / "config.json").read_text(encoding="utf-8")),
            "adapter": adapter,
            "trainable": wrapped.get_nb_trainable_parameters()[0],
            "tensors": tensors_of(wrapped, Path(folder)),
        }


def main() -> None:
    """Make all records."""
    records = []
    for name in VARIANTS:
        try:
            records.append(record(name))
        except Exception as problem:  # adapters that PEFT refuses are reported and left out
            print(f"{name}: {type(problem).__name__}: {problem}")
    raw = json.dumps(records, separators=(",", ":"), sort_keys=True).encode()
    ADAPTERS.parent.mkdir(parents=True, exist_ok=True)
    ADAPTERS.write_bytes(gzip.compress(raw, 9, mtime=0))
    print(f"{len(records)} adapters, {ADAPTERS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
