"""Conditions under which transformers refuses a config that its own checks do not state as one, in the form of
`config_rules.json`.

Sources: transformers 4.57, `configuration_wav2vec2.py` and those like it, `configuration_efficientloftr.py`,
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
_GROUPED: Final = "depths[{S}] > 1 or {S} + 1 < len(depths) or layer_type == 'bottleneck'"
"""Stages of BiT of which a norm with groups has the width that they give."""
_ADAPTIVE: Final = ("(asm != false)",)
"""The head for this is built with `asm_cutoffs`, which the config classes do not have (`modeling_xlm.py`)."""
WRITTEN: Final[Mapping[str, Mapping[str, Any]]] = {
    **{model_type: {"older": _CONVOLUTIONS} for model_type in _CONVOLUTIONAL},
    **{name: {"older": ("(audio_channels != 1) and (audio_channels != 2)",)} for name in _OF_SOUND},
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
    "bit": {
        "stages": (
            ("4", "1", "((embedding_size % num_groups) != 0)", ()),
            ("4", "min(len(depths), len(hidden_sizes))", "((m % num_groups) != 0)", ()),
            ("4", "min(len(depths), len(hidden_sizes))", f"((w % num_groups) != 0) and ({_GROUPED})", ()),
            ("4", "1", "(layer_type == 'preactivation') and ((f % num_groups) != 0)", ()),
        ),
    },
    "videomae": {"stages": (("4", "1", "((num_frames // tubelet_size) == 0)", ()),)},  # no position has a sinusoid
    "reformer": {
        "classes": {
            "ReformerForMaskedLM": ("(is_decoder == true)",),
            "ReformerModelWithLMHead": ("(is_decoder == false)",),
        },
    },
    "flaubert": {"classes": {"FlaubertWithLMHeadModel": _ADAPTIVE}},
    "xlm": {"classes": {"XLMWithLMHeadModel": _ADAPTIVE}},
}
"""Model type -> conditions that must not hold: `older` of config classes of 4.57, `classes` of single classes, `stages`
as in `config_rules.json`; the symbols of a definition may be in them."""
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
