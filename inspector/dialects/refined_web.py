"""Translates the config.json of the first Falcon repositories, with model types unknown to transformers, to its keys.

Source: `configuration_RW.py` of these repositories, with its defaults, and transformers' `configuration_falcon.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

TYPE: Final = "falcon"
"""The model type of these models in transformers."""
NEW_DECODER: Final = {"RefinedWeb": True, "RefinedWebModel": False}
"""Earlier type -> True if it has the new decoder architecture."""
RENAMED: Final = {"n_layer": "num_hidden_layers", "n_head": "num_attention_heads"}
DEFAULTS: Final = {"multi_query": False, "parallel_attn": False}
"""Values of absent keys that differ from transformers' defaults."""
CLASSES: Final = ("RW", "Falcon")
"""Beginnings of the class names: in these repositories, and in transformers."""


def config_of(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keys to set in addition to the stated ones; None for other types, and for residuals that
    transformers lacks.
    """
    model_type, named = values.get("model_type"), values.get("architectures")
    if not isinstance(model_type, str) or model_type not in NEW_DECODER:
        return None
    sized = all(type(values.get(key)) is int for key in RENAMED)
    if not sized or values.get("apply_residual_connection_post_layernorm"):
        return None
    new = NEW_DECODER[model_type]
    found: dict[str, Any] = {"model_type": TYPE, "new_decoder_architecture": new}
    if isinstance(named, list) and len(named) == 1 and str(named[0]).startswith(CLASSES[0]):
        found["architectures"] = [str(named[0]).replace(*CLASSES, 1)]
    found.update({theirs: values[ours] for ours, theirs in RENAMED.items()})
    if new:
        found["num_kv_heads"] = values["n_head"] if values.get("n_head_kv") is None else values["n_head_kv"]
    found.update({key: meant for key, meant in DEFAULTS.items() if key not in values})
    return {key: value for key, value in found.items() if values.get(key) != value}
