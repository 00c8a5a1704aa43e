"""Make `fixtures/published.toml`: published models, their hyperparameters and published counts.

Needs torch and transformers. The counts are rebuilt with transformers on torch's meta device from the
hyperparameters below, so no weight is allocated or downloaded (a minute):

    five/bin/python tests/oracle/make_published.py        # transformers 5.23.0: writes the file
    four/bin/python tests/oracle/make_published.py        # transformers 4.57.6: checks the same counts, and
                                                          # writes the few that only 4.x counts as published

An entry is name, model_type, class, parameters (ties once, no buffers), source, and config: the sparse
config.json as JSON text, other keys have the default of the type (TOML has no null). Where the number is
also known from a publication it is in PUBLISHED, and the script refuses a count that disagrees.
"""

# ruff: noqa: E501 - tables: one model a line
# fmt: off
from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "fixtures" / "published.toml"
Config = dict[str, Any]
Entry = tuple[str, str, Config]  # model_type, class, config


def decoder(vocabulary: int, width: int, inner: int, layers: int, heads: int, kv: int | None = None, **more: Any) -> Config:
    """The keys that most decoders share."""
    return {
        "vocab_size": vocabulary,
        "hidden_size": width,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads if kv is None else kv,
        **more,
    }


def encoder(vocabulary: int, width: int, inner: int, layers: int, heads: int, **more: Any) -> Config:
    """The keys that BERT and its like share."""
    return {
        "vocab_size": vocabulary,
        "hidden_size": width,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        **more,
    }


def gpt2(width: int, layers: int, heads: int) -> Config:
    return {"vocab_size": 50257, "n_positions": 1024, "n_embd": width, "n_layer": layers, "n_head": heads}


def bart(vocabulary: int, width: int, inner: int, layers: int, heads: int, **more: Any) -> Config:
    return {
        "vocab_size": vocabulary,
        "d_model": width,
        "encoder_layers": layers,
        "decoder_layers": layers,
        "encoder_ffn_dim": inner,
        "decoder_ffn_dim": inner,
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        **more,
    }


def whisper(width: int, layers: int, heads: int, **more: Any) -> Config:
    return {"num_mel_bins": 80, **bart(51865, width, 4 * width, layers, heads), "max_source_positions": 1500, "max_target_positions": 448, **more}


def t5(width: int, inner: int, layers: int, heads: int, head: int = 64, **more: Any) -> Config:
    return {"vocab_size": 32128, "d_model": width, "d_kv": head, "d_ff": inner, "num_layers": layers, "num_heads": heads, **more}


def opt(width: int, layers: int, heads: int, **more: Any) -> Config:
    return {"vocab_size": 50272, "hidden_size": width, "ffn_dim": 4 * width, "num_hidden_layers": layers, "num_attention_heads": heads, "word_embed_proj_dim": width, **more}


def bloom(width: int, layers: int, heads: int) -> Config:
    return {"vocab_size": 250880, "hidden_size": width, "n_layer": layers, "n_head": heads}


def neox(vocabulary: int, width: int, layers: int, heads: int) -> Config:
    return encoder(vocabulary, width, 4 * width, layers, heads)


def vit(width: int, layers: int, heads: int, **more: Any) -> Config:
    return {"hidden_size": width, "intermediate_size": 4 * width, "num_hidden_layers": layers, "num_attention_heads": heads, **more}


def clip_text(width: int, heads: int) -> Config:
    return {"hidden_size": width, "intermediate_size": 4 * width, "num_hidden_layers": 12, "num_attention_heads": heads, "vocab_size": 49408, "max_position_embeddings": 77, "projection_dim": width}


def labels(number: int) -> Config:
    """Labels as in published files: by name, for ImageNet's thousand only the number."""
    if number == 1000:
        return {"num_labels": number}
    return {"id2label": {str(index): f"LABEL_{index}" for index in range(number)}}


TIED = {"tie_word_embeddings": True}
UNTIED = {"tie_word_embeddings": False}

