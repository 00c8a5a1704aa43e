"""Configs with values that transformers 5 refuses, and checkpoints whose config names no class: recorded outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.findings.loading import LoaderFails
from tests.checkpoints import Spec
from tests.judged import base_record, records, spec_of
from tests.loads.damage import damaged, healthy, write

REFUSED: dict[tuple[str, str, Any], Any] = {
    ("llama", "num_hidden_layers", 3.0): 3,
    ("bert", "vocab_size", "107"): 107,
    ("gpt2", "n_layer", 3.0): 3,
    ("mixtral", "rms_norm_eps", 1): 1.0,
    ("qwen2", "tie_word_embeddings", "false"): False,
    ("vit", "qkv_bias", 1): True,
    ("opt", "dtype", "fp16"): "float16",
    ("t5", "dtype", "int8"): None,
    ("bart", "activation_function", "silu_like"): None,
    ("whisper", "use_cache", None): None,
    ("vit", "hidden_act", None): None,
    ("llava", "vision_feature_select_strategy", "cls"): None,
    ("modernbert", "classifier_pooling", "max"): None,
    ("gemma4_text", "use_bidirectional_attention", "images"): None,
}
"""(model type, key, value) -> the value that the remedy sets; None where it has no steps."""


def audited(place: Path, model_type: str, *changes: tuple[str, Any], suffix: str = "") -> Audit:
    """The audit of a record with other values in its config; None removes a key."""
    record = base_record(model_type, suffix)
    folder = healthy(spec_of(record), {**record["config"], "transformers_version": "5.23.0"})
    damaged(folder, [["config", key.split("."), value] for key, value in changes])
    return audit(str(write(folder, place)))


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_refused_values(case: tuple[str, str, Any], tmp_path: Path) -> None:
    model_type, key, value = case
    found = audited(tmp_path, model_type, (key, value))
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert (finding.code, finding.place.key) == ("C311", key)
    assert (found.loads[0].outcome, found.loads[0].intended) == ("refuses", True)
    steps = finding.remedy().steps
    if REFUSED[case] is None:
        assert [step.action for step in steps] == ["remove"] * (value is None)
        return
    (step,) = steps
    assert (step.key, step.new, type(step.new)) == ((key,), REFUSED[case], type(REFUSED[case]))
    assert audited(tmp_path / "mended", model_type, (key, step.new)).verdict == "clean"


@pytest.mark.parametrize("major", ["4", "5"])
def test_the_names_of_labels_are_not_counted_by_every_config_class(major: str, tmp_path: Path) -> None:
    """PVT builds a head of 1000 classes unless its config has a number, which transformers 4 does not write."""
    names = {str(number): f"LABEL_{number}" for number in range(7)}
    for model_type, outcome in (("pvt", "refuses"), ("pvt_v2", "complete"), ("vit", "complete")):
        record = base_record(model_type, "ForImageClassification")
        config = {name: one for name, one in record["config"].items() if name != "num_labels"}
        folder = healthy(spec_of(record), {**config, "id2label": names})
        found = judged_for(audit(str(write(folder, tmp_path / model_type))), f"transformers@{major}")
        assert (found.loads[0].outcome, found.verdict == "clean") == (outcome, outcome == "complete")
        steps = [step for one in found.findings if one.severity == "error" for step in one.remedy().steps]
        assert [(step.key, step.new) for step in steps] == [(("num_labels",), 7)] * (outcome == "refuses")
    headless = base_record("pvt", "PvtModel")
    folder = healthy(spec_of(headless), {**headless["config"], "id2label": names})
    assert audit(str(write(folder, tmp_path / "headless"))).verdict == "clean"


@pytest.mark.parametrize("value", [-1, "40", 40.0, True])
def test_a_number_is_shown_as_the_config_has_it(value: Any, tmp_path: Path) -> None:
    found = audited(tmp_path, "llama", ("hidden_size", value))
    (finding,) = (one for one in found.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert (finding.code, finding.facts["config"], step.old, step.new) == ("C310", value, value, 48)
    assert type(step.old) is type(value)


@pytest.mark.parametrize(
    ("model_type", "suffix", "key", "value", "right"),
    [
        ("llama", "CausalLM", "hidden_size", "big", 48), ("clip", "CLIPModel", "vision_config.hidden_size", "big", 72),
        ("t5", "Generation", "d_ff", {"a": 1}, 92), ("mixtral", "CausalLM", "num_local_experts", [8], 11),
        ("llava", "Generation", "text_config.num_hidden_layers", "three", 3),
        ("llama", "CausalLM", "hidden_size", None, 48), ("mixtral", "CausalLM", "num_local_experts", None, 11),
        ("t5", "Generation", "d_ff", None, 92),
    ],
)  # fmt: skip
def test_an_invalid_number_is_replaced_by_that_of_the_weights(
    model_type: str, suffix: str, key: str, value: Any, right: int, tmp_path: Path
) -> None:
    found = audited(tmp_path, model_type, (key, value), suffix=suffix)
    (finding,) = (one for one in found.findings if one.severity != "note")
    (step,) = finding.remedy().steps
    assert (finding.code, finding.place.key, step.old, step.new) == ("C310", key, value, right)
    assert finding.facts["null"] == (value is None)


@pytest.mark.parametrize(("model_type", "key"), [("gpt2", "n_head"), ("llama", "pad_token_id")])
def test_an_invalid_number_that_no_tensor_determines(model_type: str, key: str, tmp_path: Path) -> None:
    found = audited(tmp_path, model_type, (key, "big"))
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert (finding.code, finding.place.key, finding.remedy().steps) == ("C311", key, ())
    assert "taken from the weights" not in str(found)


@pytest.mark.parametrize(("model_type", "heads"), [("bloom", "n_head"), ("falcon", "num_attention_heads")])
def test_the_hidden_size_under_its_earlier_name(model_type: str, heads: str, tmp_path: Path) -> None:
    """BLOOM's repositories state only n_embed; the defaults of the class must not override it."""
    record = base_record(model_type)
    config = {**record["config"], "n_embed": record["config"]["hidden_size"]}
    del config["hidden_size"]
    for place, number in (("healthy", config[heads]), ("other", 5)):
        found = audit(str(write(healthy(spec_of(record), {**config, heads: number}), tmp_path / place)))
        errors = [one for one in found.findings if one.severity == "error"]
        assert ["n_embed" in one.facts["keys"] for one in errors] == [True] * (place == "other")


