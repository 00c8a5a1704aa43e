"""A config as transformers 5 reads it: what config classes set whatever the config says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.architectures.defaults import NEWEST, class_defaults
from inspector.architectures.value_rules import configs_within
from inspector.notation.trace import with_leaf

LAYERS, FULL = "layer_types", "full_attention"
FULL_AT_LAST: Final = frozenset({"diffusion_gemma_text", "embedding_gemma2_text", "gemma4_text", "gemma4_unified_text"})
"""Model types of which the last layer always has full attention (`__post_init__` of their config classes, 5.23)."""


BY_ITS_OWN_NAME: Final = frozenset(
    [
        "bailing_hybrid.max_position_embeddings",
        "bailing_hybrid.n_group",
        "bailing_hybrid.n_shared_experts",
        "bailing_hybrid.num_experts_per_tok",
        "bailing_hybrid.num_local_experts",
        "bailing_hybrid.num_mtp_layers",
        "d_fine.hidden_size",
        "deepseek_v3.num_mtp_layers",
        "deimv2.hidden_size",
        "dinat.num_hidden_layers",
        "donut-swin.num_hidden_layers",
        "flaubert.eos_index",
        "flaubert.pad_index",
        "glm4_moe.num_mtp_layers",
        "inkling_vision.num_hidden_layers",
        "kimi_linear.max_position_embeddings",
        "kimi_linear.n_group",
        "kimi_linear.n_shared_experts",
        "kimi_linear.num_experts_per_tok",
        "kimi_linear.num_local_experts",
        "kolibri1.num_experts",
        "mellum.num_experts",
        "omdet-turbo.encoder_hidden_dim",
        "patchtst.num_attention_heads",
        "patchtst.num_hidden_layers",
        "pix2struct_text_model.hidden_size",
        "qwen3_moe.num_experts",
        "qwen3_omni_moe_talker_text.num_experts",
        "qwen3_vl_moe_text.num_experts",
        "step3p5.num_local_experts",
        "swin.num_hidden_layers",
        "swin2sr.num_hidden_layers",
        "swinv2.num_hidden_layers",
        "t5gemma2.eoi_token_id",
        "xlnet.hidden_size",
        "xlnet.num_attention_heads",
        "zamba2.head_dim",
    ]
)
"""Model type and other name of a key that does not decide where the config states both, or only in one order."""


def as_newest_reads(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with the layer types that its classes set, and the values of other names of keys under the keys.

    Measured with the config classes of 5.23 and whole numbers: the other name decides for 423 of 460 pairs.
    """
    found: Mapping[str, Any] = values
    for path, inner, kind in configs_within(values, values.get("model_type")):
        for key, value in _under_other_names(inner, kind):
            found = with_leaf(found, {}, (*path, key), value)
        listed = inner.get(LAYERS)
        sets = isinstance(kind, str) and kind in FULL_AT_LAST
        if sets and isinstance(listed, list) and listed and listed[-1] != FULL:
            found = with_leaf(found, {}, (*path, LAYERS), [*listed[:-1], FULL])
    return found


def _under_other_names(values: Mapping[str, Any], model_type: Any) -> Iterator[tuple[str, int]]:
    """Keys that a config states with another value under another name, which decides, and that value."""
    defaults, aliases = class_defaults(model_type, NEWEST) if isinstance(model_type, str) else ({}, {})
    for other, key in aliases.items():
        numbers = all(type(one) is int for one in (values.get(other), values.get(key), defaults.get(key)))
        if numbers and values[other] != values[key] and f"{model_type}.{other}" not in BY_ITS_OWN_NAME:
            yield key, values[other]
