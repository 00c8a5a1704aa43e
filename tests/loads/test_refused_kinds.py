"""Kinds of config values that transformers refuses, as measured, and values that it accepts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.architectures.refused_kinds import kinds_refused
from inspector.architectures.value_rules import refused_values
from inspector.loading.config_rules import refused_config
from inspector.loading.unmeasured import unmeasured_value
from tests.judged import FIXTURES, base_record, oracle_types, records
from tests.loads.test_config_values import audited
from tests.oracle.value_cases import decoded

Change = tuple[str, Any]
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}  # fmt: skip
EVERY = 7
"""Every so many records are read."""

OF_A_LIBRARY = ("use_mambapy", "use_falcon_mambapy")
"""Switches with which transformers 4.57 builds a model only where another library is installed."""
WITHOUT_ANGLES = ("mllama", "4")
"""The fixture leaves out the `rope_scaling` of this config, without which transformers 4.57 builds no model."""

REFUSED: list[tuple[str, str, Change, str, Any]] = [
    # model type, end of the class, key and value, code, the value that the remedy sets; ... where it sets none
    ("t5", "Generation", ("d_kv", -20), "C311", 20),
    ("t5", "Generation", ("dropout_rate", -0.5), "C311", ...),
    ("bert", "MaskedLM", ("hidden_dropout_prob", 1.5), "C311", ...),
    ("llama", "CausalLM", ("num_key_value_heads", 0), "C310", 2),
    ("aimv2_vision_model", "", ("image_size", [40]), "C311", 40),
    ("aimv2_vision_model", "", ("image_size", [40, 40]), "C311", ...),
    ("beit", "Classification", ("out_indices", "3"), "C311", ...),
    ("beit", "Classification", ("pool_scales", [1, 2, 3, None]), "C311", ...),
    ("big_bird", "MaskedLM", ("attention_type", "sparse"), "C311", ...),
    ("donut-swin", "Model", ("num_heads", [2, 4, 6]), "C311", ...),
    ("swin", "SwinModel", ("num_heads", [2]), "C311", ...),
    ("swinv2", "Model", ("num_heads", [2]), "C311", ...),
    ("align_vision_model", "", ("strides", [1, 2]), "C311", ...),
    ("encoder-decoder", "Model", ("encoder.hidden_dropout_prob", -0.5), "C311", ...),
    ("llava", "Generation", ("vision_config.image_size", [40]), "C311", 40),
    ("beit", "Backbone", ("stage_names", ["stem", "stage1", "stage2", "stage4"]), "C311", ...),
    ("bit", "Classification", ("out_indices", [4, 4]), "C311", ...),
    ("bit", "Classification", ("out_features", ["layer4"]), "C311", ...),
    ("pvt_v2", "Model", ("strides", [[4, 2, 2, 2]]), "C311", ...),
    ("dinov2", "Model", ("out_indices", [9]), "C311", ...),
    ("prompt_depth_anything", "Estimation", ("backbone_config.stage_names", ["stem"]), "C311", ...),
    ("dinov2", "Backbone", ("num_hidden_layers", 2), "C310", 3),  # out_features follow
    ("bark", "Model", ("semantic_config.num_layers", "3"), "C311", 3),
    ("altclip", "Model", ("initializer_factor", None), "C311", ...),
    ("aya_vision", "Generation", ("vision_feature_select_strategy", "none"), "C311", ...),
    ("vit_mae", "ForPreTraining", ("decoder_num_attention_heads", 0), "C311", ...),
    ("convnextv2", "Model", ("hidden_sizes", [24, 48, True, 96]), "C311", ...),
    ("speecht5", "Model", ("conv_stride", [5, 2, 2, 2, 2, {}, 2]), "C311", ...),
    ("uvdoc_backbone", "", ("stage_configs", [[[24, 1]], [[24], [24, 3]], [[24, 4]]]), "C311", ...),  # all of two
    ("cohere_asr", "Generation", ("encoder_config.subsampling_conv_stride", -2), "C311", 2),
    ("perceiver", "MaskedLM", ("output_shape", [1, 16, 224, True]), "C311", ...),
    ("falcon", "CausalLM", ("rope_theta", {}), "C311", ...),
    ("beit", "Backbone", ("stage_names", None), "C311", ...),
    ("led", "Generation", ("attention_window", [14, 14, 15]), "C311", ...),
    ("longformer", "MaskedLM", ("attention_window", [7, 14, 14]), "C311", ...),
    ("vit", "Model", ("pooler_act", "tanhx"), "C311", ...),
    ("deit", "Model", ("pooler_act", "x"), "C311", ...),
    ("vits", "", ("resblock_dilation_sizes", [[1, 3, 5], [1, 3, 5], [1, 3, None]]), "C311", ...),
    ("perceiver", "MaskedLM", ("hidden_act", "default"), "C311", ...),
    ("swinv2", "Model", ("pretrained_window_sizes", [0, 0, 0]), "C311", ...),
    ("hiera", "Backbone", ("num_heads", [2, 4, 6]), "C311", ...),
    ("vibevoice_acoustic_tokenizer_encoder", "Model", ("depths", [1, 3]), "C311", ...),
    ("deformable_detr", "Model", ("backbone_config.stage_names", ["stem", None]), "C311", ...),
    (
        "fastspeech2_conformer_hifigan",
        "Gan",
        ("resblock_dilation_sizes", [[1, 3, 5], [1, 3, 5], [1, 3, ""]]),
        "C311",
        ...,
    ),
    ("sam_hq", "Model", ("prompt_encoder_config.image_size", []), "C311", ...),
    ("deepseek_v4", "CausalLM", ("compress_rates.heavily_compressed_attention", []), "C311", ...),
    ("dbrx", "CausalLM", ("ffn_config.ffn_act_fn.name", "nono"), "C311", ...),
    ("nemotron_h_omni", "V3", ("audio_config", {}), "C311", ...),
    ("mistral4", "CausalLM", ("rope_parameters.partial_rotary_factor", ""), "C311", ...),
]


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "change", "code", "new"), REFUSED, ids=str)
def test_refused(model_type: str, suffix: str, change: Change, code: str, new: Any, tmp_path: Path) -> None:
    found = audited(tmp_path, model_type, change, suffix=suffix)
    (finding,) = (one for one in found.findings if one.severity == "error")
    assert (finding.code, finding.place.key, found.loads[0].outcome) == (code, change[0], "refuses")
    assert [step.new for step in finding.remedy().steps] == ([] if new is ... else [new])
    if new is not ...:
        assert audited(tmp_path / "mended", model_type, (change[0], new), suffix=suffix).verdict == "clean"


OF_OWN_WIDTH = {"model_type": "dinov2", "hidden_size": 48, "num_hidden_layers": 4, "num_attention_heads": 3}


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "change"), [
    ("vit_mae", "Model", ("decoder_num_attention_heads", 0)),  # a class without a decoder
    ("albert", "Model", ("classifier_dropout_prob", -0.5)),  # a class without a classifier
    ("bert", "MaskedLM", ("hidden_dropout_prob", 1.0)),
    ("llama", "CausalLM", ("pad_token_id", -1)),
    ("big_bird", "MaskedLM", ("attention_type", "original_full")),
    ("beit", "Classification", ("stage_names", ["stem"])),  # which only a backbone reads
    ("beit", "Model", ("stage_names", None)),
    ("vit", "Classification", ("pooler_act", "tanhx")),  # a class without a pooler
    ("swinv2", "Model", ("stage_names", ["stem", None])),
    ("bit", "Classification", ("out_indices", [-1])),
    ("eurobert", "MaskedLM", ("eos_token_id", [1, 2])),
    ("depth_anything", "Estimation", ("reassemble_factors", [4, 2.0, 1, 0.5])),  # integers or floats
    ("zoedepth", "Estimation", ("backbone_config.out_features", None)),
    ("clip", "Model", ("vision_config.image_size", 40)),
    ("hunyuan_v1_moe", "CausalLM", ("moe_topk", [1, 1, 1])),  # one for each layer
    ("fastspeech2_conformer_hifigan", "Gan", ("resblock_dilation_sizes", [[1, 3, 5], [1, 3, 5], [1, 3, 6]])),
    ("dbrx", "CausalLM", ("attn_config.rope_theta", 500.0)),
    ("speecht5_hifigan", "Gan", ("upsample_rates", [4, 4, 4, 4, 4])),  # as many as there are kernels
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 2, 2], ["Subsample", 8, 6, 4, 2, 2]])),
    ("openai_privacy_filter", "Model", ("rope_parameters.beta_fast", 31)),
    ("mistral4", "CausalLM", ("rope_parameters.attention_factor", None)),
    ("blenderbot-small", "Generation", ("num_hidden_layers", 3)),
    ("vit", "Model", ("dtype", {})),
    ("dpt", "Segmentation", ("backbone_config", OF_OWN_WIDTH)),
    ("dpt", "Model", ("backbone_config", OF_OWN_WIDTH)),
], ids=str)  # fmt: skip
def test_accepted(model_type: str, suffix: str, change: Change, tmp_path: Path) -> None:
    found = audited(tmp_path, model_type, change, suffix=suffix)
    assert (found.verdict, found.loads[0].outcome) == ("clean", "complete")


@pytest.mark.parametrize(("model_type", "suffix", "change", "unread"), [
    ("fastspeech2_conformer", "Model", ("encoder_config.layers", True), 80),
    ("fastspeech2_conformer", "Model", ("decoder_config.layers", True), 120),
    ("fastspeech2_conformer", "Model", ("encoder_config.layers", 1), 80),
    ("blenderbot-small", "Generation", ("num_hidden_layers", 1), 32),  # decides beside encoder_layers
])  # fmt: skip
def test_numbers_of_layers(model_type: str, suffix: str, change: Change, unread: int, tmp_path: Path) -> None:
    found = audited(tmp_path, model_type, change, suffix=suffix)
    assert (found.loads[0].outcome, found.loads[0].missing, found.loads[0].unexpected) == ("complete", 0, unread)


BACKBONE = {"model_type": "dinov2", "hidden_size": 36, "num_hidden_layers": 4, "num_attention_heads": 3}


@pytest.mark.parametrize(("key", "value"), [
    ("hidden_size", 47), ("num_attention_heads", 0), ("image_size", None), ("intermediate_size", -1)
])  # fmt: skip
@pytest.mark.parametrize(("suffix", "hybrid", "refused"), [
    ("Estimation", False, False), ("Estimation", True, True), ("Segmentation", False, True), ("Model", False, True)
])  # fmt: skip
def test_keys_of_an_encoder_that_a_backbone_replaces(
    key: str, value: Any, suffix: str, hybrid: bool, refused: bool
) -> None:
    record = base_record("dpt", suffix)
    config = {**decoded(record["config"]), "model_type": "dpt", "architectures": [record["class"]], key: value}
    assert refused_config({**config, "is_hybrid": False, "backbone_config": None}) is not None
    found = refused_config({**config, "is_hybrid": hybrid, "backbone_config": BACKBONE})
    assert (found is not None) == refused


@pytest.mark.parametrize("model_type", ["glm", "bamba", "phi"])
@pytest.mark.parametrize(("part", "refused"), [({}, True), (-0.5, True), (None, True), (-0.01, False), (0.5, False)])
def test_parts_of_a_head_that_are_rotated(model_type: str, part: Any, refused: bool) -> None:
    config = {**decoded(base_record(model_type, "CausalLM")["config"]), "model_type": model_type}
    settings = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": part}
    found = [one.path[-1] for one in refused_values({**config, "rope_parameters": settings})]
    assert found == ["partial_rotary_factor"] * refused


@pytest.mark.parametrize(("model_type", "suffix", "outer", "keys"), [
    ("dbrx", "CausalLM", "attn_config", ("rope_theta",)),
    ("fastspeech2_conformer", "Model", "encoder_config", ("layers", "kernel_size")),
    ("deepseek_v4", "CausalLM", "compress_rates", ("heavily_compressed_attention",)),
])  # fmt: skip
def test_absent_keys_of_objects(model_type: str, suffix: str, outer: str, keys: tuple[str, ...]) -> None:
    record = base_record(model_type, suffix)
    config = {**decoded(record["config"]), "model_type": model_type, "architectures": [record["class"]]}
    for key in keys:
        inner = {name: value for name, value in config[outer].items() if name != key}
        assert (outer, key) in [one.path for one in kinds_refused({**config, outer: inner}, "5")]
    assert not list(kinds_refused(config, "5"))


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "change"), [
    ("aria", "Generation", ("projector_patch_to_query_dict", {"a": 1})),
    ("levit", "Classification", ("down_ops", [[None, 16, 3, 4, 2, 2], ["Subsample", 16, 4, 4, 2, 2], [""]])),
    ("pp_lcnet", "Classification", ("block_configs", [[[3, 16, 32, 1, False]], [None], [[3, 32, 64, 1, False]]])),
    ("levit", "Classification", ("down_ops", [["Subsample", 8, 4, 4, 2, 2]])),
    ("levit", "Model", ("down_ops", [["x", 8, 4, 4, 2, 2], ["Subsample", 8, 6, 4, 2, 2], [""]])),
    ("emu3_vqgan", "VAE", ("num_res_blocks", 0)),
    ("univnet", "Model", ("resblock_dilation_sizes", [0, [1, 3, 9, 27], [1, 3, 9, 27]])),
    ("textnet", "Model", ("conv_layer_kernel_sizes", [[[3, 3]], [[3, True]], [[3, 3]], [[3, 3]]])),
    ("fastspeech2_conformer_hifigan", "Gan", ("resblock_dilation_sizes", [[1, 3, 5], [1, 3, 5]])),
    ("openai_privacy_filter", "Model", ("rope_parameters.beta_fast", "x")),
    ("mistral4", "CausalLM", ("rope_parameters.mscale", [1.0])),
    ("glm_image", "Generation", ("text_config.model_type", {})),
    ("blenderbot-small", "Generation", ("num_hidden_layers", [])),  # beside another number of encoder layers
    ("m2m_100", "Generation", ("num_hidden_layers", "")),
    ("depth_anything", "Estimation", ("backbone_config.stage_names", "x")),
    ("rt_detr_v2", "Model", ("backbone_config.stage_names", [{}, "stage1", "stage2", "stage3", "stage4"])),
    ("lw_detr", "Model", ("backbone_config.out_indices", [True, 3])),
    ("t5gemma", "Generation", ("pad_token_id", [])),
    ("zamba2", "CausalLM", ("hybrid_layer_ids", {})),
    ("vjepa2", "Model", ("pred_num_attention_heads", 5)),  # of the predictor's own width
    ("bamba", "CausalLM", ("time_step_limit", [0.0])),
    ("granitemoehybrid", "Model", ("time_step_limit", [0.0, 1.0, 2.0])),
    ("gpt_neo", "Answering", ("attention_layers", ["global", "local", True])),
    ("sam3_video", "Model", ("detector_config.vision_config.backbone_config.dtype", {})),
    ("apertus", "CausalLM", ("rope_parameters", {**LLAMA3, "low_freq_factor": False})),
    ("mistral_large4", "Generation", ("vision_config.patch_size", [])),
    (
        "pp_ocrv5_server_det",
        "Detection",
        ("intraclass_block_config.symmetric_conv_long_midratio", [[False, 5], [1, 1], [2, 2]]),
    ),
    ("sam2_hiera_det_model", "Model", ("blocks_per_stage", [1, 1, 1])),
], ids=str)  # fmt: skip
def test_values_that_were_not_measured_leave_the_verdict_open(
    model_type: str, suffix: str, change: Change, tmp_path: Path
) -> None:
    found = audited(tmp_path, model_type, change, suffix=suffix)
    assert found.loads[0].outcome in ("unknown", "refuses") and found.verdict != "clean"


def test_no_config_that_was_built_or_published_has_a_refused_value() -> None:
    configs = [
        ({**decoded(record["config"]), "model_type": model_type, "architectures": [record["class"]]}, record["writer"])
        for model_type in oracle_types()
        for record in records(model_type)[::EVERY]
        if record["config"] and not any(record["config"].get(key) for key in OF_A_LIBRARY)
    ]
    raw = gzip.decompress((FIXTURES / "published_configs.json.gz").read_bytes())
    published = [
        (one["config"], f"transformers {major}")
        for one in json.loads(raw)
        for major in "54"
        if (one["config"]["model_type"], major) != WITHOUT_ANGLES
    ]
    for config, writer in (*configs, *published):
        major = writer.removeprefix("transformers ")[0]
        assert not list(kinds_refused(config, major)) and unmeasured_value(config, major) is None, config