@pytest.mark.parametrize("model_type", ["qwen2_vl", "qwen2_5_vl", "hunyuan_vl", "paddleocr_vl"])
def test_top_level_keys_are_ignored_where_there_is_a_text_config(model_type: str, tmp_path: Path) -> None:
    """transformers reads them only where text_config is absent."""
    text = base_record(model_type, "Generation")["config"]["text_config"]
    wrong = {**text, "vocab_size": text["vocab_size"] + 8}
    found = audited(
        tmp_path, model_type, ("text_config", wrong), ("vocab_size", text["vocab_size"]), suffix="Generation"
    )
    (finding,) = (one for one in found.findings if one.severity == "error")
    assert (finding.code, finding.place.key, finding.facts["rivals"]) == ("C310", "text_config.vocab_size", [])


@pytest.mark.parametrize("word", [None, "all", "vision"])
def test_words_of_a_key_that_is_null_by_default(word: str | None, tmp_path: Path) -> None:
    assert audited(tmp_path, "gemma4_text", ("use_bidirectional_attention", word)).verdict == "clean"


ROTARY = {"rope_theta": 10000.0}
YARN = {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 64}
SWIN = base_record("grounding-dino")["config"]["backbone_config"]
SAM_PROMPTS = base_record("sam")["config"]["prompt_encoder_config"]
SETTINGS: list[tuple[str, dict[str, Any], str, str, str]] = [
    # model type, changes of the config, key of the finding, outcomes of transformers 5 and 4.57
    ("llama", {"rope_parameters": {**ROTARY, "rope_type": "yarnn"}}, "rope_parameters.rope_type", "refuses",
     "complete"),
    ("qwen3", {"rope_scaling": {"type": "linear"}}, "rope_scaling.factor", "refuses", "refuses"),
    ("mistral", {"rope_scaling": {"rope_type": "yarnn", "factor": 2.0}}, "rope_scaling.rope_type", "refuses",
     "refuses"),
    ("gpt_oss", {"rope_scaling": {"rope_type": "dynamic"}}, "rope_scaling.factor", "refuses", "refuses"),
    ("llama", {"rope_parameters": {**ROTARY, "rope_type": "llama3", "factor": 8.0}}, "rope_parameters.low_freq_factor",
     "refuses", "complete"),
    ("olmoe", {"rope_scaling": {"type": "longrope", "factor": 4.0}}, "rope_scaling.short_factor", "refuses", "refuses"),
    ("mobilebert", {"true_hidden_size": 28}, "true_hidden_size", "refuses", "complete"),  # version 4 computes it
    ("bros", {"dim_bbox_projection": 16}, "dim_bbox_projection", "refuses", "complete"),
    ("phi3", {"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling.type", "refuses", "refuses"),
    ("phi3", {"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [1.0, 1.0]}},
     "rope_scaling.short_factor", "refuses", "refuses"),
    ("llama", {"rope_scaling": {"type": "su", "short_factor": [1.0], "long_factor": [1.0]}}, "rope_scaling.type",
     "refuses", "refuses"),
    ("qwen2", {"rope_scaling": {"rope_type": None, "factor": 2.0}}, "rope_scaling.rope_type", "refuses", "refuses"),
    ("llama", {"rope_scaling": {"rope_type": "linear", "factor": "2.0"}}, "rope_scaling.factor", "refuses", "refuses"),
    ("mistral", {"rope_scaling": {"type": "linear", "factor": None}}, "rope_scaling.factor", "refuses", "refuses"),
    ("llama", {"rope_parameters": {"rope_type": "default", "rope_theta": "10000.0"}}, "rope_parameters.rope_theta",
     "refuses", "complete"),
    ("helium", {"rope_parameters": {"rope_type": "default", "rope_theta": None}}, "rope_parameters.rope_theta",
     "refuses", "complete"),
    ("qwen3", {"rope_parameters": None, "rope_theta": "1e6"}, "rope_theta", "refuses", "refuses"),
    ("gemma", {"rope_parameters": None, "rope_theta": None}, "rope_theta", "refuses", "refuses"),
    ("modernbert", {"rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": None}}},
     "rope_parameters.sliding_attention.rope_theta", "refuses", "complete"),
    ("modernbert", {"rope_parameters": {**ROTARY, "rope_type": "linear", "factor": 2.0}}, "rope_parameters",
     "refuses", "complete"),
    ("gemma3_text", {"rope_parameters": {"sliding_attention": {**ROTARY, "rope_type": "linear"}}},
     "rope_parameters.sliding_attention.factor", "refuses", "complete"),
    ("llama", {"rope_parameters": {**ROTARY, **YARN, "original_max_position_embeddings": "64"}},
     "rope_parameters.original_max_position_embeddings", "refuses", "complete"),
    ("laguna", {"rope_parameters.full_attention.partial_rotary_factor": {}},
     "rope_parameters.full_attention.partial_rotary_factor", "refuses", "unsupported"),
    ("beam", {"rope_parameters.sliding_attention.rope_theta": [1, 2]},
     "rope_parameters.sliding_attention.rope_theta", "refuses", "unsupported"),
    ("deepseek_v4", {"rope_parameters.main": True}, "rope_parameters.main", "refuses", "unsupported"),
    ("mimo_v2_flash", {"rope_parameters.sliding_attention": {}}, "rope_parameters.sliding_attention", "refuses",
     "unsupported"),
    ("janus", {"vq_config.hidden_act": "gelux"}, "vq_config.hidden_act", "refuses", "refuses"),
    ("gemma4_text", {"rope_parameters": {"full_attention": [], "sliding_attention": ROTARY}},
     "rope_parameters.full_attention", "refuses", "unsupported"),
    ("laguna", {"rope_parameters": {}}, "rope_parameters", "refuses", "refuses"),
    ("gemma4_vision", {"rope_parameters": {**ROTARY, "rope_type": "yarn", "factor": 2.0}}, "rope_parameters.rope_type",
     "refuses", "unsupported"),
    ("llava", {"vision_config.model_type": {"clip": 1}}, "vision_config.model_type", "refuses", "refuses"),
    ("bert", {"id2label": ["LABEL_0"]}, "id2label", "refuses", "refuses"),
    ("bert", {"id2label": {"first": "LABEL_0"}}, "id2label", "refuses", "refuses"),
    ("llama", {"dtype": "float8_e4m3fn"}, "dtype", "refuses", "complete"),
    ("vit", {"dtype": None, "torch_dtype": "auto"}, "torch_dtype", "refuses", "refuses"),
    ("bert", {"dtype": "torch.bfloat16"}, "dtype", "refuses", "refuses"),
    ("llama", {"dtype": 1}, "dtype", "refuses", "complete"),
    ("llama", {"dtype": ["float32"]}, "dtype", "refuses", "refuses"),
    ("cohere2", {"attention_bias": [False]}, "attention_bias", "refuses", "random"),  # transformers 4 treats it as true
    ("llama", {"num_attention_heads": -6}, "num_attention_heads", "refuses", "refuses"),
    ("bloom", {"n_head": -6}, "n_head", "refuses", "refuses"),
    ("llava", {"projector_hidden_act": "swish2"}, "projector_hidden_act", "refuses", "refuses"),
    ("t5", {"dense_act_fn": "swish2"}, "dense_act_fn", "refuses", "refuses"),
    ("xlnet", {"ff_activation": "swish2"}, "ff_activation", "refuses", "refuses"),
    ("dinov2", {"hidden_act": None}, "hidden_act", "refuses", "complete"),
    ("gemma2", {"hidden_activation": None}, "hidden_activation", "refuses", "refuses"),
    ("bert", {"hidden_act": None}, "hidden_act", "refuses", "complete"),  # transformers 4 fails where it runs
    ("deepseek_v3", {"head_dim": None, "rope_scaling": YARN}, "head_dim", "refuses", "refuses"),
    # only some of the settings that the layers need, and lists whose length differs from the stated number
    ("gemma4_text", {"rope_parameters": {"full_attention": ROTARY}}, "rope_parameters.sliding_attention", "refuses",
     "unsupported"),
    ("lfm3", {"rope_parameters": {"sliding_attention": ROTARY}}, "rope_parameters.full_attention", "refuses",
     "unsupported"),
    ("sam", {"prompt_encoder_config": {**SAM_PROMPTS, "patch_size": 0}}, "prompt_encoder_config.patch_size", "refuses",
     "refuses"),
    # null: refused by the type checks of transformers 5, and by both versions where the model computes with it
    ("mistral", {"attention_dropout": None}, "attention_dropout", "refuses", "complete"),
    ("gpt2", {"attn_pdrop": None}, "attn_pdrop", "refuses", "refuses"),
    ("t5", {"dropout_rate": None}, "dropout_rate", "refuses", "refuses"),
    ("gemma2", {"query_pre_attn_scalar": None}, "query_pre_attn_scalar", "refuses", "refuses"),
    ("bloom", {"hidden_dropout": None}, "hidden_dropout", "refuses", "complete"),
    # an odd head that is rotated as a whole, settings that only the config class checks
    ("axk1", {"head_dim": 31}, "head_dim", "refuses", "unsupported"),
    ("bert", {"rope_scaling": {"type": "linear"}}, "rope_scaling.factor", "refuses", "complete"),
    ("dia", {"decoder_config.rope_parameters": {**ROTARY, "rope_type": "yarnn"}},
     "decoder_config.rope_parameters.rope_type", "refuses", "complete"),
    ("cohere2_moe", {"rope_parameters": {}}, "rope_parameters", "refuses", "refuses"),
    ("llama", {"rope_scaling": {"type": "ntk", "factor": 2.0}}, "rope_scaling.type", "refuses", "refuses"),
    ("mistral", {"rope_scaling": {"rope_type": "ntk", "factor": 2.0}}, "rope_scaling.rope_type", "refuses", "refuses"),
    ("qwen2", {"rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 2]}}, "rope_scaling.type", "refuses",
     "refuses"),
    ("phi3", {"rope_scaling": {"type": "su", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}}, "rope_scaling.type",
     "refuses", "complete"),
    ("bert", {"num_labels": "3"}, "num_labels", "refuses", "complete"),
    ("vit", {"num_labels": None}, "num_labels", "refuses", "complete"),
    ("qwen3", {"hidden_act": {}}, "hidden_act", "refuses", "refuses"),
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "changes", "key", "newest", "older"), SETTINGS, ids=str)
def test_refused_settings(
    model_type: str, changes: dict[str, Any], key: str, newest: str, older: str, tmp_path: Path
) -> None:
    found = audited(tmp_path, model_type, *changes.items())
    assert [one.place.key for one in found.findings if one.severity == "error"] == [key]
    assert [one.outcome for one in found.loads if one.loader == "transformers"] == [newest, older]


