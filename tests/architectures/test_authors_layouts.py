"""Layouts of the authors' code under a model type that transformers has too."""

from __future__ import annotations

from typing import Any

from inspector.auditing.result import Audit
from tests.checkpoints import Spec, genuine
from tests.judged import base_record, codes, judged, spec_of

QWEN3: dict[str, Any] = {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 64, "intermediate_size": 96,
    "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 300,
    "tie_word_embeddings": True,
}  # fmt: skip
QWEN2: dict[str, Any] = {**QWEN3, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
AUDIO: dict[str, Any] = {
    "model_type": "qwen3_omni_moe_audio_encoder", "num_mel_bins": 128, "d_model": 48, "encoder_layers": 3,
    "encoder_attention_heads": 6, "encoder_ffn_dim": 80, "downsample_hidden_size": 20, "output_dim": 64,
    "max_source_positions": 1500, "n_window": 50, "conv_chunksize": 500, "n_window_infer": 800,
}  # fmt: skip
PHI4MM: dict[str, Any] = {
    "model_type": "phi4mm", "architectures": ["Phi4MMForCausalLM"], "hidden_size": 48, "intermediate_size": 80,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 130,
    "tie_word_embeddings": True, "speech_lora": {"r": 6}, "vision_lora": {"r": 5},
    "audio_processor": {"name": "cascades", "config": {
        "attention_dim": 32, "attention_heads": 4, "linear_units": 40, "num_blocks": 2, "input_size": 80,
        "kernel_size": 3, "ext_pw_out_channel": 32, "depthwise_seperable_out_channel": 32, "time_reduction": 8,
        "depthwise_multiplier": 1,
        "nemo_conv_settings": {"conv_channels": 32},
        "relative_attention_bias_args": {"t5_bias_max_distance": 50, "type": "t5"}}},
    "embd_layer": {
        "audio_embd_layer": {"embedding_cls": "audio", "projection_cls": "mlp", "downsample_rate": 1},
        "embedding_cls": "image_audio",
        "image_embd_layer": {"embedding_cls": "tune_image", "projection_cls": "mlp", "crop_size": 448,
                             "use_hd_transform": True, "with_learnable_separator": True}},
}  # fmt: skip


def exact(audited: Audit, definition: str) -> None:
    assert audited.architecture is not None
    assert audited.architecture.name == definition
    assert codes(audited) == set(), audited.findings
    assert audited.counts.unique_parameters == audited.counts.expected_parameters


def test_permanent_adapter_layers_are_not_an_unmerged_adapter() -> None:
    spec = genuine(PHI4MM)
    assert spec["model.layers.0.self_attn.qkv_proj.lora_A.speech.weight"][1] == (6, 48)
    exact(judged(spec, PHI4MM), "phi4mm")
    within = judged({f"base_model.model.{name}": entry for name, entry in spec.items()}, PHI4MM)
    assert "A910" in codes(within)


def test_a_lost_adapter_layer_of_such_a_model_is_reported() -> None:
    spec: Spec = dict(genuine(PHI4MM))
    del spec["model.layers.1.self_attn.qkv_proj.lora_B.vision.weight"]
    assert codes(judged(spec, PHI4MM)) == {"N403"}


def test_qwen3_asr_inside_a_thinker() -> None:
    inside = {"model_type": "qwen3_asr", "text_config": {**QWEN3, "model_type": "qwen3_asr"}, "audio_config": AUDIO}
    config = {"model_type": "qwen3_asr", "architectures": ["Qwen3ASRForConditionalGeneration"],
              "thinker_config": inside, "transformers_version": "4.57.6"}  # fmt: skip
    omni = {"model_type": "qwen3_omni_moe_thinker", "architectures": ["Qwen3OmniMoeThinkerForConditionalGeneration"],
            "audio_config": AUDIO, "vision_config": {"model_type": "qwen3_omni_moe_vision_encoder"},
            "text_config": {**QWEN3, "model_type": "qwen3_omni_moe_text"}}  # fmt: skip
    tower = {name: entry for name, entry in genuine(omni).items() if name.startswith("audio_tower")}
    spec = {"thinker." + name: entry for name, entry in (tower | dict(genuine(QWEN3))).items()}
    audited = judged(spec, config)
    assert codes(audited) == set(), audited.findings
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    assert not audited.counts.unexplained


def test_kimi_under_the_authors_names() -> None:
    record = base_record("kimi_k25", "ForConditionalGeneration")
    config = {"model_type": "kimi_k25", "architectures": [record["class"]], **record["config"]}
    renames = {
        "language_model.model.blocks.": "language_model.model.layers.",
        "vision_tower.encoder.patch_embed.proj": "vision_tower.patch_embed.proj",
        "model.mm_projector.pre_norm": "mm_projector.pre_norm",
    }
    spec: Spec = {}
    for name, entry in spec_of(record).items():
        before = next((old for old in renames if name.startswith(old)), None)
        spec[renames[before] + name.removeprefix(before) if before else name] = entry
    assert set(spec) != set(spec_of(record))
    exact(judged(spec, config), "kimi_k25")


def test_a_config_of_other_code_under_the_name_of_a_type_is_undecided() -> None:
    spec = {name.replace("model.", "model.language_model."): entry for name, entry in genuine(QWEN2).items()}
    for index in range(3):
        spec[f"model.prediction_head.layers.{index}.ffn.up_proj.weight"] = ("BF16", (96, 64))
    config = {"model_type": "vibevoice", "architectures": ["VibeVoiceForConditionalGeneration"], "acoustic_vae_dim": 64,
              "acoustic_tokenizer_config": {"model_type": "vibevoice_acoustic_tokenizer", "encoder_depths": "3-3-3"},
              "decoder_config": QWEN2, "diffusion_head_config": {"model_type": "vibevoice_diffusion_head"}}  # fmt: skip
    audited = judged(spec, config)
    assert codes(audited) == set(), audited.findings
    assert "N412" in {finding.code for finding in audited.findings}


def test_impossible_sizes_of_a_part_that_the_class_lacks_are_accepted() -> None:
    record = base_record("moshi", "ForCausalLM")
    config = {"model_type": "moshi", "architectures": [record["class"]], **record["config"]}
    depth = {**config.get("depth_decoder_config", {}), "hidden_size": 50, "num_attention_heads": 7}
    exact(judged(spec_of(record), {**config, "depth_decoder_config": depth}), "moshi")
