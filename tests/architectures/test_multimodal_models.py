"""Definitions of authors' own code that no record exercises: published totals, and listings with one fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from inspector.architectures.catalog import modules
from inspector.formulas import formula
from inspector.loader.config_file import Config
from tests.checkpoints import genuine
from tests.judged import Spec, codes, judged


class Published(NamedTuple):
    """A model as published. total: its parameters, with as many digits as are known; None if nobody counted them.

    lost: a tensor to remove. wrong: a key of the config with a wrong value, as "part.key".
    """

    config: Mapping[str, Any]
    total: str | None
    lost: str
    wrong: tuple[str, Any]


QWEN2_72B = {
    "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 8192, "intermediate_size": 29568,
    "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8, "vocab_size": 152064,
    "tie_word_embeddings": False,
}  # fmt: skip
INTERN_VIT_300M = {
    "model_type": "intern_vit_6b", "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16,
    "num_hidden_layers": 24, "image_size": 448, "patch_size": 14, "norm_type": "layer_norm", "qkv_bias": True,
    "qk_normalization": False,
}  # fmt: skip
INTERN_VIT_6B = {
    **INTERN_VIT_300M, "hidden_size": 3200, "intermediate_size": 12800, "num_attention_heads": 25,
    "num_hidden_layers": 45, "norm_type": "rms_norm", "qkv_bias": False, "qk_normalization": True,
}  # fmt: skip
COGVLM = {
    "architectures": ["CogVLMForCausalLM"], "hidden_size": 4096, "intermediate_size": 11008, "vocab_size": 32000,
    "num_attention_heads": 32, "num_hidden_layers": 32, "tie_word_embeddings": False, "template_version": "chat",
    "vision_config": {
        "dropout_prob": 0.0, "hidden_act": "gelu", "hidden_size": 1792, "image_size": 490, "in_channels": 3,
        "intermediate_size": 15360, "layer_norm_eps": 1e-06, "num_heads": 16, "num_hidden_layers": 63,
        "num_positions": 1226, "patch_size": 14,
    },
}  # fmt: skip
COGVLM2 = {
    **COGVLM, "intermediate_size": 14336, "num_multi_query_heads": 8, "vocab_size": 128256,
    "vision_config": {**COGVLM["vision_config"], "image_size": 1344, "num_positions": 9217},  # type: ignore[dict-item]
}  # fmt: skip
XCOMPOSER = {
    "model_type": "internlm2", "architectures": ["InternLMXComposer2ForCausalLM"], "bias": False, "hidden_size": 4096,
    "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32,
    "vocab_size": 92544, "tie_word_embeddings": False, "max_length": 16384,
}  # fmt: skip
QWEN3_8B = {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 4096, "intermediate_size": 12288,
    "head_dim": 128, "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 36,
    "vocab_size": 151936, "attention_bias": False, "tie_word_embeddings": False,
}  # fmt: skip
QWEN2_7B = {
    "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 3584, "intermediate_size": 18944,
    "num_attention_heads": 28, "num_key_value_heads": 4, "num_hidden_layers": 28, "vocab_size": 152064,
    "tie_word_embeddings": False,
}  # fmt: skip
SO400M = {
    "model_type": "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16,
    "num_hidden_layers": 27, "image_size": 384, "patch_size": 14, "num_channels": 3, "vision_use_head": False,
}  # fmt: skip
PUBLISHED = {
    "THUDM/cogvlm-chat-hf": Published(
        COGVLM, "17639685376", "model.vision.linear_proj.gate_proj.weight", ("vision_config.intermediate_size", 15000)
    ),
    "THUDM/cogvlm2-llama3-chat-19B": Published(
        COGVLM2,
        "19.5B",
        "model.layers.3.self_attn.vision_expert_query_key_value.bias",
        ("num_multi_query_heads", 4),
    ),
    "nvidia/NVLM-D-72B": Published(
        {
            "model_type": "NVLM_D",
            "architectures": ["NVLM_D"],
            "downsample_ratio": 0.5,
            "llm_config": QWEN2_72B,
            "vision_config": INTERN_VIT_6B,
        },
        "79.4B",
        "mlp1.3.weight",
        ("llm_config.hidden_size", 4096),
    ),
    "h2oai/h2ovl-mississippi-800m": Published(
        {
            "model_type": "h2ovl_chat",
            "architectures": ["H2OVLChatModel"],
            "downsample_ratio": 0.5,
            "vision_config": INTERN_VIT_300M,
            "llm_config": {
                "model_type": "llama",
                "architectures": ["LlamaForCausalLM"],
                "hidden_size": 1536,
                "intermediate_size": 4096,
                "num_attention_heads": 16,
                "num_key_value_heads": 8,
                "num_hidden_layers": 16,
                "vocab_size": 32010,
                "tie_word_embeddings": False,
            },
        },
        "826M",
        "vision_model.encoder.layers.5.ls2",
        ("llm_config.intermediate_size", 4000),
    ),
    "internlm/internlm-xcomposer2d5-7b": Published(
        XCOMPOSER, None, "model.layers.9.feed_forward.w2.Plora_B.weight", ("num_key_value_heads", 4)
    ),
    "openvla/openvla-7b": Published(
        {
            "model_type": "openvla",
            "architectures": ["OpenVLAForActionPrediction"],
            "vision_backbone_id": "dinosiglip-vit-so-224px",
            "text_config": {
                "model_type": "llama",
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "num_attention_heads": 32,
                "num_hidden_layers": 32,
                "vocab_size": 32064,
            },
        },
        "7541237184",
        "vision_backbone.fused_featurizer.attn_pool.latent",
        ("text_config.intermediate_size", 11000),
    ),
    "xlangai/OpenCUA-7B": Published(
        {
            "model_type": "opencua",
            "architectures": ["OpenCUAForConditionalGeneration"],
            "text_config": QWEN2_7B,
            "vision_config": {
                "model_type": "qwen2_5_vl",
                "depth": 32,
                "hidden_size": 1280,
                "intermediate_size": 3420,
                "num_heads": 16,
                "out_hidden_size": 3584,
                "patch_size": 14,
                "spatial_merge_size": 2,
                "temporal_patch_size": 2,
            },
        },
        "8.29B",
        "vision_tower.merger.mlp.0.bias",
        ("text_config.num_key_value_heads", 7),
    ),
    "PerceptronAI/Isaac-0.1": Published(
        {
            "model_type": "isaac",
            "architectures": ["IsaacForConditionalGeneration"],
            "hidden_size": 2048,
            "intermediate_size": 6144,
            "head_dim": 128,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "num_hidden_layers": 28,
            "vocab_size": 151936,
            "attention_bias": False,
            "tie_word_embeddings": False,
            "pixel_shuffle_scale": 2,
            "vision_config": {
                "model_type": "pixel_shuffle_siglip2",
                "hidden_size": 1152,
                "intermediate_size": 4304,
                "num_attention_heads": 16,
                "num_hidden_layers": 27,
                "num_patches": 256,
                "patch_size": 16,
            },
        },
        "2.57B",
        "model.vision_embedding.3.weight",
        ("pixel_shuffle_scale", 1),
    ),
    "internlm/Intern-S1-mini": Published(
        {
            "model_type": "interns1",
            "architectures": ["InternS1ForConditionalGeneration"],
            "downsample_ratio": 0.5,
            "text_config": {**QWEN3_8B, "vocab_size": 153216},
            "vision_config": {
                "model_type": "interns1_vision",
                "hidden_size": 1024,
                "intermediate_size": 4096,
                "num_attention_heads": 16,
                "num_hidden_layers": 24,
                "image_size": [448, 448],
                "num_channels": 3,
                "patch_size": [14, 14],
                "attention_bias": True,
                "use_qk_norm": False,
                "norm_type": "layer_norm",
                "use_absolute_position_embeddings": True,
                "use_mean_pooling": True,
            },
        },
        "8.54B",
        "model.vision_tower.encoder.layer.7.lambda_1",
        ("text_config.head_dim", 64),
    ),
    "Open-Bee/Bee-8B-RL": Published(
        {
            "model_type": "bee",
            "architectures": ["BeeForConditionalGeneration"],
            "text_config": QWEN3_8B,
            "vision_config": SO400M,
        },
        None,
        "model.multi_modal_projector.pre_norm.bias",
        ("text_config.intermediate_size", 12000),
    ),
    "stepfun-ai/Step3-VL-10B": Published(
        {
            "model_type": "step_robotics",
            "architectures": ["StepVLForConditionalGeneration"],
            "projector_bias": False,
            "text_config": QWEN3_8B,
            "vision_config": {
                "image_size": 728,
                "patch_size": 14,
                "width": 1536,
                "layers": 47,
                "heads": 16,
                "mlp_ratio": 5.833333333333333,
                "num_channels": 3,
            },
        },
        None,
        "vit_large_projector.weight",
        ("text_config.intermediate_size", 12000),
    ),
    "sbintuitions/sarashina2-vision-8b": Published(
        {
            "model_type": "sarashina2_vision",
            "architectures": ["Sarashina2VisionForCausalLM"],
            "text_config": {
                "model_type": "llama",
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "num_attention_heads": 32,
                "num_hidden_layers": 32,
                "vocab_size": 102400,
            },
            "vision_config": {"model_type": "qwen2_vl", "depth": 32, "embed_dim": 1280, "hidden_size": 4096},
        },
        None,
        "norm.bias",
        ("text_config.intermediate_size", 11000),
    ),
    "mispeech/midashenglm-7b": Published(
        {
            "model_type": "midashenglm",
            "architectures": ["MiDashengLMModel"],
            "subsample_factor": 5,
            "text_config": {**QWEN2_7B, "model_type": "qwen2_5_omni_text"},
            "audio_encoder_config": {
                "model_type": "midashenglm_dasheng_encoder",
                "depth": 32,
                "embed_dim": 1280,
                "num_heads": 16,
                "mlp_ratio": 4.0,
                "patch_size": [64, 4],
                "patch_stride": [64, 4],
                "target_length": 1008,
                "n_mels": 64,
            },
        },
        "8.3B",
        "audio_encoder.freq_pos_embed",
        ("audio_encoder_config.target_length", 1012),
    ),
    "moonshotai/Kimi-Audio-7B-Instruct": Published(
        {
            **QWEN2_7B,
            "model_type": "kimi_audio",
            "architectures": ["MoonshotKimiaForCausalLM"],
            "vocab_size": 168448,
            "kimia_mimo_layers": 6,
            "kimia_adaptor_input_dim": 5120,
            "use_whisper_feature": True,
        },
        "9.77B",
        "model.vq_adaptor.layers.4.bias",
        ("kimia_mimo_layers", 5),
    ),
}


def as_config(name: str) -> dict[str, Any]:
    return dict(PUBLISHED[name].config)


def listing(name: str) -> Spec:
    """The tensors that the definition gives; that of a class alone decides where one has the class's name."""
    config = as_config(name)
    declared = config["architectures"][0]
    return genuine({**config, "model_type": declared} if declared in modules() else config)