@pytest.mark.parametrize("model_type", ["qwen2_vl", "qwen2_5_vl"])
@pytest.mark.parametrize("spelled", ["type", "rope_type"])
def test_types_of_rotary_embeddings_of_single_models(spelled: str, model_type: str, tmp_path: Path) -> None:
    settings = {**ROTARY, spelled: "mrope", "mrope_section": [1, 1, 2]}
    found = audited(tmp_path, model_type, ("text_config.rope_parameters", settings))
    assert [one.code for one in found.findings if "mrope" in one.message] == ["N670"]


OF_OLDER: list[tuple[str, dict[str, Any], str, str]] = [
    # model type, changes of the config, outcome of transformers 4.57, severity of the finding that it has alone
    ("llama", {"pruned_heads": {"0": [0]}}, "refuses", "error"),  # its code removes no heads
    ("blenderbot", {"pruned_heads": 1}, "refuses", "error"),
    ("convbert", {"pruned_heads": {"first": [0]}}, "refuses", "error"),
    ("llama", {"pruned_heads": {}}, "complete", ""),
    (
        "llama",
        {"rope_scaling": {"factor": 2.0}},
        "refuses",
        "error",
    ),  # without a type, for which version 5 takes the default
    (
        "gpt2",
        {"initializer_range": None},
        "refuses",
        "error",
    ),  # it reinitialises modules with unsaved buffers
    ("grounding-dino", {"backbone_config": {**SWIN, "qkv_bias": None}}, "complete", "warning"),
    ("plbart", {"activation_function": True}, "refuses", "error"),
    ("llama", {"pruned_heads": None}, "complete", ""),
    ("nystromformer", {"vocab_size": True}, "refuses", "error"),  # PyTorch does not accept it as a size
    ("nystromformer", {"vocab_size": {}}, "refuses", "error"),
    ("sam2_vision_model", {"backbone_config.mlp_ratio": -4.0}, "refuses", "error"),
    ("falcon_h1", {"mlp_multipliers": [1.0, 1.0, 1.0]}, "refuses", "error"),  # it always has two
    ("falcon_h1", {"mlp_multipliers": [1.0, 2.0]}, "complete", ""),
    ("apertus", {"rope_scaling": {"factor": 2.0}}, "refuses", "error"),
    ("patchtsmixer", {"num_targets": None}, "complete", "warning"),  # transformers 5 alone refuses it
    ("zoedepth", {"use_batch_norm_in_fusion_residual": None}, "complete", "warning"),
    ("recurrent_gemma", {"problem_type": "x"}, "refuses", "error"),
    ("rembert", {"layer_types": []}, "complete", ""),  # it reads layer types in few models
    ("siglip", {"quantization_config": {}}, "refuses", "error"),
    ("wav2vec2", {"hidden_dropout": {}}, "refuses", "error"),
    ("layoutlm", {"vocab_size": []}, "refuses", "error"),
    ("olmo3", {"hidden_size": []}, "refuses", "error"),
    ("t5", {"dropout_rate": []}, "refuses", "error"),
    ("rt_detr", {"backbone_config.stage_names": ["stem", None]}, "complete", "warning"),  # its config class names them
    ("oneformer", {"backbone_config.out_features": ["stage1", 1.5]}, "refuses", "error"),
    ("hunyuan_v1_moe", {"rope_scaling": {}}, "refuses", "error"),  # it looks for a type in any object
    ("phi3", {"rope_scaling": ""}, "refuses", "error"),
    ("falcon", {"rope_scaling": 1.5}, "complete", "warning"),  # it reads nothing else
    ("kyutai_speech_to_text", {"rope_scaling": 1.5}, "complete", "warning"),
    ("vit_mae", {"initializer_range": None}, "complete", "warning"),  # this class draws nothing anew, others do
    ("conditional_detr", {"backbone_config.model_type": None}, "refuses", "error"),
    ("align", {"text_config.model_type": "bertt"}, "complete", ""),  # its class is always the same
    ("colpali", {"vlm_config.text_config.pruned_heads": "x"}, "refuses", "error"),
    ("qwen3_vl_moe", {"vision_config.hidden_act": "default"}, "refuses", "error"),
    ("xlnet", {"d_head": 9}, "refuses", "error"),  # its config class compares it, as transformers 5 does
    ("mimi", {"num_semantic_quantizers": 99}, "refuses", "error"),
    ("fastspeech2_conformer", {"use_masking": True, "use_weighted_masking": True}, "refuses", "error"),
    ("deformable_detr", {"backbone_kwargs": "x"}, "refuses", "error"),  # beside a backbone_config
    ("upernet", {"use_timm_backbone": True}, "refuses", "error"),
    ("sam2_vision_model", {"use_timm_backbone": True}, "complete", ""),
    ("mask2former", {"use_timm_backbone": True}, "refuses", "error"),
    ("zoedepth", {"use_pretrained_backbone": True}, "refuses", "error"),
    ("depth_anything", {"backbone": ""}, "refuses", "error"),  # which is no null
    ("rt_detr", {"use_pretrained_backbone": False}, "complete", ""),
    ("sam2", {"prompt_encoder_config": False}, "refuses", "error"),
    ("blip", {"text_config": 1}, "refuses", "error"),
    ("qwen2_vl", {"text_config": False}, "refuses", "error"),
    ("esm", {"esmfold_config": False}, "complete", "warning"),  # it reads it for a folding model alone
    ("blip-2", {"text_config.model_type": None}, "refuses", "error"),
    ("aya_vision", {"vision_config.model_type": None}, "refuses", "error"),
    ("bark", {"codec_config.model_type": None}, "refuses", "error"),
    ("aimv2", {"text_config.model_type": None}, "complete", ""),
    ("ministral", {"layer_types": ["full_attention"]}, "refuses", "error"),
    ("ministral", {"layer_types": ["odd"] * 4}, "complete", ""),
    ("colpali", {"text_config": False}, "refuses", "error"),
    ("idefics", {"freeze_text_module_exceptions": ["Conv2d"]}, "refuses", "error"),
    ("idefics", {"freeze_vision_module_exceptions": ["LayerNorm"]}, "complete", ""),
    ("qwen2_moe", {"mlp_only_layers": 1}, "refuses", "error"),
    ("efficientnet", {"depthwise_padding": False}, "refuses", "error"),
    ("xmod", {"adapter_layer_norm": None}, "complete", "warning"),
    ("xmod", {"pre_norm": None}, "complete", "warning"),
    ("focalnet", {"depths": [2, 2, {}]}, "refuses", "error"),
    ("efficientnet", {"kernel_sizes": [3, 3, 5, 3, {}]}, "refuses", "error"),
    ("pvt_v2", {"num_attention_heads": [2, False, 2, 4]}, "refuses", "error"),  # it divides by them
    ("pvt_v2", {"num_attention_heads": [2, 5, 6, 8]}, "refuses", "error"),  # the width of each stage is a multiple
    ("swin", {"num_heads": [2, 5]}, "refuses", "error"),
    ("clap_audio_model", {"num_attention_heads": [2, 4, 6, 7]}, "refuses", "error"),
    ("segformer", {"num_attention_heads": [2, 4, 6, 8, 5]}, "complete", ""),  # of a stage that it does not have
    ("levit", {"down_ops": [["Subsample", 8, 4, 4, 2, 2], None]}, "complete", "warning"),  # its config class sets it
    ("levit", {"down_ops": [["Subsample", 7, 4, 4, 2, 2], ["Subsample", 8, 6, 4, 2, 2]]}, "complete", "error"),
    ("dpt", {"reassemble_factors": [4, 2, 1]}, "complete", "error"),  # the last map has no layers there
    ("mt5", {"is_gated_act": None}, "random", "error"),  # null is off
    ("pop2piano", {"is_gated_act": None}, "random", "error"),
    ("xlstm", {"weight_mode": None}, "complete", "error"),  # neither joined nor separate layers
    (
        "gpt_neo",
        {"attention_types": [[["global", "local", "local"], 1]] * 2},
        "refuses",
        "error",
    ),  # six layers of three
    ("gpt_neo", {"num_layers": 4}, "refuses", "error"),
    ("gpt_neo", {"attention_types": [0]}, "unknown", ""),  # no list of lists
    ("wav2vec2", {"conv_stride": [5]}, "refuses", "error"),
    ("efficientloftr", {"out_features": [24, 24]}, "refuses", "error"),
    ("efficientloftr", {"out_features": [48, 24, 24]}, "refuses", "error"),  # the last one is no hidden size
    ("bit", {"num_groups": 9}, "refuses", "error"),
    ("bit", {"num_groups": 4}, "complete", ""),
    ("bit", {"global_padding": "no_such_padding"}, "unknown", ""),
    ("mamba", {"use_mambapy": True}, "unknown", ""),  # which needs another library
    ("bert", {"classifier_dropout": -1}, "complete", ""),  # the class for pretraining has no classifier
    ("mctct", {"hidden_dropout_prob": {}}, "refuses", "error"),
    ("van", {"drop_path_rate": []}, "refuses", "error"),
    ("yoso", {"conv_window": []}, "refuses", "error"),
    ("led", {"decoder_attention_heads": True}, "complete", "warning"),  # one head
    ("mllama", {"text_config.rope_scaling": 0}, "refuses", "error"),
    ("lfm2", {"layer_types": ["full_attention", "full_attention", None]}, "unknown", "error"),
    ("emu3", {"vocabulary_map": -1}, "unknown", "error"),
    ("clip_vision_model", {"initializer_factor": -0.5}, "refuses", "error"),
    ("clip", {"vision_config.initializer_range": -1.0}, "unknown", ""),
    ("musicgen_melody", {"decoder.audio_channels": 3}, "refuses", "error"),
    ("swinv2", {"hidden_dropout_prob": []}, "refuses", "error"),
    ("t5gemma", {"decoder.query_pre_attn_scalar": False}, "refuses", "error"),  # false is 0
    ("videomae", {"num_frames": 1}, "refuses", "error"),  # less than one tube
    ("sam2_hiera_det_model", {"patch_kernel_size": [7, 7, 7]}, "refuses", "error"),
    ("sam2_video", {"vision_config.backbone_config.dtype": -1}, "unknown", ""),
    ("autoformer", {"feature_size": True}, "unknown", ""),  # torch makes no tensor with it
    ("glpn", {"depths": [1, 2, 1, -1]}, "unknown", "error"),
    ("mpt", {"attn_config.problem_type": "no_such_task"}, "complete", ""),  # whose class passes no further keys on
    ("fastspeech2_conformer", {"encoder_config.kernel_size": True}, "refuses", "error"),  # which is 1
    ("llama", {"hidden_act": "hardswish"}, "refuses", "error"),  # which only the newest has
    ("llama", {"hidden_act": "leaky_relu"}, "complete", ""),
    ("xmod", {"ln_before_adapter": "no"}, "complete", "warning"),  # a text is true
    ("clip", {"logit_scale_init_value": 2}, "unknown", ""),  # torch makes no parameter of an integer
    ("blip", {"logit_scale_init_value": True}, "unknown", "error"),
    ("chinese_clip", {"logit_scale_init_value": -1}, "unknown", ""),
    ("clip", {"logit_scale_init_value": 2.5}, "complete", ""),
]


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "changes", "outcome", "severity"), OF_OLDER, ids=str)
def test_what_transformers_4_does(
    model_type: str, changes: dict[str, Any], outcome: str, severity: str, tmp_path: Path
) -> None:
    found = judged_for(audited(tmp_path, model_type, *changes.items()), "transformers@4")
    assert [one.outcome for one in found.loads] == [outcome]
    assert [one.severity for one in found.findings if one.severity != "note"] == [severity] * bool(severity)


