"""Lists, words and numbers that transformers compares with each other, and sizes below zero: recorded outcomes of
loading a record with one other value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.judged import records, spec_of
from tests.loads.damage import damaged, healthy, write

Expected = tuple[int, int] | None
"""Counts of missing and unexpected tensors; null where it refuses the config or a shape."""
HALVED = ["Subsample", 8, 6, 4, 2, 2]
WINDOWS = "vision_config.backbone_config.window_size_per_stage"
UNBUILT = "tracker_config.vision_config.backbone_config.intermediate_size"
BLOCKS = "vision_config.backbone_config.blocks_per_stage"
NEWEST: list[tuple[str, str, tuple[str, Any], Expected]] = [
    # parts of which a class reads some keys only, and sizes of what other classes build
    ("maskformer", "MaskFormerModel", ("decoder_config.position_embedding_type", "sinex"), (0, 0)),
    ("maskformer", "Segmentation", ("decoder_config.encoder_attention_heads", 0), (0, 0)),
    ("pi0", "PI0Model", ("dit_config.vocab_size", -1), (0, 0)),
    ("maskformer", "Segmentation", ("decoder_config.decoder_attention_heads", 0), None),
    ("maskformer", "Segmentation", ("decoder_config.model_type", "bert"), None),
    ("sam3_video", "Model", (UNBUILT, -1), (0, 0)),  # the tracker shares the detector's encoder
    ("vit", "Classification", ("pooler_output_size", -1), (0, 0)),
    ("deit", "Modeling", ("pooler_output_size", -1), (0, 0)),
    ("dpt", "Estimation", ("pooler_output_size", -1), (0, 0)),
    ("vit", "ViTModel", ("pooler_output_size", -1), None),
    # computed sizes below zero
    ("segformer", "Classification", ("mlp_ratios", [-1, 4, 4, 4]), None),
    ("internvl_vision", "Model", ("image_size", [-1, 448]), None),
    ("qwen3_omni_moe", "Generation", ("code2wav_config.upsample_rates", [-1, 2]), None),
    # a table that no class reads
    ("deberta-v2", "MaskedLM", ("position_biased_input", False), (0, 0)),
    ("deberta", "DebertaModel", ("position_biased_input", False), (0, 0)),
    ("deberta-v2", "Answering", ("position_biased_input", False), (0, 0)),
    # lists that are read as pairs
    ("bamba", "CausalLM", ("time_step_limit", [0.0]), None),
    ("granitemoehybrid", "Model", ("time_step_limit", [0.0, 1.0, 2.0]), None),
    ("falcon_h1", "CausalLM", ("time_step_limit", [0.0]), None),
    ("falcon_h1", "CausalLM", ("time_step_limit", [0.0, 1.0]), (0, 0)),
    ("mamba2", "CausalLM", ("time_step_limit", [0.0]), (0, 0)),
    # stages that halve the grid
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 0, 2], HALVED, [""]]), (0, 12)),
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 2, 2, 9], HALVED, [""]]), (0, 0)),
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 2, 2], HALVED, [""], HALVED]), (0, 0)),
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 2, 2], HALVED, HALVED]), None),
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 2, 2], HALVED, []]), None),
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 2], HALVED, [""]]), None),
    ("levit", "Model", ("down_ops", [["Subsample", 8, 4, 4, 2, 0], HALVED, [""]]), None),
    ("levit", "Model", ("down_ops", [["Subsample", 16, 8, 4, 2, 2]]), None),
    ("levit", "Model", ("depths", [2, 1]), (0, 50)),
    # vocoders with as many blocks as both lists have
    ("speecht5_hifigan", "Gan", ("upsample_rates", [4]), None),
    ("fastspeech2_conformer_hifigan", "Gan", ("resblock_dilation_sizes", []), (0, 144)),
    ("speecht5_hifigan", "Gan", ("resblock_dilation_sizes", [[1], [1], [1], [1]]), (0, 96)),
    ("vits", "VitsModel", ("resblock_dilation_sizes", []), (0, 144)),
    # encoders without resnets
    ("emu3", "Generation", ("vq_config.num_res_blocks", 0), None),
    ("janus", "Generation", ("vq_config.num_res_blocks", 0), None),
    ("chameleon", "Generation", ("vq_config.num_res_blocks", 0), None),
    # windows, widths and blocks of the stages
    ("sam2", "Sam2Model", (WINDOWS, [6, 4, 8]), (0, 0)),
    ("sam2", "Sam2Model", (WINDOWS, [6, 4]), None),
    ("sam2", "Sam2Model", (WINDOWS, [-1, 4, 8, 4]), None),
    ("sam2", "Sam2Model", (BLOCKS, [1, 2]), (0, 52)),
    ("sam2", "Sam2Model", (BLOCKS, [0, 0, 0, 0]), (0, 90)),
    # a list that the model does not read as it is built
    ("llava_onevision", "Generation", ("image_grid_pinpoints", [[384, 384], [384, 768], [1, 2, 3]]), (0, 0)),
    # checks of config classes
    ("depth_pro", "Estimation", ("scaled_images_ratios", [0.5, 0.25, 1.0]), None),
    ("depth_pro", "Estimation", ("num_fov_head_layers", 6), None),
    ("embedding_gemma2_text", "Model", ("sliding_window_pattern", 0), None),
    ("mistral_large4_text", "Model", ("kv_source_layers", [0, 1, 1, 2]), None),
    ("mistral_large4_text", "Model", ("kv_source_layers", [1, 1, 2, 3]), None),
    ("mistral_large4_text", "Model", ("kv_source_layers", [0, 1, 0, 1]), (0, 2)),
    ("qwen4_exp_text", "CausalLM", ("eos_token_id", []), None),
    ("qwen4_exp_text", "CausalLM", ("output_gate_type", "x"), None),
    ("seggpt", "Segmentation", ("merge_index", 99), None),
    ("seggpt", "Segmentation", ("merge_index", 3), (0, 0)),
    ("musicgen", "Generation", ("decoder.audio_channels", 3), None),
    ("t5", "EncoderModel", ("feed_forward_proj", "gated-gelu-x"), None),
    ("udop", "EncoderModel", ("feed_forward_proj", "x-gelu"), None),
    ("t5", "EncoderModel", ("feed_forward_proj", "gated"), (0, 0)),
    ("hiera", "Backbone", ("masked_unit_size", [3, 8]), None),
    ("hiera", "Backbone", ("masked_unit_size", [8, 3]), (0, 0)),
    ("efficientloftr", "Matching", ("out_features", [24, 24, 12]), None),
    # sides of kernels and grids, and widths of the stages that are asked for
    ("sam2_hiera_det_model", "Model", ("patch_kernel_size", [7, 7, 7]), None),
    ("vivit", "Model", ("tubelet_size", [2, 16, 16, 16]), None),
    ("pp_ocrv6_small_rec", "Model", ("conv_kernel_size", [1, 7, 7]), None),
    ("hiera", "Backbone", ("patch_stride", [4]), None),
    ("d_fine", "Detection", ("backbone_config.stem_channels", [1, 8]), None),
    ("d_fine", "Detection", ("backbone_config.hidden_sizes", [20, 28, 36]), None),
    ("detr", "Detection", ("backbone_config.depths", [2, 1, 2, 1, 1]), (0, 0)),
    ("kimi_k25", "Generation", ("vision_config.merge_kernel_size", [2]), None),
    ("radio", "Model", ("norm_std", [0.2, 0.2]), None),
    # numbers that parts compare
    ("florence2", "Generation", ("text_config.decoder_attention_heads", 5), None),
    ("minicpmv4_6", "Generation", ("vision_config.num_attention_heads", 5), None),
    ("gemma4", "Generation", ("text_config.num_kv_shared_layers", 1), None),
    ("granite_speech_encoder", "Encoder", ("context_size", 54), None),
    ("moshi", "MoshiModel", ("audio_encoder_config.codebook_size", 33), None),
    ("xcodec", "Model", ("acoustic_model_config.codebook_size", 33), None),
    ("xlm", "XLMModel", ("is_encoder", False), None),
    ("bit", "BitModel", ("num_groups", 9), None),
    ("nystromformer", "NystromformerModel", ("inv_coeff_init_option", True), None),
    ("qwen4_exp_text", "CausalLM", ("indexer_budget", 17), None),
    # what config classes compute if it is absent, and models read
    ("patchtsmixer", "Prediction", ("num_patches", 9), None),
    ("phi4_multimodal_audio", "Model", ("nemo_final_size", 7), None),
    ("mllama", "Generation", ("vision_config.attention_heads", 5), None),
    ("deepseek_v3", "CausalLM", ("qk_head_dim", 44), (0, 0)),
]


def loaded(place: Path, major: str, model_type: str, suffix: str, change: tuple[str, Any]) -> Audit:
    """The audit for a version of a record that it wrote, with another value in its config."""
    own = (one for one in records(model_type) if one["class"].endswith(suffix) and not one["variant"])
    record = next(one for one in own if one["writer"].startswith(f"transformers {major}."))
    folder = healthy(spec_of(record), record["config"])
    damaged(folder, [["config", change[0].split("."), change[1]]])
    return judged_for(audit(str(write(folder, place))), f"transformers@{major}")


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "change", "counts"), NEWEST, ids=str)
def test_transformers_5(
    model_type: str, suffix: str, change: tuple[str, Any], counts: Expected, tmp_path: Path
) -> None:
    found = loaded(tmp_path, "5", model_type, suffix, change)
    (load,) = found.loads
    outcome = "refuses" if counts is None else "random" if counts[0] else "complete"
    assert (load.outcome, (load.missing, load.unexpected)) == (outcome, counts or (None, None))
    assert (found.verdict == "clean") == (counts == (0, 0))


@pytest.mark.thinned
@pytest.mark.parametrize(("model_type", "suffix", "change", "outcomes"), [
    ("sam2", "Sam2Model", (WINDOWS, [6, 4]), "refuses"),
    ("sam2", "Sam2Model", (WINDOWS, [-1, 4, 8, 4]), "refuses"),
    ("sam2", "Sam2Model", (WINDOWS, [6, 4, 8, [1]]), "complete unknown"),  # it reads the first one as a size
    ("pvt", "Classification", ("strides", [4, 2, 2, [2]]), "complete unknown"),
    ("pvt", "Classification", ("strides", [[4, 2, 2, 2]]), "refuses"),
    ("bamba", "CausalLM", ("time_step_limit", [0.0]), "complete"),
    ("levit", "Model", ("down_ops", None), "complete"),  # its config class computes it
    ("maskformer", "MaskFormerModel", ("decoder_config.position_embedding_type", "x"), "complete"),
    ("vit", "Classification", ("pooler_output_size", -1), "complete"),
    ("electra", "PreTraining", ("hidden_act", 0), "refuses unknown"),
    ("time_series_transformer", "ForPrediction", ("num_static_categorical_features", 2), "refuses"),
    ("mctct", "CTC", ("conv_kernel", [7, 7]), "refuses"),
    ("bros", "BrosModel", ("pruned_heads", {"0": None}), "refuses"),
    ("electra", "PreTraining", ("pruned_heads", {"99": [0]}), "unknown"),
    ("seggpt", "SegGptModel", ("merge_index", 99), "refuses"),
    ("detr", "Detection", ("backbone_config.depths", [2, 1, 2, 1, 1]), "refuses"),
    ("deepseek_v3", "CausalLM", ("qk_head_dim", 44), "refuses"),
    ("lfm2", "CausalLM", ("layer_types", [0, "conv", "full_attention"]), "random unknown"),
    ("bart", "BartModel", ("num_hidden_layers", 9), "complete"),  # the encoder has a key of its own
    ("m2m_100", "Generation", ("num_attention_heads", 5), "refuses"),
    ("led", "Generation", ("num_hidden_layers", 9), "unknown"),
    ("bit", "BitModel", ("num_groups", 9), "refuses"),
    ("csm", "Generation", ("tie_word_embeddings", True), "refuses"),
    ("vit_mae", "PreTraining", ("decoder_num_attention_heads", 5), "refuses"),
    ("ovis2", "Generation", ("vision_config.num_attention_heads", 5), "refuses"),
    ("llava_next", "Generation", ("image_grid_pinpoints", [[384, 384], [384, 768], [1, 2, 3]]), "complete"),
], ids=str)  # fmt: skip
def test_transformers_4(model_type: str, suffix: str, change: tuple[str, Any], outcomes: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, "4", model_type, suffix, change)
    assert [one.outcome in outcomes.split() for one in found.loads] == [True]
