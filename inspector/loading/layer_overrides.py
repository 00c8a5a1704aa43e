"""Finds settings of single layers with which transformers 5 builds no model (`integrations/heterogeneity`, 5.23), and
those that other programs do not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.architectures.defaults import class_defaults
from inspector.findings.finding import NOT_READ

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


FULL: Final = "full_attention"
SHARED: Final = "attention_k_eq_v"
"""The key without which layers of full attention have the number of key heads of all layers."""
WIDTHS: Final[Mapping[str, tuple[str, int | None]]] = {
    "head_dim": ("global_head_dim", 512), "num_key_value_heads": ("num_global_key_value_heads", None),
}  # fmt: skip
"""Setting -> the key that states it for the layers of full attention, as transformers up to 5.14 wrote it, and its
default; without a default it is that of all layers. mlx-lm 0.32 and mlx-vlm read these keys alone.
"""


def unread_overrides(values: Mapping[str, Any], where: str) -> str:
    """What a program that reads `WIDTHS` in place of the settings of single layers lacks; "" if nothing.

    values: the config of a Gemma 4 for text. where: the place of its keys.
    """
    stated, listed = values.get(OVERRIDES), values.get(LAYERS)
    if not isinstance(stated, dict) or not isinstance(listed, list):
        return ""
    own = {int(key): one for key, one in stated.items() if str(key).isdecimal() and isinstance(one, dict)}
    read = {name: one for name, one in WIDTHS.items() if name == "head_dim" or values.get(SHARED)}
    needed: dict[str, Any] = {}
    for index, kind in enumerate(listed):
        for name, (key, default) in read.items() if kind == FULL else ():
            taken = values.get(key) if values.get(key) is not None else default
            meant = own.get(index, {}).get(name, values.get(name))
            if type(meant) is int and meant != (values.get(name) if taken is None else taken):
                needed[key] = meant
    keys = " and ".join(f'"{key}": {value}' for key, value in needed.items())
    return f"{NOT_READ}, and needs {keys} {where}" if keys else ""