@pytest.mark.parametrize(("model_type", "suffix", "change", "outcome"), [
    ("bert", "SequenceClassification", ("classifier_dropout", -1), "refuses"),
    ("roberta", "TokenClassification", ("classifier_dropout", 1.5), "refuses"),
    ("bert", "SequenceClassification", ("classifier_dropout", 0.5), "complete"),
    ("reformer", "ForMaskedLM", ("is_decoder", True), "refuses"),
    ("flaubert", "WithLMHeadModel", ("asm", True), "refuses"),  # its config class has no cutoffs
    ("xlm", "WithLMHeadModel", ("asm", True), "refuses"),
    ("flaubert", "FlaubertModel", ("asm", True), "complete"),
    ("autoformer", "AutoformerModel", ("distribution_output", ""), "complete"),
    ("autoformer", "ForPrediction", ("distribution_output", ""), "refuses"),
    ("qwen2", "SequenceClassification", ("pad_token_id", ""), "unknown"),
    ("mobilenet_v1", "Model", ("classifier_dropout_prob", None), "complete"),
    ("lfm2", "CausalLM", ("block_multiple_of", ""), "unknown"),  # which only some models accept
], ids=str)  # fmt: skip
def test_what_classes_of_transformers_4_do(
    model_type: str, suffix: str, change: tuple[str, Any], outcome: str, tmp_path: Path
) -> None:
    found = judged_for(audited(tmp_path, model_type, change, suffix=suffix), "transformers@4")
    assert [one.outcome for one in found.loads] == [outcome]