LLAMA: dict[str, Config] = {
    "llama-7b": decoder(32000, 4096, 11008, 32, 32),
    "llama-13b": decoder(32000, 5120, 13824, 40, 40),
    "llama-30b": decoder(32000, 6656, 17920, 60, 52),
    "llama-65b": decoder(32000, 8192, 22016, 80, 64),
    "llama-2-7b": decoder(32000, 4096, 11008, 32, 32, max_position_embeddings=4096),
    "llama-2-13b": decoder(32000, 5120, 13824, 40, 40, max_position_embeddings=4096),
    "llama-2-70b": decoder(32000, 8192, 28672, 80, 64, 8, max_position_embeddings=4096),
    "codellama-7b": decoder(32016, 4096, 11008, 32, 32),
    "codellama-34b": decoder(32000, 8192, 22016, 48, 64, 8),
    "llama-3-8b": decoder(128256, 4096, 14336, 32, 32, 8),
    "llama-3-70b": decoder(128256, 8192, 28672, 80, 64, 8),
    "llama-3.1-8b": decoder(128256, 4096, 14336, 32, 32, 8, max_position_embeddings=131072),
    "llama-3.1-405b": decoder(128256, 16384, 53248, 126, 128, 8, max_position_embeddings=131072),
    "llama-3.2-1b": decoder(128256, 2048, 8192, 16, 32, 8, head_dim=64, **TIED),
    "llama-3.2-3b": decoder(128256, 3072, 8192, 28, 24, 8, head_dim=128, **TIED),
    "tinyllama-1.1b": decoder(32000, 2048, 5632, 22, 32, 4),
    "smollm2-135m": decoder(49152, 576, 1536, 30, 9, 3, **TIED),
    "smollm2-360m": decoder(49152, 960, 2560, 32, 15, 5, **TIED),
    "smollm2-1.7b": decoder(49152, 2048, 8192, 24, 32, **TIED),
    "yi-6b": decoder(64000, 4096, 11008, 32, 32, 4),
    "yi-34b": decoder(64000, 7168, 20480, 60, 56, 8),
    "deepseek-llm-7b": decoder(102400, 4096, 11008, 30, 32),
    "deepseek-coder-1.3b": decoder(32256, 2048, 5504, 24, 16),
    "deepseek-coder-33b": decoder(32256, 7168, 19200, 62, 56, 8),
    "open-llama-3b": decoder(32000, 3200, 8640, 26, 32),
    "solar-10.7b": decoder(32000, 4096, 14336, 48, 32, 8),
    "granite-3b-code": decoder(49152, 2560, 10240, 32, 32, attention_bias=True, mlp_bias=True, **TIED),
}
MISTRAL: dict[str, Config] = {
    "mistral-7b-v0.1": decoder(32000, 4096, 14336, 32, 32, 8),
    "mistral-7b-v0.3": decoder(32768, 4096, 14336, 32, 32, 8, sliding_window=None),
    "openhermes-2.5-mistral-7b": decoder(32002, 4096, 14336, 32, 32, 8),
    "mistral-nemo-12b": decoder(131072, 5120, 14336, 40, 32, 8, head_dim=128),
    "mistral-small-24b": decoder(131072, 5120, 32768, 40, 32, 8, head_dim=128),
    "mistral-large-123b": decoder(32768, 12288, 28672, 88, 96, 8, head_dim=128),
    "codestral-22b": decoder(32768, 6144, 16384, 56, 48, 8),
    "ministral-8b": decoder(131072, 4096, 12288, 36, 32, 8, head_dim=128),
}
MIXTRAL: dict[str, Config] = {
    "mixtral-8x7b": decoder(32000, 4096, 14336, 32, 32, 8, num_local_experts=8, num_experts_per_tok=2),
    "mixtral-8x7b-dolphin": decoder(32002, 4096, 14336, 32, 32, 8, num_local_experts=8, num_experts_per_tok=2),
    "mixtral-8x22b": decoder(32000, 6144, 16384, 56, 48, 8, num_local_experts=8, num_experts_per_tok=2),
}
QWEN2: dict[str, Config] = {
    "qwen1.5-0.5b": decoder(151936, 1024, 2816, 24, 16, **TIED),
    "qwen1.5-1.8b": decoder(151936, 2048, 5504, 24, 16),
    "qwen1.5-4b": decoder(151936, 2560, 6912, 40, 20),
    "qwen1.5-7b": decoder(151936, 4096, 11008, 32, 32),
    "qwen1.5-14b": decoder(152064, 5120, 13696, 40, 40),
    "qwen1.5-32b": decoder(152064, 5120, 27392, 64, 40, 8),
    "qwen1.5-72b": decoder(152064, 8192, 24576, 80, 64),
    "qwen1.5-110b": decoder(152064, 8192, 49152, 80, 64, 8),
    "qwen2-0.5b": decoder(151936, 896, 4864, 24, 14, 2, **TIED),
    "qwen2-1.5b": decoder(151936, 1536, 8960, 28, 12, 2, **TIED),
    "qwen2-7b": decoder(152064, 3584, 18944, 28, 28, 4),
    "qwen2-72b": decoder(152064, 8192, 29568, 80, 64, 8),
    "qwen2.5-3b": decoder(151936, 2048, 11008, 36, 16, 2, **TIED),
    "qwen2.5-7b": decoder(152064, 3584, 18944, 28, 28, 4, **UNTIED),
    "qwen2.5-14b": decoder(152064, 5120, 13824, 48, 40, 8),
    "qwen2.5-32b": decoder(152064, 5120, 27648, 64, 40, 8),
    "deepseek-r1-distill-qwen-1.5b": decoder(151936, 1536, 8960, 28, 12, 2, **UNTIED),
}
QWEN3: dict[str, Config] = {
    "qwen3-0.6b": decoder(151936, 1024, 3072, 28, 16, 8, head_dim=128, **TIED),
    "qwen3-1.7b": decoder(151936, 2048, 6144, 28, 16, 8, head_dim=128, **TIED),
    "qwen3-4b": decoder(151936, 2560, 9728, 36, 32, 8, head_dim=128, **TIED),
    "qwen3-8b": decoder(151936, 4096, 12288, 36, 32, 8, head_dim=128),
    "qwen3-14b": decoder(151936, 5120, 17408, 40, 40, 8, head_dim=128),
    "qwen3-32b": decoder(151936, 5120, 25600, 64, 64, 8, head_dim=128),
}
GPT2: dict[str, Config] = {
    "distilgpt2": gpt2(768, 6, 12),
    "gpt2": gpt2(768, 12, 12),
    "gpt2-medium": gpt2(1024, 24, 16),
    "gpt2-large": gpt2(1280, 36, 20),
    "gpt2-xl": gpt2(1600, 48, 25),
}
BERT_BASE = encoder(30522, 768, 3072, 12, 12)
BERT_LARGE = encoder(30522, 1024, 4096, 24, 16)
BERT: dict[str, Entry] = {
    "bert-base-uncased": ("bert", "BertModel", BERT_BASE),
    "bert-base-uncased.pretraining": ("bert", "BertForPreTraining", BERT_BASE),
    "bert-base-uncased.masked": ("bert", "BertForMaskedLM", BERT_BASE),
    "bert-base-cased": ("bert", "BertModel", encoder(28996, 768, 3072, 12, 12)),
    "bert-base-multilingual-cased": ("bert", "BertModel", encoder(119547, 768, 3072, 12, 12)),
    "bert-base-chinese": ("bert", "BertModel", encoder(21128, 768, 3072, 12, 12)),
    "bert-large-uncased": ("bert", "BertModel", BERT_LARGE),
    "bert-large-uncased.pretraining": ("bert", "BertForPreTraining", BERT_LARGE),
    "bge-large-zh-v1.5": ("bert", "BertModel", encoder(21128, 1024, 4096, 24, 16)),
    "bge-small-en-v1.5": ("bert", "BertModel", encoder(30522, 384, 1536, 12, 12)),
    "all-minilm-l6-v2": ("bert", "BertModel", encoder(30522, 384, 1536, 6, 12)),
    "bert-tiny": ("bert", "BertModel", encoder(30522, 128, 512, 2, 2)),
    "bert-mini": ("bert", "BertModel", encoder(30522, 256, 1024, 4, 4)),
    "bert-small": ("bert", "BertModel", encoder(30522, 512, 2048, 4, 8)),
    "bert-medium": ("bert", "BertModel", encoder(30522, 512, 2048, 8, 8)),
}
QWEN_VL_VISION = {"depth": 32, "embed_dim": 1280, "num_heads": 16, "in_channels": 3, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}
OTHERS: dict[str, Entry] = {
    "albert-base-v2": ("albert", "AlbertModel", encoder(30000, 768, 3072, 12, 12, embedding_size=128)),
    "bart-base": ("bart", "BartModel", bart(50265, 768, 3072, 6, 12)),
    "bart-large": ("bart", "BartModel", bart(50265, 1024, 4096, 12, 16)),
    "bart-large-cnn": ("bart", "BartForConditionalGeneration", bart(50264, 1024, 4096, 12, 16)),
    "bloom-560m": ("bloom", "BloomForCausalLM", bloom(1024, 24, 16)),
    "bloom-1b1": ("bloom", "BloomForCausalLM", bloom(1536, 24, 16)),
    "bloom-1b7": ("bloom", "BloomForCausalLM", bloom(2048, 24, 16)),
    "bloom-3b": ("bloom", "BloomForCausalLM", bloom(2560, 30, 32)),
    "bloom-7b1": ("bloom", "BloomForCausalLM", bloom(4096, 30, 32)),
    "bloom-176b": ("bloom", "BloomForCausalLM", bloom(14336, 70, 112)),
    "clip-vit-base-patch32": ("clip", "CLIPModel", {"projection_dim": 512, "text_config": clip_text(512, 8), "vision_config": vit(768, 12, 12, image_size=224, patch_size=32, projection_dim=512)}),
    "clip-vit-base-patch16": ("clip", "CLIPModel", {"projection_dim": 512, "text_config": clip_text(512, 8), "vision_config": vit(768, 12, 12, image_size=224, patch_size=16, projection_dim=512)}),
    "clip-vit-large-patch14": ("clip", "CLIPModel", {"projection_dim": 768, "text_config": clip_text(768, 12), "vision_config": vit(1024, 24, 16, image_size=224, patch_size=14, projection_dim=768)}),
    "command-r-v01": ("cohere", "CohereForCausalLM", decoder(256000, 8192, 22528, 40, 64)),
    "convnext-tiny-224": ("convnext", "ConvNextForImageClassification", {"depths": [3, 3, 9, 3], "hidden_sizes": [96, 192, 384, 768], **labels(1000)}),
    "dbrx": ("dbrx", "DbrxForCausalLM", {"vocab_size": 100352, "d_model": 6144, "n_heads": 48, "n_layers": 40, "attn_config": {"kv_n_heads": 8, "clip_qkv": 8, "rope_theta": 500000}, "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}}),
    "deberta-v3-base": ("deberta-v2", "DebertaV2Model", encoder(128100, 768, 3072, 12, 12, relative_attention=True, position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type="p2c|c2p", type_vocab_size=0, position_biased_input=False, max_relative_positions=-1)),
    "deepseek-v2-lite": ("deepseek_v2", "DeepseekV2ForCausalLM", decoder(102400, 2048, 10944, 27, 16, moe_intermediate_size=1408, n_routed_experts=64, n_shared_experts=2, num_experts_per_tok=6, first_k_dense_replace=1, kv_lora_rank=512, q_lora_rank=None, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)),
    "deepseek-v3": ("deepseek_v3", "DeepseekV3ForCausalLM", decoder(129280, 7168, 18432, 61, 128, moe_intermediate_size=2048, n_routed_experts=256, n_shared_experts=1, num_experts_per_tok=8, first_k_dense_replace=3, kv_lora_rank=512, q_lora_rank=1536, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, n_group=8, topk_group=4)),
    "deit-base-distilled": ("deit", "DeiTForImageClassificationWithTeacher", vit(768, 12, 12, image_size=224, patch_size=16, **labels(1000))),
    "detr-resnet-50": ("detr", "DetrForObjectDetection", {"use_timm_backbone": False, "use_pretrained_backbone": False, "backbone": None, "backbone_config": {"model_type": "resnet", "out_features": ["stage1", "stage2", "stage3", "stage4"]}, **labels(91)}),
    "dinov2-small": ("dinov2", "Dinov2Model", {"hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 6, "image_size": 518, "patch_size": 14}),
    "dinov2-base": ("dinov2", "Dinov2Model", {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "image_size": 518, "patch_size": 14}),
    "dinov2-large": ("dinov2", "Dinov2Model", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "image_size": 518, "patch_size": 14}),
    "dinov2-giant": ("dinov2", "Dinov2Model", {"hidden_size": 1536, "num_hidden_layers": 40, "num_attention_heads": 24, "image_size": 518, "patch_size": 14, "use_swiglu_ffn": True}),
    "distilbert-base-uncased": ("distilbert", "DistilBertModel", {"vocab_size": 30522, "dim": 768, "hidden_dim": 3072, "n_layers": 6, "n_heads": 12}),
    "distilbert-sst2": ("distilbert", "DistilBertForSequenceClassification", {"vocab_size": 30522, "dim": 768, "hidden_dim": 3072, "n_layers": 6, "n_heads": 12}),
    "electra-small-discriminator": ("electra", "ElectraModel", encoder(30522, 256, 1024, 12, 4, embedding_size=128)),
    "electra-base-discriminator": ("electra", "ElectraModel", encoder(30522, 768, 3072, 12, 12, embedding_size=768)),
    "falcon-7b": ("falcon", "FalconForCausalLM", {"vocab_size": 65024, "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "multi_query": True, "parallel_attn": True, "bias": False, "new_decoder_architecture": False}),
    "falcon-40b": ("falcon", "FalconForCausalLM", {"vocab_size": 65024, "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8, "new_decoder_architecture": True, "parallel_attn": True, "bias": False}),
    "falcon-rw-1b": ("falcon", "FalconForCausalLM", {"vocab_size": 50304, "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32, "multi_query": False, "parallel_attn": False, "bias": True, "alibi": True, "new_decoder_architecture": False}),
    "gemma-2b": ("gemma", "GemmaForCausalLM", decoder(256000, 2048, 16384, 18, 8, 1, head_dim=256)),
    "gemma-7b": ("gemma", "GemmaForCausalLM", decoder(256000, 3072, 24576, 28, 16, head_dim=256)),
    "gemma-2-2b": ("gemma2", "Gemma2ForCausalLM", decoder(256000, 2304, 9216, 26, 8, 4, head_dim=256)),
    "gemma-2-9b": ("gemma2", "Gemma2ForCausalLM", decoder(256000, 3584, 14336, 42, 16, 8, head_dim=256)),
    "gemma-2-27b": ("gemma2", "Gemma2ForCausalLM", decoder(256000, 4608, 36864, 46, 32, 16, head_dim=128)),
    "gemma-3-1b": ("gemma3_text", "Gemma3ForCausalLM", decoder(262144, 1152, 6912, 26, 4, 1, head_dim=256)),
    "gpt-j-6b": ("gptj", "GPTJForCausalLM", {"vocab_size": 50400, "n_positions": 2048, "n_embd": 4096, "n_layer": 28, "n_head": 16, "rotary_dim": 64, "tie_word_embeddings": False}),
    "gpt-neo-125m": ("gpt_neo", "GPTNeoForCausalLM", {"vocab_size": 50257, "hidden_size": 768, "num_layers": 12, "num_heads": 12, "max_position_embeddings": 2048, "attention_types": [[["global", "local"], 6]]}),
    "gpt-neo-1.3b": ("gpt_neo", "GPTNeoForCausalLM", {"vocab_size": 50257, "hidden_size": 2048, "num_layers": 24, "num_heads": 16, "max_position_embeddings": 2048, "attention_types": [[["global", "local"], 12]]}),
    "gpt-neo-2.7b": ("gpt_neo", "GPTNeoForCausalLM", {"vocab_size": 50257, "hidden_size": 2560, "num_layers": 32, "num_heads": 20, "max_position_embeddings": 2048, "attention_types": [[["global", "local"], 16]]}),
    "gpt-neox-20b": ("gpt_neox", "GPTNeoXForCausalLM", neox(50432, 6144, 44, 64)),
    "gpt-oss-20b": ("gpt_oss", "GptOssForCausalLM", decoder(201088, 2880, 2880, 24, 64, 8, head_dim=64, num_local_experts=32, num_experts_per_tok=4)),
    "gpt-oss-120b": ("gpt_oss", "GptOssForCausalLM", decoder(201088, 2880, 2880, 36, 64, 8, head_dim=64, num_local_experts=128, num_experts_per_tok=4)),
    "llava-1.5-7b": ("llava", "LlavaForConditionalGeneration", {"text_config": {"model_type": "llama", **decoder(32064, 4096, 11008, 32, 32)}, "vision_config": {"model_type": "clip_vision_model", **vit(1024, 24, 16, image_size=336, patch_size=14, projection_dim=768, vocab_size=32000)}}),
    "mamba-130m": ("mamba", "MambaForCausalLM", {"vocab_size": 50280, "hidden_size": 768, "num_hidden_layers": 24, "state_size": 16}),
    "mamba-2.8b": ("mamba", "MambaForCausalLM", {"vocab_size": 50280, "hidden_size": 2560, "num_hidden_layers": 64, "state_size": 16}),
    "mbart-large-50": ("mbart", "MBartForConditionalGeneration", bart(250054, 1024, 4096, 12, 16)),
    "mpt-7b": ("mpt", "MptForCausalLM", {"vocab_size": 50432, "d_model": 4096, "n_heads": 32, "n_layers": 32, "max_seq_len": 2048}),
    "mpt-30b": ("mpt", "MptForCausalLM", {"vocab_size": 50432, "d_model": 7168, "n_heads": 64, "n_layers": 48, "max_seq_len": 8192}),
    "olmo-1b": ("olmo", "OlmoForCausalLM", decoder(50304, 2048, 8192, 16, 16, **TIED)),
    "olmo-7b": ("olmo", "OlmoForCausalLM", decoder(50304, 4096, 11008, 32, 32)),
    "olmo-2-7b": ("olmo2", "Olmo2ForCausalLM", decoder(100352, 4096, 11008, 32, 32)),
    "olmoe-1b-7b": ("olmoe", "OlmoeForCausalLM", decoder(50304, 2048, 1024, 16, 16, num_experts=64, num_experts_per_tok=8)),
    "opt-125m": ("opt", "OPTForCausalLM", opt(768, 12, 12)),
    "opt-350m": ("opt", "OPTForCausalLM", opt(1024, 24, 16, word_embed_proj_dim=512, do_layer_norm_before=False)),
    "opt-1.3b": ("opt", "OPTForCausalLM", opt(2048, 24, 32)),
    "opt-2.7b": ("opt", "OPTForCausalLM", opt(2560, 32, 32)),
    "opt-6.7b": ("opt", "OPTForCausalLM", opt(4096, 32, 32)),
    "opt-13b": ("opt", "OPTForCausalLM", opt(5120, 40, 40)),
    "opt-30b": ("opt", "OPTForCausalLM", opt(7168, 48, 56)),
    "opt-66b": ("opt", "OPTForCausalLM", opt(9216, 64, 72)),
    "opus-mt-en-de": ("marian", "MarianMTModel", bart(58101, 512, 2048, 6, 8, decoder_vocab_size=58101, max_position_embeddings=512)),
    "phi-1.5": ("phi", "PhiForCausalLM", decoder(51200, 2048, 8192, 24, 32)),
    "phi-2": ("phi", "PhiForCausalLM", decoder(51200, 2560, 10240, 32, 32)),
    "phi-3-mini": ("phi3", "Phi3ForCausalLM", decoder(32064, 3072, 8192, 32, 32)),
    "phi-3-medium": ("phi3", "Phi3ForCausalLM", decoder(32064, 5120, 17920, 40, 40, 10)),
    "phi-4": ("phi3", "Phi3ForCausalLM", decoder(100352, 5120, 17920, 40, 40, 10)),
    "pythia-70m": ("gpt_neox", "GPTNeoXForCausalLM", neox(50304, 512, 6, 8)),
    "pythia-160m": ("gpt_neox", "GPTNeoXForCausalLM", neox(50304, 768, 12, 12)),
    "pythia-410m": ("gpt_neox", "GPTNeoXForCausalLM", neox(50304, 1024, 24, 16)),
    "pythia-1b": ("gpt_neox", "GPTNeoXForCausalLM", neox(50304, 2048, 16, 8)),
    "pythia-1.4b": ("gpt_neox", "GPTNeoXForCausalLM", neox(50304, 2048, 24, 16)),
    "pythia-2.8b": ("gpt_neox", "GPTNeoXForCausalLM", neox(50304, 2560, 32, 32)),
    "pythia-6.9b": ("gpt_neox", "GPTNeoXForCausalLM", neox(50432, 4096, 32, 32)),
    "pythia-12b": ("gpt_neox", "GPTNeoXForCausalLM", neox(50688, 5120, 36, 40)),
    "qwen1.5-moe-a2.7b": ("qwen2_moe", "Qwen2MoeForCausalLM", decoder(151936, 2048, 5632, 24, 16, num_experts=60, num_experts_per_tok=4, moe_intermediate_size=1408, shared_expert_intermediate_size=5632)),
    "qwen2-57b-a14b": ("qwen2_moe", "Qwen2MoeForCausalLM", decoder(151936, 3584, 18944, 28, 28, 4, num_experts=64, num_experts_per_tok=8, moe_intermediate_size=2560, shared_expert_intermediate_size=20480)),
    "qwen2-vl-2b": ("qwen2_vl", "Qwen2VLForConditionalGeneration", {**TIED, "text_config": decoder(151936, 1536, 8960, 28, 12, 2, **TIED), "vision_config": {**QWEN_VL_VISION, "hidden_size": 1536, "mlp_ratio": 4}}),
    "qwen2.5-vl-7b": ("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", {"tie_word_embeddings": False, "text_config": decoder(152064, 3584, 18944, 28, 28, 4, **UNTIED), "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "in_channels": 3, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2, "out_hidden_size": 3584}}),
    "qwen3-30b-a3b": ("qwen3_moe", "Qwen3MoeForCausalLM", decoder(151936, 2048, 6144, 48, 32, 4, head_dim=128, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=768, decoder_sparse_step=1)),
    "qwen3-235b-a22b": ("qwen3_moe", "Qwen3MoeForCausalLM", decoder(151936, 4096, 12288, 94, 64, 4, head_dim=128, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=1536, decoder_sparse_step=1)),
    "resnet-50": ("resnet", "ResNetForImageClassification", {"depths": [3, 4, 6, 3], "hidden_sizes": [256, 512, 1024, 2048], "embedding_size": 64, "layer_type": "bottleneck", **labels(1000)}),
    "roberta-base": ("roberta", "RobertaModel", encoder(50265, 768, 3072, 12, 12, max_position_embeddings=514, type_vocab_size=1)),
    "roberta-large": ("roberta", "RobertaModel", encoder(50265, 1024, 4096, 24, 16, max_position_embeddings=514, type_vocab_size=1)),
    "siglip-base-patch16-224": ("siglip", "SiglipModel", {"text_config": vit(768, 12, 12, vocab_size=32000, max_position_embeddings=64), "vision_config": vit(768, 12, 12, image_size=224, patch_size=16)}),
    "stablelm-3b-4e1t": ("stablelm", "StableLmForCausalLM", decoder(50304, 2560, 6912, 32, 32)),
    "stablelm-2-1.6b": ("stablelm", "StableLmForCausalLM", decoder(100352, 2048, 5632, 24, 32, use_qkv_bias=True)),
    "starcoder": ("gpt_bigcode", "GPTBigCodeForCausalLM", {"vocab_size": 49152, "n_positions": 8192, "n_embd": 6144, "n_layer": 40, "n_head": 48, "n_inner": 24576, "multi_query": True}),
    "starcoder2-3b": ("starcoder2", "Starcoder2ForCausalLM", decoder(49152, 3072, 12288, 30, 24, 2)),
    "starcoder2-7b": ("starcoder2", "Starcoder2ForCausalLM", decoder(49152, 4608, 18432, 32, 36, 4)),
    "swin-tiny-patch4-window7-224": ("swin", "SwinForImageClassification", {"embed_dim": 96, "depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24], "window_size": 7, **labels(1000)}),
    "t5-small": ("t5", "T5ForConditionalGeneration", t5(512, 2048, 6, 8)),
    "t5-base": ("t5", "T5ForConditionalGeneration", t5(768, 3072, 12, 12)),
    "t5-large": ("t5", "T5ForConditionalGeneration", t5(1024, 4096, 24, 16)),
    "t5-3b": ("t5", "T5ForConditionalGeneration", t5(1024, 16384, 24, 32, 128)),
    "t5-11b": ("t5", "T5ForConditionalGeneration", t5(1024, 65536, 24, 128, 128)),
    "vit-base-patch16-224": ("vit", "ViTForImageClassification", vit(768, 12, 12, **labels(1000))),
    "vit-base-patch16-224-in21k": ("vit", "ViTModel", vit(768, 12, 12)),
    "vit-large-patch16-224": ("vit", "ViTForImageClassification", vit(1024, 24, 16, **labels(1000))),
    "wav2vec2-base": ("wav2vec2", "Wav2Vec2Model", {}),
    "whisper-tiny": ("whisper", "WhisperForConditionalGeneration", whisper(384, 4, 6)),
    "whisper-base": ("whisper", "WhisperForConditionalGeneration", whisper(512, 6, 8)),
    "whisper-small": ("whisper", "WhisperForConditionalGeneration", whisper(768, 12, 12)),
    "whisper-medium": ("whisper", "WhisperForConditionalGeneration", whisper(1024, 24, 16)),
    "whisper-large-v2": ("whisper", "WhisperForConditionalGeneration", whisper(1280, 32, 20)),
    "whisper-large-v3": ("whisper", "WhisperForConditionalGeneration", whisper(1280, 32, 20, vocab_size=51866, num_mel_bins=128)),
    "whisper-large-v3-turbo": ("whisper", "WhisperForConditionalGeneration", whisper(1280, 32, 20, vocab_size=51866, num_mel_bins=128, decoder_layers=4)),
    "xlm-roberta-base.masked": ("xlm-roberta", "XLMRobertaForMaskedLM", encoder(250002, 768, 3072, 12, 12, max_position_embeddings=514, type_vocab_size=1)),
}
# Untied T5: transformers 5 ties it whatever the config states, so that only 4 gives the published count.
OLDER: dict[str, Entry] = {
    "flan-t5-small": ("t5", "T5ForConditionalGeneration", t5(512, 1024, 8, 6, feed_forward_proj="gated-gelu", **UNTIED)),
    "flan-t5-base": ("t5", "T5ForConditionalGeneration", t5(768, 2048, 12, 12, feed_forward_proj="gated-gelu", **UNTIED)),
    "flan-t5-large": ("t5", "T5ForConditionalGeneration", t5(1024, 2816, 24, 16, feed_forward_proj="gated-gelu", **UNTIED)),
    "flan-t5-xl": ("t5", "T5ForConditionalGeneration", t5(2048, 5120, 24, 32, feed_forward_proj="gated-gelu", **UNTIED)),
    "flan-t5-xxl": ("t5", "T5ForConditionalGeneration", t5(4096, 10240, 24, 64, feed_forward_proj="gated-gelu", **UNTIED)),
}

# Totals from papers, model cards and published files.
PUBLISHED: dict[str, int] = {
    "bert-base-uncased": 109_482_240,
    "bert-base-uncased.pretraining": 110_106_428,
    "bert-large-uncased": 335_141_888,
    "bge-large-zh-v1.5": 325_522_432,
    "bloom-176b": 176_247_271_424,
    "clip-vit-base-patch32": 151_277_313,
    "clip-vit-large-patch14": 427_616_513,
    "codestral-22b": 22_247_282_688,
    "deepseek-coder-33b": 33_342_991_360,
    "deepseek-llm-7b": 6_910_365_696,
    "deepseek-r1-distill-qwen-1.5b": 1_777_088_000,
    "deepseek-v2-lite": 15_706_484_224,
    "deepseek-v3": 671_026_404_352,
    "flan-t5-base": 247_577_856,
    "gemma-2b": 2_506_172_416,
    "gemma-7b": 8_537_680_896,
    "gemma-2-2b": 2_614_341_888,
    "gemma-2-9b": 9_241_705_984,
    "gemma-2-27b": 27_227_128_320,
    "gpt-j-6b": 6_050_882_784,
    "gpt-oss-20b": 20_914_757_184,
    "gpt-oss-120b": 116_829_156_672,
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "granite-3b-code": 3_482_503_680,
    "llama-7b": 6_738_415_616,
    "llama-13b": 13_015_864_320,
    "llama-65b": 65_285_660_672,
    "llama-2-70b": 68_976_648_192,
    "codellama-34b": 33_743_970_304,
    "llama-3-8b": 8_030_261_248,
    "llama-3-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "llava-1.5-7b": 7_063_427_072,
    "mistral-7b-v0.1": 7_241_732_096,
    "mistral-7b-v0.3": 7_248_023_552,
    "mistral-small-24b": 23_572_403_200,
    "mistral-large-123b": 122_610_069_504,
    "mixtral-8x7b": 46_702_792_704,
    "mixtral-8x7b-dolphin": 46_702_809_088,
    "phi-2": 2_779_683_840,
    "phi-3-mini": 3_821_079_552,
    "phi-4": 14_659_507_200,
    "qwen1.5-7b": 7_721_324_544,
    "qwen2-7b": 7_615_616_512,
    "qwen2-72b": 72_706_203_648,
    "qwen2.5-7b": 7_615_616_512,
    "qwen2.5-14b": 14_770_033_664,
    "qwen2.5-32b": 32_763_876_352,
    "qwen3-4b": 4_022_468_096,
    "qwen3-8b": 8_190_735_360,
    "qwen3-14b": 14_768_307_200,
    "qwen3-32b": 32_762_123_264,
    "qwen3-30b-a3b": 30_532_122_624,
    "resnet-50": 25_557_032,
    "smollm2-135m": 134_515_008,
    "smollm2-360m": 361_821_120,
    "smollm2-1.7b": 1_711_376_384,
    "solar-10.7b": 10_731_524_096,
    "t5-small": 60_506_624,
    "t5-base": 222_903_552,
    "t5-large": 737_668_096,
    "tinyllama-1.1b": 1_100_048_384,
    "vit-base-patch16-224": 86_567_656,
    "whisper-small": 241_734_912,
    "whisper-large-v3": 1_543_490_560,
    "yi-6b": 6_061_035_520,
    "yi-34b": 34_388_917_248,
}
# fmt: on


def entries() -> dict[str, Entry]:
    """All published models by name."""
    families = (
        ("llama", "LlamaForCausalLM", LLAMA),
        ("mistral", "MistralForCausalLM", MISTRAL),
        ("mixtral", "MixtralForCausalLM", MIXTRAL),
        ("qwen2", "Qwen2ForCausalLM", QWEN2),
        ("qwen3", "Qwen3ForCausalLM", QWEN3),
        ("gpt2", "GPT2LMHeadModel", GPT2),
    )
    found = {name: (kind, owner, config) for kind, owner, models in families for name, config in models.items()}
    return {**found, **BERT, **OTHERS, **OLDER}


def count(entry: Entry) -> int:
    """Parameters of a model as transformers builds it, without allocating it."""
    import torch  # type: ignore[import-not-found]
    import transformers  # type: ignore[import-not-found]

    model_type, owner, config = entry
    configuration = transformers.CONFIG_MAPPING[model_type].from_dict(json.loads(json.dumps(config)))
    with torch.device("meta"):
        model = getattr(transformers, owner)(configuration)
    model.tie_weights()
    return sum(parameter.numel() for parameter in model.parameters())


def text_of(name: str, entry: Entry, parameters: int, source: str) -> str:
    model_type, owner, config = entry
    document = json.dumps({"model_type": model_type, "architectures": [owner], **config})
    if "'" in document:
        raise ValueError(name)
    return f'[[model]]\nname = "{name}"\nmodel_type = "{model_type}"\nclass = "{owner}"\nparameters = {parameters}\nsource = "{source}"\nconfig = \'{document}\'\n'


def source_of(name: str, version: str) -> str:
    origin = f"transformers {version} on torch's meta device from the published hyperparameters"
    return f"{origin}; the published total" if name in PUBLISHED else origin


def main() -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers

    transformers.logging.set_verbosity_error()
    newest = transformers.__version__.startswith("5")
    before = tomllib.loads(TARGET.read_text(encoding="utf-8"))["model"] if TARGET.exists() else []
    known: dict[str, Mapping[str, Any]] = {model["name"]: model for model in before}
    blocks, wrong = [], []
    for name, entry in entries().items():
        own = newest != (name in OLDER)  # whether the count of this version is written
        try:
            parameters = count(entry)
        except Exception as error:
            parameters, own = -1, False
            wrong.append(f"{name}: {type(error).__name__}: {error}"[:300])
        if not own and name in known:
            model = known[name]
            if parameters not in (model["parameters"], -1):
                print(
                    f"{name}: {parameters:,} by transformers {transformers.__version__}, {model['parameters']:,} in the file"
                )
            blocks.append(text_of(name, entry, model["parameters"], model["source"]))
        elif own:
            if PUBLISHED.get(name, parameters) != parameters:
                wrong.append(f"{name}: {parameters:,} counted, {PUBLISHED[name]:,} published")
            blocks.append(text_of(name, entry, parameters, source_of(name, transformers.__version__)))
    head = "# Published models: made by tests/oracle/make_published.py, which says what the keys mean.\n"
    TARGET.write_text("\n".join([head, *blocks]), encoding="utf-8")
    print(f"{len(blocks)} models written by transformers {transformers.__version__}")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
