"""Finds settings of single layers with which transformers 5 builds no model (`integrations/heterogeneity`, 5.23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.architectures.defaults import class_defaults

OVERRIDES, LAYERS, NUMBER = "per_layer_config", "layer_types", "num_hidden_layers"
BY_TYPE: Final = frozenset(
    {"diffusion_gemma_text", "dots3_note_text", "embedding_gemma2_text", "gemma4_text", "gemma4_unified_text"}
)
"""Model types that compute rotary embeddings with the settings of each type of layers, which must then be alike."""

MEASURED: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(BY_TYPE, frozenset({"head_dim", "num_key_value_heads"})),
    "step3p5": frozenset({"num_attention_heads"}),
}
"""Model type -> the settings of single layers that it reads, and that were measured."""


def is_open_override(values: Mapping[str, Any], model_type: str) -> bool:
    """True for settings of single layers of which it was not measured whether a model is built with them: 5.23 refuses
    `rms_norm_eps` and builds one with `sliding_window` for Qwen3. A value of the whole config counts as absent.
    """
    stated, known = values.get(OVERRIDES), {**class_defaults(model_type)[0], **values}
    settings = [one for one in stated.values() if isinstance(one, dict)] if isinstance(stated, dict) else []
    names = {name for one in settings for name, value in one.items() if name not in known or known[name] != value}
    return not names <= MEASURED.get(model_type, frozenset())


def refused_override(values: Mapping[str, Any], model_type: str) -> str:
    """Why the settings of single layers are refused; "" if they are not.

    values: of the config, with the layer types that its class sets. Settings with the value of the whole config count
    as absent.
    """
    stated, listed = values.get(OVERRIDES), values.get(LAYERS)
    if not isinstance(stated, dict) or not all(isinstance(one, dict) for one in stated.values()):
        return ""
    known = {**class_defaults(model_type)[0], **values}
    number, indices = known.get(NUMBER), {key: int(key) for key in stated if str(key).isdecimal()}
    beyond = next((key for key, index in indices.items() if type(number) is int and index >= number), None)
    if beyond is not None:
        return f"{OVERRIDES} has settings of layer {beyond}, and there are {number} layers"
    if model_type not in BY_TYPE or not isinstance(listed, list):
        return ""
    own = {
        index: {name: one for name, one in stated[key].items() if name not in known or known[name] != one}
        for key, index in indices.items()
    }
    first: dict[Any, Mapping[str, Any]] = {}
    for index, kind in enumerate(listed):
        settings = own.get(index, {})
        if isinstance(kind, str) and first.setdefault(kind, settings) != settings:
            return f"{OVERRIDES} gives layers of the type {kind} different settings"
    return ""