@pytest.mark.parametrize(("model_type", "value"), [
    ("mellum", None),
    ("laguna", {"rope_type": None, "rope_theta": None}),
    ("lfm3", {"rope_type": "no_such_type"}),
    ("lfm3", None),
    ("laguna", "no_such_type"),
], ids=str)  # fmt: skip
def test_settings_of_layers_that_are_not_listed(model_type: str, value: Any, tmp_path: Path) -> None:
    """No layer of these configs is of this type, and no rotary embeddings are made for it."""
    found = audited(tmp_path, model_type, ("rope_parameters.sliding_attention", value))
    assert (found.verdict, found.loads[0].outcome) == ("clean", "complete")


@pytest.mark.parametrize(("model_type", "key", "outcomes"), [
    ("audio-spectrogram-transformer", "max_length", ["refuses", "refuses"]),
    ("smollm3", "pad_token_id", ["refuses", "refuses"]),  # its default is beyond this vocabulary
    ("phi3", "pad_token_id", ["refuses", "refuses"]),
    ("llama", "pad_token_id", ["complete", "complete"]),
    ("informer", "prediction_length", ["refuses", "refuses"]),  # its default is null, which it refuses
    ("autoformer", "prediction_length", ["refuses", "refuses"]),
])  # fmt: skip
def test_keys_without_a_default_that_loads(model_type: str, key: str, outcomes: list[str], tmp_path: Path) -> None:
    record = base_record(model_type)
    folder = damaged(healthy(spec_of(record), record["config"]), [["unset", [key]]])
    loads = audit(str(write(folder, tmp_path))).loads
    assert [one.outcome for one in loads if one.loader == "transformers"] == outcomes