@pytest.mark.parametrize("name", [name for name, one in PUBLISHED.items() if one.total])
def test_the_formula_gives_the_published_total(name: str) -> None:
    total = formula(Config("config.json", as_config(name), "config")).total
    stated = PUBLISHED[name].total
    assert total is not None and stated is not None
    known = stated.rstrip("BM")
    unit = {"B": 10**9, "M": 10**6}.get(stated[-1], 1)
    assert round(total / unit, len(known.partition(".")[2])) == float(known)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_listing_is_healthy(name: str) -> None:
    config = as_config(name)
    assert codes(judged(listing(name), config)) == set()


@pytest.mark.thinned
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_lost_tensor_is_found(name: str) -> None:
    config, lost = as_config(name), PUBLISHED[name].lost
    spec = dict(listing(name))
    del spec[lost]
    audited = judged(spec, config)
    assert any(lost in str(finding) for finding in audited.findings), audited.findings


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_wrong_key_is_found(name: str) -> None:
    config, (key, value) = as_config(name), PUBLISHED[name].wrong
    part, _, own = key.rpartition(".")
    changed = {**config, part: {**config[part], own: value}} if part else {**config, own: value}
    audited = judged(listing(name), changed)
    assert any(own in finding.message for finding in audited.findings), audited.findings
