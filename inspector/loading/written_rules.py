"""Conditions under which transformers refuses a config that its own checks do not state as one, in the form of
`config_rules.json`.

Sources: transformers 5.23, `modeling_levit.py`, `configuration_bamba.py` and those like it; 4.57,
`configuration_wav2vec2.py` and those like it, `configuration_efficientloftr.py`, `modeling_deepseek_v3.py`,
`modeling_efficientloftr.py`, `modeling_bit.py`, `modeling_reformer.py`, `configuration_gpt_neo.py`,
`modeling_videomae.py`, `configuration_musicgen.py` and `configuration_musicgen_melody.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_CONVOLUTIONS: Final = ("(len(conv_stride) != len(conv_dim))", "(len(conv_kernel) != len(conv_dim))")
"""4.57 counts the widths; transformers 5 compares all three lists with a number."""
_CONVOLUTIONAL: Final = (
    "data2vec-audio", "hubert", "sew", "sew-d", "speecht5", "unispeech", "unispeech-sat", "wav2vec2",
    "wav2vec2-conformer", "wavlm",
)  # fmt: skip
_OF_SOUND: Final = ("musicgen_decoder", "musicgen_melody_decoder")
_CATEGORIES: Final = (
    "(num_static_categorical_features > 0) and (len(cardinality) != num_static_categorical_features)",
)
_OF_DETR: Final = ("(decoder_config.model_type != 'detr')",)
_GATES: Final = "(output_gate_type != 'sigmoid') and (output_gate_type != 'silu')"
_HAS_NGRAMS: Final = "(len(ple_layer_ids) > 0)"
_SOURCE: Final = "kv_source_layers[{S}]"
_HALVED: Final = "(down_ops[{S}][0] == 'Subsample')"
"""Stages of LeViT with an attention that halves the grid (`modeling_levit.py`)."""
_MONO_OR_STEREO: Final = ("(audio_channels != 1) and (audio_channels != 2)",)
_GROUPED: Final = "depths[{S}] > 1 or {S} + 1 < len(depths) or layer_type == 'bottleneck'"
"""Stages of BiT of which a norm with groups has the width that they give."""
_SIDES: Final = ("(len({}) != 2)", "(len({}) < 2)", "(len({}) > 2)", "(len({}) > 3)")
_NOT_TWO, _BELOW_TWO, _ABOVE_TWO, _ABOVE_THREE = _SIDES
"""Lists of the sides of a kernel or a grid, of which the model takes the sides one by one or makes a tuple."""
_SHALLOW: Final = "(len(backbone_config.hidden_sizes) < len(backbone_config.depths))"
_UNKNOWN_STAGE: Final = (
    "len(backbone_config.out_indices)",
    "(backbone_config.out_indices[{S}] > len(backbone_config.hidden_sizes))",
)
"""Backbones that lack the width of a stage that the model asks for: the last one in 4.57, those listed in 5.23."""
_ABOVE_STAGES: Final = (
    "conditional_detr", "d_fine", "dab-detr", "deformable_detr", "detr", "pp_doclayout_v2", "pp_doclayout_v3",
    "rt_detr", "rt_detr_v2", "table-transformer", "upernet",
)  # fmt: skip
_LIMITS: Final = ("(time_step_limit != null) and (len(time_step_limit) != 2)",)
"""Transformers 5 reads the list as a tuple of two numbers (`configuration_bamba.py` and those like it)."""
_ADAPTIVE: Final = ("(asm != false)",)
"""The head for this is built with `asm_cutoffs`, which the config classes do not have (`modeling_xlm.py`)."""
_DECODER: Final = "(is_encoder == false)"
_NO_POWER: Final = "((2 ** log2(codebook_size)) != codebook_size)"
_OF_BART: Final = "(({0}.d_model % {0}.{1}) != 0)"
_HEADS_OF_BART: Final = ("encoder_attention_heads", "decoder_attention_heads")
_WITHOUT_PIXELS: Final = ("Model", "ForImageClassification", "Backbone")
"""Classes without the decoder of masked pixels, whose width follows from a stated number of layers."""
_NONE_KEEPS: Final = (
    "(shares > 0) and (len(own - full) == len(own))",
    "(shares > 0) and (len(own) < len(L)) and (len(own - full) == 0) and (len(L - full) > 0)",
)
"""No layer of a type keeps the keys and values that others of this type share (`configuration_gemma4.py`)."""
_OF_SIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "deepseek_ocr2_sam_vision_model": (_BELOW_TWO.format("downsample_channels"),),
    "ernie4_5_vl_moe_text": (_BELOW_TWO.format("moe_intermediate_size"),),
    "hiera": (_BELOW_TWO.format("image_size"), _BELOW_TWO.format("patch_stride")),
    "kimi_k25": (_BELOW_TWO.format("vision_config.merge_kernel_size"),),
    "minicpmv4_6_vision": (_BELOW_TWO.format("window_kernel_size"), "((hidden_size % num_attention_heads) != 0)"),
    **dict.fromkeys(
        ("pp_ocrv5_mobile_rec", "pp_ocrv5_server_rec", "pp_ocrv6_small_rec"), (_ABOVE_TWO.format("conv_kernel_size"),)
    ),
    "unlimited_ocr_sam_vision_model": (_BELOW_TWO.format("downsample_channels"),),
    **dict.fromkeys(("videoprism_vision_model", "vivit"), (_ABOVE_THREE.format("tubelet_size"),)),
}
"""Model type -> conditions on such lists, in both versions."""
WRITTEN: Final[Mapping[str, Mapping[str, Any]]] = {
    **{name: {"stages": [("45", "1", one, ()) for one in listed]} for name, listed in _OF_SIDES.items()},
    **{name: {"stages": (("4", "1", _SHALLOW, ()), ("5", *_UNKNOWN_STAGE, ()))} for name in _ABOVE_STAGES},
    **{model_type: {"older": _CONVOLUTIONS} for model_type in _CONVOLUTIONAL},
    **{name: {"config": _MONO_OR_STEREO, "older": _MONO_OR_STEREO} for name in _OF_SOUND},
    **{model_type: {"config": _LIMITS} for model_type in ("bamba", "falcon_h1", "granitemoehybrid")},
    "efficientloftr": {
        "older": (
            "(len(out_features) < len(stage_num_blocks))",
            "(len(stage_num_blocks) < len(stage_stride))",
            "(hidden_size != out_features[len(out_features) - 1])",
        ),
        "stages": (
            ("4", "len(stage_stride)", "(len(stage_block_stride[{S}]) < stage_num_blocks[{S}])", ()),
            ("4", "len(stage_stride)", "(len(stage_block_in_channels[{S}]) < stage_num_blocks[{S}])", ()),
            ("4", "len(stage_stride)", "(len(stage_block_out_channels[{S}]) < stage_num_blocks[{S}])", ()),
        ),
    },
    **{
        name: {"older": ("(qk_head_dim != qk_nope_head_dim + qk_rope_head_dim)",)}
        for name in ("deepseek_v3", "longcat_flash")
    },
    "csm": {"older": ("(tie_word_embeddings == true)",)},
    **{
        name: {"stages": (("4", "1", f"(({part}.hidden_size % {part}.num_attention_heads) != 0)", ()),)}
        for name, part in (("altclip", "vision_config"), ("chinese_clip", "text_config"), ("ovis2", "vision_config"))
    },
    "seamless_m4t_v2": {
        "stages": tuple(
            ("4", "1", f"((hidden_size % t2u_{part}_attention_heads) != 0)", ()) for part in ("encoder", "decoder")
        ),
    },
    "vit_mae": {
        "stages": (("4", "1", "((decoder_hidden_size % decoder_num_attention_heads) != 0)", ("ViTMAEModel",)),),
    },
    **{
        name.lower(): {
            "stages": (("5", "1", "(num_layers != len(depths))", tuple(f"{name}{end}" for end in _WITHOUT_PIXELS)),),
        }
        for name in ("Swin", "Swinv2")
    },
    "depth_pro": {
        "stages": (
            ("45", "len(scaled_images_ratios) - 1", "(scaled_images_ratios[{S}] > scaled_images_ratios[{S} + 1])", ()),
        ),
    },
    **{name: {"older": _CATEGORIES} for name in ("autoformer", "informer", "time_series_transformer")},
    "mctct": {"older": ("(len(conv_kernel) != num_conv_layers)",)},
    "moshi": {"older": ("(num_codebooks > audio_encoder_config.num_codebooks)",)},
    "embedding_gemma2_text": {"config": ("(sliding_window_pattern < 1)",)},
    "maskformer": {"config": _OF_DETR, "older": _OF_DETR},
    "mistral_large4_text": {
        "stages": (
            ("5", "len(kv_source_layers)", f"({_SOURCE} > {{S}})", ()),
            ("5", "len(kv_source_layers)", f"({_SOURCE} >= 0) and (kv_source_layers[{_SOURCE}] != {_SOURCE})", ()),
            ("5", "len(kv_source_layers)", f"({_SOURCE} < 0) and ({{S}} + 1 < len(kv_source_layers))", ()),
        ),
    },
    "qwen4_exp_text": {
        "config": (
            f"(output_gate_type != null) and (output_gate_type != '') and {_GATES}",
            f"{_HAS_NGRAMS} and (len(eos_token_id) == 0)",
            "((indexer_budget % indexer_compress_ratio) != 0)",
        ),
        "stages": (
            ("5", "len(ple_layer_ids)", "(ple_layer_ids[{S}] < 1) or (ple_layer_ids[{S}] > num_hidden_layers)", ()),
            ("5", "len(ple_layer_ids)", "(layer_types[ple_layer_ids[{S}] - 1] != 'linear_attention')", ()),
        ),
    },
    "sam2_hiera_det_model": {
        "stages": (
            ("45", "1", _NOT_TWO.format("patch_kernel_size"), ()),
            ("45", "1", _NOT_TWO.format("window_positional_embedding_background_size"), ()),
            ("45", "len(blocks_per_stage)", "(blocks_per_stage[{S}] > 0) and ({S} >= len(embed_dim_per_stage))", ()),
            ("45", "len(blocks_per_stage)", "(blocks_per_stage[{S}] > 0) and (len(window_size_per_stage) < {S})", ()),
            (
                "45",
                "len(blocks_per_stage)",
                "(blocks_per_stage[{S}] > min({S}, 1)) and (len(window_size_per_stage) <= {S})",
                (),
            ),
            (
                "45",
                "len(blocks_per_stage)",
                "(blocks_per_stage[{S}] > 0) and (len(num_attention_heads_per_stage) <= {S})",
                (),
            ),
        ),
    },
    **{name: {"stages": (("45", "1", _NO_POWER, ()),)} for name in ("dac", "encodec")},
    "mimi": {"config": (_NO_POWER,), "stages": (("4", "1", _NO_POWER, ()),)},
    **{
        name: {"stages": tuple(("5", "1", one, ()) for one in _NONE_KEEPS)}
        for name in ("gemma4_text", "gemma4_unified_text")
    },
    **{
        name: {"stages": [("45", "1", _OF_BART.format(part, one), ()) for one in _HEADS_OF_BART]}
        for name, part in (("florence2", "text_config"), ("rag", "generator"))
    },
    **{
        name: {"stages": (("45", "1", "(context_size <= 0) or (context_size > max_pos_emb)", ()),)}
        for name in ("granite_speech_encoder", "granite_speech_plus_encoder")
    },
    "idefics2_vision": {"stages": (("45", "1", "((hidden_size % num_attention_heads) != 0)", ()),)},
    "nystromformer": {"stages": (("45", "1", "(inv_coeff_init_option == true)", ()),)},
    "xlm": {
        "classes": {"XLMWithLMHeadModel": _ADAPTIVE},
        "stages": (("45", "1", _DECODER, ()),),
    },
    "seggpt": {
        "stages": (
            (
                "45",
                "len(intermediate_hidden_state_indices)",
                "(merge_index > intermediate_hidden_state_indices[{S}])",
                (),
            ),
        ),
    },
    "levit": {
        "stages": (
            ("5", "1", "(down_ops == null) or (len(down_ops) + 1 < len(depths))", ()),
            ("5", "min(len(depths), len(down_ops))", "(len(down_ops[{S}]) == 0)", ()),
            ("5", "min(len(depths), len(down_ops))", f"{_HALVED} and (len(down_ops[{{S}}]) < 6)", ()),
            ("5", "min(len(depths), len(down_ops))", f"{_HALVED} and ({{S}} + 1 >= len(hidden_sizes))", ()),
            ("5", "min(len(depths), len(down_ops))", f"{_HALVED} and (down_ops[{{S}}][5] == 0)", ()),
        ),
    },
    "bit": {
        "stages": (
            ("45", "1", "((embedding_size % num_groups) != 0)", ()),
            ("45", "min(len(depths), len(hidden_sizes))", "((m % num_groups) != 0)", ()),
            ("45", "min(len(depths), len(hidden_sizes))", f"((w % num_groups) != 0) and ({_GROUPED})", ()),
            ("45", "1", "(layer_type == 'preactivation') and ((f % num_groups) != 0)", ()),
        ),
    },
    "videomae": {"stages": (("4", "1", "((num_frames // tubelet_size) == 0)", ()),)},  # no position has a sinusoid
    "reformer": {
        "classes": {
            "ReformerForMaskedLM": ("(is_decoder == true)",),
            "ReformerModelWithLMHead": ("(is_decoder == false)",),
        },
    },
    "flaubert": {
        "classes": {"FlaubertWithLMHeadModel": _ADAPTIVE},
        "stages": (("45", "1", _DECODER, ()),),
    },
}
"""Model type -> conditions that must not hold: `config` and `older` of config classes of 5.23 and 4.57, `classes` of
single classes, `stages` as in `config_rules.json`; the symbols of a definition may be in them."""
PROJECTED: Final = frozenset({"longt5", "mt5", "t5", "udop", "umt5"})
"""Model types whose `feed_forward_proj` is an activation function, or one after `gated-`."""
REPEATED: Final[Mapping[str, tuple[str, str]]] = {"gpt_neo": ("attention_types", "num_layers")}
"""Model type -> a list of lists, each with a number of repetitions, and the number of layers that they give."""


def with_written(rules: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The measured conditions with those written here."""
    found = dict(rules)
    for model_type, written in WRITTEN.items():
        measured = rules.get(model_type, {})
        joined = {key: _joined(measured.get(key, ()), more) for key, more in written.items()}
        found[model_type] = {**measured, **joined}
    return found


def _joined(measured: Any, more: Any) -> Any:
    """Two lists of conditions as one, or two maps from classes to such lists."""
    if not isinstance(more, Mapping):
        return (*measured, *more)
    by_class = dict(measured) if isinstance(measured, Mapping) else {}
    return {**by_class, **{name: (*by_class.get(name, ()), *listed) for name, listed in more.items()}}


def layers_of(repeated: Any) -> int | None:
    """The number of layers of a list of (list of layer types, number of repetitions); None for any other value."""
    if not isinstance(repeated, list):
        return None
    number = 0
    for one in repeated:
        is_pair = isinstance(one, list) and len(one) > 1 and isinstance(one[0], list) and isinstance(one[1], int)
        if not is_pair:
            return None
        number += len(one[0]) * max(one[1], 0)
    return number


def is_activation(stated: str) -> bool:
    """True for the name of an activation function, alone or after `gated-` (`configuration_t5.py`)."""
    first, *rest = stated.split("-")
    return not rest or (first == "gated" and len(rest) == 1)