@pytest.mark.parametrize(("model_type", "key", "outcome"), [
    ("hubert", "num_feat_extract_layers", "refuses"),
    ("funnel", "block_repeats", "refuses"),
    ("gpt_neo", "attention_layers", "refuses"),
    ("vits", "upsample_kernel_sizes", "refuses"),
    ("glm4_moe_lite", "num_hidden_layers", "refuses"),
    ("lw_detr", "num_feature_levels", "refuses"),
    ("wav2vec2", "tdnn_dim", "complete"),
])  # fmt: skip
def test_lists_of_another_length(model_type: str, key: str, outcome: str, tmp_path: Path) -> None:
    """As the config classes of transformers 5 compare them."""
    value = base_record(model_type)["config"].get(key)
    longer = [*value, value[-1]] if isinstance(value, list) else (value or 0) + 1
    assert audited(tmp_path, model_type, (key, longer)).loads[0].outcome == outcome


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "cohere2"])
def test_absent_settings_are_named_together(model_type: str, tmp_path: Path) -> None:
    """Those that transformers 5 checks first, and the one that only 4.57 needs."""
    scaling = {"type": "llama3", "factor": 8.0}
    (finding,) = [
        one for one in audited(tmp_path, model_type, ("rope_scaling", scaling)).findings if one.code == "C311"
    ]
    keys = ("low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    assert finding.facts["keys"] == [f"rope_scaling.{key}" for key in keys]
    assert all(f'"rope_scaling.{key}"' in finding.help for key in keys)
    restored = {**scaling, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
    found = audited(tmp_path / "restored", model_type, ("rope_scaling", restored))
    assert [one.outcome for one in found.loads if one.loader == "transformers"] == ["complete", "complete"]


@pytest.mark.parametrize(("model_type", "key", "value"), [
    ("llama", "rope_scaling", {"type": "linear", "factor": 2.0}),
    ("qwen2", "rope_scaling", {"rope_type": "yarn", "factor": 2.0}),
    ("phi3", "rope_scaling", {"type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}),
    ("gemma2", "torch_dtype", "int8"),  # in addition to `dtype`, which takes precedence
    ("gpt_oss", "hidden_act", "swish2"),
    ("deepseek_v3", "head_dim", None),
    ("bert", "num_attention_heads", -6),
    ("llama", "rope_parameters", {}),
    ("llama", "rope_parameters", {"rope_type": "yarn", "factor": None, "original_max_position_embeddings": 64}),
    ("olmo_hybrid", "rope_parameters", {"rope_type": "default", "rope_theta": None}),
    ("llama", "rope_parameters", {"rope_type": "linear", "factor": 2.0, "original_max_position_embeddings": "64"}),
    ("bert", "label2id", [1]),
    ("bert", "rope_scaling", {"type": "yarnn"}),
    ("siglip", "quantization_config", {}),
    ("granitemoehybrid", "mamba_d_head", "auto"),
    ("bamba", "mamba_d_head", "auto"),
    ("gpt_neox", "rope_theta", None),  # which reads `rotary_emb_base`
], ids=str)  # fmt: skip
def test_settings_that_load(model_type: str, key: str, value: Any, tmp_path: Path) -> None:
    found = audited(tmp_path, model_type, (key, value))
    assert (found.verdict, found.loads[0].outcome) == ("clean", "complete")


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "changes", "counts"), [
    ("gemma4", {"vision_config": {}}, (211, 0)),  # its class builds the default part, which null switches off
    ("gemma4", {"audio_config": {}}, (752, 0)),
    ("gemma4", {"vision_config": None, "audio_config": None}, (0, 0)),
    ("gemma4_unified", {"vision_config": {}}, None),
    ("gemma4_unified", {"audio_config": {}}, None),
    ("gemma4_unified", {"audio_config": None}, (0, 1)),
    ("lw_detr_vit", {"num_windows": 32}, None),  # no square
    ("lw_detr_vit", {"image_size": 63}, None),
    ("lw_detr", {"backbone_config.num_windows": 32}, None),
    ("lw_detr_vit", {"image_size": 128}, (0, 0)),
    ("lw_detr_vit", {"num_windows": 4}, (0, 0)),
    ("dbrx", {"attn_config.dtype": [1, 2]}, None),  # it shows what follows the dot
    ("pp_ocrv5_server_rec", {"backbone_config.dtype": [1]}, None),
    ("llava", {"text_config.dtype": []}, None),
    ("llava", {"text_config.dtype": [1.5]}, (0, 0)),
    ("altclip", {"text_config.num_attention_heads": 5}, None),
    ("blip", {"text_config.num_attention_heads": 7}, None),  # no definition of its own
    ("kosmos-2", {"vision_config.num_attention_heads": 5}, None),
    ("altclip", {"text_config.num_attention_heads": 2}, (0, 0)),
    ("levit", {"down_ops": [["Subsample", 8, 2, 4, 2, 2], ["Subsample", 8, 6, 4, 2, 2]]}, None),
    ("levit", {"down_ops": [["Subsample", 8, 4, 4, 2, 2], ["Subsample", None, 6, 4, 2, 2]]}, None),
    ("levit", {}, (0, 0)),
    ("dinov3_convnext", {"depths": [2, 3, 1, 2, 2]}, (0, 0)),  # it has as many stages as widths
    ("lw_detr_vit", {"cae_init_values": 0.0}, (0, 0)),  # scales without a switch
    ("edgetam", {}, (0, 0)),
    ("chmv2", {}, (0, 0)),
    # angles of layers with null settings: some models initialise them after loading
    ("ultrabert", {"rope_parameters": {"full_attention": ROTARY, "sliding_attention": None}}, None),
    ("mimo_v2_flash", {"rope_parameters": {"full_attention": None, "sliding_attention": ROTARY}}, None),
    ("laguna", {"rope_parameters": {"full_attention": None, "sliding_attention": ROTARY}}, None),
    ("gemma4_text", {"rope_parameters": {"full_attention": None, "sliding_attention": ROTARY}}, (0, 0)),
    ("gemma3_text", {"rope_parameters": {"full_attention": ROTARY, "sliding_attention": None}}, (0, 0)),
    ("dpt", {"backbone_config": {}}, None),
    ("dpt", {"backbone_config": {"model_type": "no_such_type"}}, None),
    ("sam_hq", {"mask_decoder_config.num_attention_heads": 5}, None),
    ("sam", {"mask_decoder_config.num_attention_heads": 5}, None),
    ("sam", {"mask_decoder_config.num_attention_heads": 2}, (0, 0)),
    ("qwen3_omni_moe_thinker", {"audio_config.encoder_attention_heads": 5}, None),
], ids=str)  # fmt: skip
def test_what_transformers_5_does(
    model_type: str, changes: dict[str, Any], counts: tuple[int, int] | None, tmp_path: Path
) -> None:
    """counts: of missing and unexpected tensors; null where it refuses the config or a shape."""
    found = judged_for(audited(tmp_path, model_type, *changes.items()), "transformers@5")
    (load,) = found.loads
    outcome = "refuses" if counts is None else "random" if counts[0] else "complete"
    assert (load.outcome, (load.missing, load.unexpected)) == (outcome, counts or (None, None))
    assert (found.verdict == "clean") == (counts == (0, 0))


def test_what_transformers_4_reads_is_a_warning_of_its_loader(tmp_path: Path) -> None:
    found = audited(tmp_path, "llama", ("transformers_version", "4.57.6"), ("use_cache", None))
    (finding,) = found.findings
    assert (finding.code, finding.severity, finding.remedy().steps[0].action) == ("C323", "warning", "remove")


@pytest.mark.parametrize("change", [
    ("olmo3", "layer_types", ["full_attention"]),
    ("gemma2", "layer_types", ["every_attention"] * 3),
    ("opt", "num_attention_heads", 5),
    ("bert-generation", "pad_token_id", 107),
], ids=lambda change: change[0])  # fmt: skip
def test_refused_by_a_rule(change: tuple[str, str, Any], tmp_path: Path) -> None:
    """The numbers in the reason, which are keys of id2label as well, are not named as keys to correct."""
    found = audited(tmp_path, change[0], change[1:])
    assert (found.loads[0].outcome, found.verdict) == ("refuses", "findings")
    assert change[1] in found.loads[0].keys
    assert all(one.keys == (change[1],) for one in found.findings if isinstance(one, LoaderFails))


@pytest.mark.parametrize(("model_type", "suffix", "outcome"), [
    ("whisper", "ForAudioClassification", "random"),
    ("dpr", "DPRReader", "random"),
    ("llama", "ForCausalLM", "complete"),
    ("trocr", "ForCausalLM", "refuses"),
])  # fmt: skip
def test_a_config_without_a_class(model_type: str, suffix: str, outcome: str, tmp_path: Path) -> None:
    """AutoModel builds the base class of the type, which may need what the file does not have."""
    found = audited(tmp_path, model_type, ("architectures", None), suffix=suffix)
    assert found.loads[0].outcome == outcome
    assert (found.verdict == "clean") == (outcome == "complete")
    for finding in found.findings:
        for step in finding.remedy().steps:
            assert step.key == ("architectures",)
            named = audited(tmp_path / "named", model_type, ("architectures", step.new), suffix=suffix)
            assert named.verdict == "clean"


@pytest.mark.parametrize(("damage", "code"), [
    (["config", ["weight_map", "extra.weight"], "model-00001-of-00002.safetensors"], "S228"),
    (["config", ["weight_map"], None], "S227"),
    (["config", ["weight_map"], "renamed"], "S238"),
], ids=["in vain", "elsewhere", "renamed"])  # fmt: skip
@pytest.mark.parametrize("model_type", ["llama", "bert", "vit"])
def test_entries_that_loaders_ignore(model_type: str, damage: list[Any], code: str, tmp_path: Path) -> None:
    record = base_record(model_type)
    folder = damaged(healthy(spec_of(record), record["config"]), [["shards", 2]])
    index = folder.texts["model.safetensors.index.json"]
    first, second = sorted(set(index["weight_map"].values()))
    if damage[2] == "renamed":
        name = next(iter(index["weight_map"]))
        index["weight_map"][f"{name}.old"] = index["weight_map"].pop(name)
    elif damage[2] is None:
        name = next(iter(index["weight_map"]))
        index["weight_map"][name] = second
    else:
        index["weight_map"]["extra.weight"] = first
    found = audit(str(write(folder, tmp_path)))
    assert [(one.code, one.severity) for one in found.findings if one.severity != "note"] == [(code, "warning")]


@pytest.mark.parametrize("model_type", ["llava", "clip", "qwen2_vl"])
def test_empty_quantization_settings_with_a_text_model(model_type: str, tmp_path: Path) -> None:
    """Version 5 takes those of the text model instead, which has none."""
    found = audited(tmp_path, model_type, ("quantization_config", {}))
    assert (found.verdict, [one.outcome for one in found.loads[:2]]) == ("clean", ["complete", "refuses"])


@pytest.mark.parametrize("model_type", ["llama", "bert", "gpt2"])
def test_quantization_settings_without_a_method(model_type: str, tmp_path: Path) -> None:
    found = audited(tmp_path, model_type, ("quantization_config", {}))
    (finding,) = (one for one in found.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert (finding.place.key, step.action, found.loads[0].outcome) == ("quantization_config", "remove", "refuses")


def test_a_base_within_the_settings_takes_precedence(tmp_path: Path) -> None:
    settings = {"rope_type": "default", "rope_theta": 10000.0}
    found = audited(tmp_path, "llama", ("rope_theta", None), ("rope_parameters", settings))
    assert (found.verdict, found.loads[0].outcome) == ("clean", "complete")


def test_transformers_4_loads_a_head_with_a_backbone_in_place_of_its_base(tmp_path: Path) -> None:
    """Such a class has no module with the prefix of its type, so that no name gets it."""
    records_of_head = (one for one in records("dpt") if one["class"] == "DPTForDepthEstimation")
    record = next(one for one in records_of_head if any(name.startswith("backbone.") for name in one["tensors"]))
    found = audit(str(write(healthy(spec_of(record), record["config"]), tmp_path)))
    assert [one.outcome for one in found.loads if one.loader == "transformers"] == ["complete", "complete"]


@pytest.mark.parametrize(("model_type", "suffix", "other", "key"), [
    ("m2m_100", "Generation", "num_hidden_layers", "encoder_layers"),
    ("bigbird_pegasus", "Generation", "num_hidden_layers", "encoder_layers"),
    ("codegen", "CausalLM", "num_hidden_layers", "n_layer"), ("gpt_neo", "CausalLM", "num_hidden_layers", "num_layers"),
])  # fmt: skip
def test_the_other_name_of_a_key_decides_in_transformers_5(
    model_type: str, suffix: str, other: str, key: str, tmp_path: Path
) -> None:
    """Measured with 5.23: of two numbers of layers it builds those under the other name."""
    one = base_record(model_type, suffix)
    layers = one["config"][key]
    for number, (stated, read) in enumerate([(layers + 1, layers), (layers, layers + 1)]):
        config = {"model_type": model_type, "architectures": [one["class"]], **one["config"], key: stated, other: read}
        audited = audit(str(write(healthy(spec_of(one), config), tmp_path / str(number))))
        assert (audited.loads[0].outcome == "complete") is (read == layers)
        assert audited.loads[0].outcome != "unknown" and audited.verdict == "findings"


@pytest.mark.parametrize(("width", "help_text"), [(10, "use transformers 4.57"), (None, 'set "head_dim": 10')])
def test_heads_that_the_weights_confirm_are_not_corrected(width: int | None, help_text: str, tmp_path: Path) -> None:
    """Measured with 5.23 and 4.57: of a width that is no multiple of the heads, 5.23 refuses any width of a head."""
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 48, "intermediate_size": 64,
        "num_attention_heads": 5, "num_key_value_heads": 1, "num_hidden_layers": 1, "vocab_size": 70,
        "tie_word_embeddings": True, **({} if width is None else {"head_dim": width}),
    }  # fmt: skip
    shapes = {
        "embed_tokens": (70, 48), "norm": (48,), "layers.0.input_layernorm": (48,),
        "layers.0.post_attention_layernorm": (48,), "layers.0.self_attn.q_proj": (50, 48),
        "layers.0.self_attn.k_proj": (10, 48), "layers.0.self_attn.v_proj": (10, 48),
        "layers.0.self_attn.o_proj": (48, 50), "layers.0.mlp.gate_proj": (64, 48), "layers.0.mlp.up_proj": (64, 48),
        "layers.0.mlp.down_proj": (48, 64),
    }  # fmt: skip
    spec: Spec = {f"model.{name}.weight": ("F32", shape) for name, shape in shapes.items()}
    found = audit(str(write(healthy(spec, config), tmp_path)))
    (finding,) = (one for one in found.findings if one.severity == "error")
    assert finding.help.startswith(help_text)


@pytest.mark.parametrize("value", ["3", None, 3.5, [3]])
@pytest.mark.parametrize(("model_type", "key"), [("bart", "encoder_layers"), ("codegen", "n_layer")])
def test_the_other_name_of_a_key_decides_whatever_its_value_is(
    model_type: str, key: str, value: object, tmp_path: Path
) -> None:
    """Measured with 5.23 on 345 pairs of names: the value that it reads is no number of layers."""
    one = base_record(model_type, "Generation" if model_type == "bart" else "CausalLM")
    found = audit(str(write(healthy(spec_of(one), {**one["config"], "num_hidden_layers": value}), tmp_path)))
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert isinstance(finding, LoaderFails) and f"in place of {key}" in finding.because
    assert [(step.action, step.key) for step in finding.remedy().steps] == [("remove", ("num_hidden_layers",))]
    older = next(one for one in found.loads if one.version == "4.57")
    assert older.outcome == ("complete" if model_type == "bart" else "refuses")


@pytest.mark.parametrize(("model_type", "suffix", "other", "key"), [
    ("nemotron_h", "CausalLM", "num_local_experts", "n_routed_experts"),
    ("codegen", "CausalLM", "hidden_size", "n_embd"),
    ("m2m_100", "Generation", "num_hidden_layers", "encoder_layers"),
])  # fmt: skip
def test_another_name_of_a_key_with_another_value_is_removed(
    model_type: str, suffix: str, other: str, key: str, tmp_path: Path
) -> None:
    """The finding states both values; without the other name each version that knows the type loads everything."""
    one = base_record(model_type, suffix)
    folder = healthy(spec_of(one), {**one["config"], other: one["config"][key] * 2})
    found = audit(str(write(folder, tmp_path / "damaged")))
    (finding,) = (one for one in found.findings if one.severity != "note")
    (step,) = finding.remedy().steps
    assert isinstance(finding, LoaderFails) and f"in place of {key}" in finding.because
    assert (step.action, step.key) == ("remove", (other,))
    assert audit(str(write(damaged(folder, [["unset", [other]]]), tmp_path / "mended"))).verdict == "clean"


@pytest.mark.parametrize(("model_type", "suffix", "other", "key"), [
    ("m2m_100", "Generation", "num_hidden_layers", "encoder_layers"),
    ("florence2", "Generation", "num_hidden_layers", "text_config.encoder_layers"),
    ("codegen", "CausalLM", "num_hidden_layers", "n_layer"), ("gpt_neo", "CausalLM", "num_hidden_layers", "num_layers"),
])  # fmt: skip
def test_a_key_is_wrong_only_under_the_name_that_does_not_decide(
    model_type: str, suffix: str, other: str, key: str, tmp_path: Path
) -> None:
    """Measured with 5.23 and 4.57: the former loads everything, the latter builds one more layer."""
    one = base_record(model_type, suffix)
    *path, name = key.split(".")
    inner = one["config"][path[0]] if path else one["config"]
    twice = {**inner, name: inner[name] + 1, other: inner[name]}
    folder = healthy(spec_of(one), {**one["config"], **({path[0]: twice} if path else twice)})
    found = audit(str(write(folder, tmp_path / "damaged")))
    (finding,) = (one for one in found.findings if one.severity != "note")
    (step,) = finding.remedy().steps
    assert (finding.code, finding.place.key, found.loads[0].outcome) == ("C328", key, "complete")
    assert (step.key, step.new) == ((*path, name), inner[name])
    assert audit(str(write(damaged(folder, [["config", step.key, step.new]]), tmp_path / "mended"))).verdict == "clean"


@pytest.mark.parametrize(("stated", "meant"), [
    ("SiLU", "silu"), ("nn.GELU", "gelu"), ("torch.nn.LeakyReLU", "leaky_relu"), ("Tanh", "tanh"), ("selu", None),
    ("swiglu", None),
])  # fmt: skip
def test_names_of_torch_for_activations(stated: str, meant: str | None, tmp_path: Path) -> None:
    (finding,) = (one for one in audited(tmp_path, "llama", ("hidden_act", stated)).findings if one.code == "C311")
    assert [step.new for step in finding.remedy().steps] == ([] if meant is None else [meant])


@pytest.mark.parametrize(("name", "words"), [
    ("mtp.fc.weight", "download this file again"), ("other.fc.weight", "regenerate the index"),
])  # fmt: skip
def test_entries_of_a_part_that_the_loader_leaves_out(name: str, words: str, tmp_path: Path) -> None:
    """Layers that predict further tokens are read by vLLM and others; the type's class of transformers has none."""
    record = base_record("qwen3_next")
    folder = damaged(healthy(spec_of(record), record["config"]), [["shards", 2]])
    index = folder.texts["model.safetensors.index.json"]
    index["weight_map"][name] = max(index["weight_map"].values())
    found = audit(str(write(folder, tmp_path / "model")))
    (finding,) = (one for one in found.findings if one.code == "S228")
    assert words in finding.help
