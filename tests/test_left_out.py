"""Configs of full-size models as published: with omitted defaults, nulls and keys in older places."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.formulas import formula
from inspector.loader.config_file import Config
from tests.judged import codes, judged, records, spec_of

VISION_14: dict[str, Any] = {
    "hidden_size": 1024, "image_size": 224, "intermediate_size": 4096, "num_attention_heads": 16,
    "num_hidden_layers": 24, "patch_size": 14, "projection_dim": 768,
}  # fmt: skip
TEXT_14: dict[str, Any] = {"hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12,
                           "num_hidden_layers": 12, "projection_dim": 768}  # fmt: skip
PIXTRAL = {"model_type": "pixtral", "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
           "num_hidden_layers": 24, "patch_size": 14, "image_size": 1540, "head_dim": 64}  # fmt: skip
PUBLISHED: dict[str, tuple[int, dict[str, Any]]] = {
    "Mistral-Small-3.1": (24_011_361_280, {
        "model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"], "vision_config": PIXTRAL,
        "text_config": {
            "model_type": "mistral", "head_dim": 128, "hidden_size": 5120, "intermediate_size": 32768,
            "num_attention_heads": 32, "num_hidden_layers": 40, "num_key_value_heads": 8, "vocab_size": 131072,
        },
        "multimodal_projector_bias": False, "spatial_merge_size": 2, "vision_feature_layer": -1,
    }),
    "CLIP L/14, older keys": (427_616_513, {
        "model_type": "clip", "architectures": ["CLIPModel"], "projection_dim": 768, "text_config": None,
        "vision_config": None, "text_config_dict": TEXT_14, "vision_config_dict": VISION_14,
    }),
    "CLIP L/14, both keys": (427_616_513, {
        "model_type": "clip", "architectures": ["CLIPModel"], "projection_dim": 768, "text_config": {"hidden_size": 1},
        "vision_config": VISION_14, "text_config_dict": TEXT_14, "vision_config_dict": None,
    }),
    "LLaVA 1.5 7B": (7_063_427_072, {
        "model_type": "llava", "architectures": ["LlavaForConditionalGeneration"],
        "text_config": {"model_type": "llama", "vocab_size": 32064, "max_position_embeddings": 4096},
        "vision_config": {**VISION_14, "image_size": 336, "model_type": "clip_vision_model"},
    }),
    "DeepSeek-V2-Lite": (15_706_484_224, {
        "model_type": "deepseek_v2", "architectures": ["DeepseekV2ForCausalLM"], "hidden_size": 2048,
        "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 27, "num_attention_heads": 16,
        "num_key_value_heads": 16, "n_shared_experts": 2, "n_routed_experts": 64, "kv_lora_rank": 512,
        "q_lora_rank": None, "first_k_dense_replace": 1, "vocab_size": 102400,
    }),
    "Mistral 7B": (7_241_732_096, {"model_type": "mistral", "architectures": ["MistralForCausalLM"]}),
    "Phi-2": (2_779_683_840, {
        "model_type": "phi", "architectures": ["PhiForCausalLM"], "hidden_size": 2560, "intermediate_size": 10240,
        "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": None, "vocab_size": 51200,
    }),
    "Falcon 7B": (6_921_720_704, {
        "model_type": "falcon", "architectures": ["FalconForCausalLM"], "bias": False, "hidden_size": 4544,
        "num_attention_heads": 71, "num_hidden_layers": 32, "vocab_size": 65024,
    }),
    "MPT 7B": (6_649_286_656, {
        "model_type": "mpt", "architectures": ["MPTForCausalLM"], "d_model": 4096, "n_heads": 32, "n_layers": 32,
        "vocab_size": 50432,
    }),
    "Whisper tiny": (37_760_640, {
        "model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "d_model": 384,
        "encoder_layers": 4, "decoder_layers": 4, "encoder_attention_heads": 6, "decoder_attention_heads": 6,
        "encoder_ffn_dim": 1536, "decoder_ffn_dim": 1536,
    }),
    "RWKV 169M": (169_342_464, {
        "model_type": "rwkv", "architectures": ["RwkvForCausalLM"], "hidden_size": 768, "num_hidden_layers": 12,
        "vocab_size": 50277,
    }),
    "Jamba": (51_570_323_328, {"model_type": "jamba", "architectures": ["JambaForCausalLM"]}),
    "T5 small": (60_506_624, {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}),
    "Command-R": (34_980_831_232, {"model_type": "cohere", "architectures": ["CohereForCausalLM"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_formula_gives_the_published_count(name: str) -> None:
    parameters, config = PUBLISHED[name]
    assert formula(Config("config.json", config, "config")).total == parameters


@pytest.mark.parametrize("model_type", ["mistral3", "internvl", "gemma3", "aya_vision", "llava"])
@pytest.mark.parametrize("left_out", [(), ("transformers_version",), ("transformers_version", "tie_word_embeddings")])
def test_an_untied_head_counts_whatever_version_wrote_the_config(model_type: str, left_out: tuple[str, ...]) -> None:
    record = next(one for one in records(model_type) if any("lm_head.weight" in name for name in one["tensors"]))
    config = {key: value for key, value in record["config"].items() if key not in left_out}
    audited = judged(spec_of(record), {**config, "model_type": model_type, "architectures": [record["class"]]})
    assert (audited.verdict, codes(audited)) == ("clean", set())
    assert audited.counts.unique_parameters == sum(layout.elements for layout in audited.checkpoint.tensors.values())
