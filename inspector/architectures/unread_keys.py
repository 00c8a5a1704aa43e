"""Keys that a class does not read, whose values it therefore cannot refuse.

`unread_of_parts.json` contains those of configs within the config; `tests/oracle/make_unread_of_parts.py` generates it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from inspector.architectures.catalog import data_file

TABLE: Final = "unread_of_parts.json"
"""Version -> model type -> class -> path of a config within the config -> keys."""
UNBUILT: Final[Mapping[str, tuple[str, ...]]] = {
    "Sam3VideoModel": ("tracker_config", "vision_config", "backbone_config"),
}
"""Class -> the config within its config of which it builds no model (modeling_sam3_video.py: the tracker shares the
encoder of the detector)."""
READ_OF_UNBUILT: Final = frozenset({"patch_size"})
"""Keys of such a config with which the class computes the sizes of its maps."""
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


def is_read_in_part(values: Mapping[str, Any], path: tuple[str, ...], major: str) -> bool:
    """Whether the class of a config may refuse the value at a path within a config of it; True outside of these."""
    if len(path) < 2:
        return True
    if is_unbuilt(values, path[:-1]):
        return path[-1] in READ_OF_UNBUILT
    return path[-1] not in unread_in_part(values, path[:-1], major)


def is_unbuilt(values: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    """Whether the class of a config builds no model of the config at a path within it."""
    classes = values.get("architectures")
    named = classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else ""
    unbuilt = UNBUILT.get(named)
    return unbuilt is not None and path[: len(unbuilt)] == unbuilt


def unread_in_part(values: Mapping[str, Any], path: tuple[str, ...], major: str) -> frozenset[str]:
    """The keys of a config within a config of which the class of the whole takes every value."""
    model_type, classes = values.get("model_type"), values.get("architectures")
    named = classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else ""
    if not isinstance(model_type, str):
        return frozenset()
    parts = _unread_of_parts().get(major, {}).get(model_type, {}).get(named, {})
    return frozenset(parts.get(".".join(path), ()))


@cache
def _unread_of_parts() -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, list[str]]]]]:
    table: dict[str, dict[str, dict[str, dict[str, list[str]]]]] = json.loads(data_file(TABLE))
    return table
