"""Keys that a class does not read, whose values it therefore cannot refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

BACKBONE: Final = "backbone_config"
OF_OWN_ENCODER: Final[Mapping[str, frozenset[str]]] = {
    "DPTForDepthEstimation": frozenset(
        {
            "attention_probs_dropout_prob", "hidden_dropout_prob", "hidden_size", "image_size", "intermediate_size",
            "num_attention_heads", "num_channels", "num_hidden_layers", "patch_size", "qkv_bias",
        }
    ),
}  # fmt: skip
"""Class -> the keys of the encoder that it builds unless its config has that of a backbone (modeling_dpt.py, 5.23 and
4.57; the other classes of DPT always build it)."""


def unread_keys(values: Mapping[str, Any]) -> frozenset[str]:
    """The keys that the class of a config does not read because of another one."""
    classes = values.get("architectures")
    named = classes[0] if isinstance(classes, list) and classes else ""
    replaced = bool(values.get(BACKBONE)) and not values.get("is_hybrid")
    return OF_OWN_ENCODER.get(named, frozenset()) if replaced and isinstance(named, str) else frozenset()
